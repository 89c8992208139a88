//! OBJ files as surfaces: vertices, polygons, and OpenSubdiv's crease and corner tags.

use super::surface::{Surface, edge};

/// Reads `models/surfaces/<name>.obj`.
pub fn model(name: &str) -> Surface {
    let path = format!("models/surfaces/{name}.obj");
    read(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}")))
}

/// Reads the text of a file.
pub fn read(text: &str) -> Surface {
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    let (mut creases, mut corners) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |i: usize| words[i].parse::<f64>().expect("a number");
        let index = |i: usize| words[i].parse::<usize>().expect("an index");
        match words.first() {
            Some(&"v") => points.push([number(1), number(2), number(3)]),
            Some(&"f") => {
                let corner = |word: &&str| {
                    let first = word.split('/').next().expect("a word");
                    first.parse::<usize>().expect("an index") - 1
                };
                faces.push(words[1..].iter().map(corner).collect());
            }
            Some(&"t") if words[1] == "crease" => {
                creases.push((edge(index(3), index(4)), number(5)));
            }
            Some(&"t") if words[1] == "corner" => corners.push((index(3), number(4))),
            _ => {}
        }
    }
    let mut surface = Surface::new(points, faces);
    surface.creases = creases.into_iter().collect();
    surface.corners = corners.into_iter().collect();
    surface
}
