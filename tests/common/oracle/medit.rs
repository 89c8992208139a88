//! Reads the vertices and hexahedra of a MEDIT `.mesh` file that is known to be
//! well formed.

use std::path::Path;

use super::solid::Solid;

/// A model of the repository's `models` folder.
pub fn model(name: &str) -> Solid {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name);
    parse(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

fn parse(text: &str) -> Solid {
    let mut words = text.split_whitespace().skip_while(|&word| word != "Vertices").skip(1);
    let mut number = || words.next().and_then(|word| word.parse::<f64>().ok());
    let count = number().expect("number of vertices") as usize;
    let mut row = |width: usize| -> Vec<f64> {
        let values = (0..width).map(|_| number().expect("a number")).collect();
        number().expect("a reference number");
        values
    };
    let points = (0..count).map(|_| row(3).try_into().expect("three coordinates")).collect();

    let mut words = text.split_whitespace().skip_while(|&word| word != "Hexahedra").skip(1);
    let mut number = || words.next().and_then(|word| word.parse::<usize>().ok());
    let count = number().expect("number of hexahedra");
    let mut hexahedron = || {
        let corners = std::array::from_fn(|_| number().expect("a vertex") - 1);
        number().expect("a reference number");
        corners
    };
    let hexahedra: Vec<[usize; 8]> = (0..count).map(|_| hexahedron()).collect();
    Solid::hexahedra(points, &hexahedra)
}
