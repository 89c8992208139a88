//! The two cubes in NetCDF and Exodus.

use super::CUBES;

/// A NetCDF-3 file of some arrays: name, lengths of dimensions, kind and values, and `elem_type`.
pub type NetCdfSample<'a> = (&'a str, &'a [usize], u32, Vec<u8>, Option<&'a str>);

/// NetCDF in its classic form (1), with 64-bit offsets (2) or data (5); dimensions of their own for
/// each array, behind those named.
pub fn netcdf(version: u8, named: &[(&str, usize)], arrays: &[NetCdfSample]) -> Vec<u8> {
    let number = |out: &mut Vec<u8>, value: usize| match version {
        5 => out.extend((value as u64).to_be_bytes()),
        _ => out.extend((value as u32).to_be_bytes()),
    };
    let text = |out: &mut Vec<u8>, text: &str| {
        number(out, text.len());
        out.extend(text.bytes());
        out.resize(out.len().next_multiple_of(4), 0);
    };
    // offsets are known once the header is
    let mut begins = vec![0; arrays.len()];
    loop {
        let mut out = vec![b'C', b'D', b'F', version];
        number(&mut out, 0);
        out.extend(10_u32.to_be_bytes());
        number(&mut out, named.len() + arrays.iter().map(|array| array.1.len()).sum::<usize>());
        for (name, length) in named {
            text(&mut out, name);
            number(&mut out, *length);
        }
        for (name, shape, ..) in arrays {
            for (d, length) in shape.iter().enumerate() {
                text(&mut out, &format!("{name}_{d}"));
                number(&mut out, *length);
            }
        }
        out.extend([0; 4]);
        number(&mut out, 0);
        out.extend(11_u32.to_be_bytes());
        number(&mut out, arrays.len());
        let mut dimension = named.len();
        for ((name, shape, kind, values, element), begin) in arrays.iter().zip(&begins) {
            text(&mut out, name);
            number(&mut out, shape.len());
            for _ in *shape {
                number(&mut out, dimension);
                dimension += 1;
            }
            out.extend(if element.is_some() { 12_u32 } else { 0 }.to_be_bytes());
            number(&mut out, usize::from(element.is_some()));
            if let Some(element) = element {
                text(&mut out, "elem_type");
                out.extend(2_u32.to_be_bytes());
                text(&mut out, element);
            }
            out.extend(kind.to_be_bytes());
            number(&mut out, values.len().next_multiple_of(4));
            match version {
                1 => out.extend((*begin as u32).to_be_bytes()),
                _ => out.extend((*begin as u64).to_be_bytes()),
            }
        }
        let mut new = Vec::new();
        for (.., values, _) in arrays {
            new.push(out.len());
            out.extend(values);
            out.resize(out.len().next_multiple_of(4), 0);
        }
        if new == begins {
            return out;
        }
        begins = new;
    }
}

/// Whole numbers and real numbers of NetCDF.
pub fn ints(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_be_bytes()).collect()
}

pub fn reals(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_be_bytes()).collect()
}

/// Texts of 33 characters.
pub fn names(names: &[&str]) -> Vec<u8> {
    names.iter().flat_map(|name| (0..33).map(|i| *name.as_bytes().get(i).unwrap_or(&0))).collect()
}

/// Two blocks of a cube each, the side sets x = 0 and x = 1, the nodes at z = 0, and an edge block.
pub fn exodus(version: u8) -> Vec<u8> {
    let axis = |d: u32| {
        let one = |i: u32| f64::from([i % 3, i / 3 % 2, i / 6][d as usize]);
        reals(&(0..12).map(one).collect::<Vec<_>>())
    };
    let cube = |c: usize| ints(&CUBES[c].map(|v| v + 1));
    netcdf(
        version,
        &[
            ("num_nodes", 12),
            ("num_el_blk", 2),
            ("num_side_sets", 2),
            ("num_node_sets", 1),
            ("num_ed_blk", 1),
        ],
        &[
            ("coordx", &[12], 6, axis(0), None),
            ("coordy", &[12], 6, axis(1), None),
            ("coordz", &[12], 6, axis(2), None),
            ("eb_prop1", &[2], 4, ints(&[7, 9]), None),
            ("eb_names", &[2, 33], 2, names(&["steel", ""]), None),
            ("connect1", &[1, 8], 4, cube(0), Some("HEX8")),
            ("connect2", &[1, 8], 4, cube(1), Some("HEX")),
            ("ss_prop1", &[2], 4, ints(&[3, 4]), None),
            ("ss_names", &[2, 33], 2, names(&["left", ""]), None),
            ("elem_ss1", &[1], 4, ints(&[1]), None),
            ("side_ss1", &[1], 4, ints(&[4]), None),
            ("elem_ss2", &[1], 4, ints(&[2]), None),
            ("side_ss2", &[1], 4, ints(&[4]), None),
            ("ns_prop1", &[1], 4, ints(&[5]), None),
            ("ns_names", &[1, 33], 2, names(&["low"]), None),
            ("node_ns1", &[7], 4, ints(&[1, 2, 3, 4, 5, 6, 12]), None),
            ("ed_prop1", &[1], 4, ints(&[6]), None),
            ("ed_names", &[1, 33], 2, names(&["line"]), None),
            ("ebconn1", &[1, 2], 4, ints(&[1, 4]), None),
        ],
    )
}
