//! Numbers and names in messages and options.

use subsolid::backend::{Choice, DeviceList};
use subsolid::error::IdKind::{Cell, Face, Vertex};
use subsolid::error::{Command, IdKind, Message, Term, option, option_name};
use subsolid::message;
use subsolid::numbers::{by_count, counted, median, significant};
use subsolid::query::Op;
use subsolid::topology::order::EntityKind;

#[test]
fn one_thing_is_singular() {
    let all = [(1, "vertex"), (0, "cell"), (2, "vertex"), (3, "matrix"), (1, "batch")];
    let said = all.map(|(n, what)| counted(n, what));
    assert_eq!(said, ["1 vertex", "0 cells", "2 vertices", "3 matrices", "1 batch"]);
    let many = ["batch", "leaf", "entry", "cavity", "hexahedron", "mid-side node", "box"];
    let many = many.map(|what| counted(2, what));
    assert_eq!(
        many.join(", "),
        "2 batches, 2 leaves, 2 entries, 2 cavities, 2 hexahedra, 2 mid-side nodes, 2 boxes"
    );
    assert_eq!([0, 1, 2].map(|n| by_count(n, "is", "are")), ["are", "is", "are"]);
}

#[test]
fn digits_are_significant_at_every_size() {
    let cases = [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1.00000"),
        (-2.0 / 3.0, "-0.666667"),
        (1e-4, "0.000100000"),
        (9.99999e-5, "9.99999e-5"),
        (9.999999e-5, "0.000100000"),
        (1.2345678e-9, "1.23457e-9"),
        (123456.7, "123457"),
        (1234567.8, "1234568"),
        (9999999.9, "1.00000e7"),
        (1e7, "1.00000e7"),
        (f64::NAN, "NaN"),
        (f64::NEG_INFINITY, "-inf"),
    ];
    for (x, text) in cases {
        assert_eq!(significant(x), text, "{x:e}");
    }
}

#[test]
fn medians() {
    assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.5);
    assert_eq!(median(Vec::new()), 0.0);
}

#[test]
fn numbers_names_and_kinds_agree() {
    for (i, op) in Op::ALL.into_iter().enumerate() {
        assert_eq!(op as usize, i);
        let letter = |kind: EntityKind| kind.name()[..1].to_ascii_uppercase();
        assert_eq!(op.to_string(), letter(op.from()) + &letter(op.to()));
        assert_eq!(op.to_string().to_lowercase().parse::<Op>().unwrap(), op);
    }
    assert!("VX".parse::<Op>().unwrap_err().to_string().contains("VV VE VF"));
}

#[test]
fn choices_are_read() {
    for (text, choice) in [
        ("auto", Choice::Auto),
        ("cpu", Choice::Cpu),
        ("cuda", Choice::Cuda(0)),
        ("cuda:3", Choice::Cuda(3)),
        ("cuda:0,1", Choice::Devices(DeviceList::new(&[0, 1]).unwrap())),
        ("cuda:0,0", Choice::Devices(DeviceList::new(&[0, 0]).unwrap())),
        ("cuda:all", Choice::AllDevices),
    ] {
        assert_eq!(text.parse::<Choice>().unwrap(), choice);
        assert_eq!(choice.to_string().parse::<Choice>().unwrap(), choice);
        let text = serde_json::to_string(&choice).unwrap();
        assert_eq!(serde_json::from_str::<Choice>(&text).unwrap(), choice);
    }
    for wrong in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "CPU", "cuda:0,", "cuda:0,x", "cuda:,"] {
        assert!(wrong.parse::<Choice>().is_err(), "{wrong}");
    }
    assert!(format!("cuda:{}", ["0"; 16].join(",")).parse::<Choice>().is_ok());
    assert!(format!("cuda:{}", ["0"; 17].join(",")).parse::<Choice>().is_err());
}

#[test]
fn messages_name_elements_in_text_and_as_ids() {
    type Test<'t> = (Message, &'t str, &'t [(IdKind, u64)]);
    let tests: [Test; 6] = [
        (
            message!(Cell.ids([1, 2, 3]), " share the face of ", Vertex.ids([0, 4])),
            "cells 1, 2 and 3 share the face of vertices 0 and 4",
            &[(Cell, 1), (Cell, 2), (Cell, 3), (Vertex, 0), (Vertex, 4)],
        ),
        (
            message!(Cell.ids([5; 65]), " share it"),
            "cells 5, 5, 5, 5, 5, 5, 5 and 5, … share it",
            &[(Cell, 5); 8],
        ),
        (Face.ids([7]), "face 7", &[(Face, 7)]),
        (Face.ids([0_u32; 0]), "no faces", &[]),
        (message!(Cell.id(-1), ", cell 7"), "cell -1, cell 7", &[]),
        ("vertex 3".into(), "vertex 3", &[]),
    ];
    for (message, text, elements) in tests {
        assert_eq!(message.to_string(), text);
        assert_eq!(message.elements().collect::<Vec<_>>(), elements, "{text}");
    }
}

#[test]
fn interfaces_spell_options_and_commands() {
    let help = message!(
        Command::Untangle,
        " or ",
        option("levels", 1),
        " for ",
        Vertex.id(7),
        ", ",
        option_name("no")
    );
    assert_eq!(help.to_string(), "`untangle::untangle` or `levels = 1` for vertex 7, `no`");
    let short = |term: &Term| match term {
        Term::Option { name, value } => format!("{name}/{}", value.as_deref().unwrap_or("")),
        Term::Command(command) => format!("{command:?}"),
    };
    assert_eq!(help.spelled(short), "Untangle or levels/1 for vertex 7, no/");
}
