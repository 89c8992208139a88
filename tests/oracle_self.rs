mod oracle;
#[test]
fn t() {}
