#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| subsolid_fuzz::mesh("xml", bytes));
