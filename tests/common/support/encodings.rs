//! The legacy `.vtk` file that the library writes, in the other encodings of VTK.

use std::fmt::Write;

/// How the numbers of a file are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Legacy, the vertices of every cell behind their number, as words or as bytes.
    Rows { binary: bool },
    /// Legacy, version 5: offsets and connectivity apart.
    Apart { binary: bool },
    /// `.vtu`, ASCII.
    Xml,
}

impl Encoding {
    pub const ALL: [Self; 5] = [
        Self::Rows { binary: false },
        Self::Rows { binary: true },
        Self::Apart { binary: false },
        Self::Apart { binary: true },
        Self::Xml,
    ];

    pub fn extension(self) -> &'static str {
        if self == Self::Xml { "vtu" } else { "vtk" }
    }

    /// The file in this encoding.
    pub fn encode(self, file: &File) -> Vec<u8> {
        match self {
            Self::Rows { binary } => Legacy { binary, bytes: Vec::new() }.file(file, false),
            Self::Apart { binary } => Legacy { binary, bytes: Vec::new() }.file(file, true),
            Self::Xml => xml(file).into_bytes(),
        }
    }
}

/// An array: its name as legacy files have it, its width and numbers.
struct Array {
    name: String,
    width: usize,
    of_integers: bool,
    values: Vec<f64>,
}

/// A legacy file of binary numbers.
pub struct File {
    fields: Vec<Array>,
    points: Vec<f64>,
    cells: Vec<Vec<i32>>,
    types: Vec<i32>,
    point_data: Vec<Array>,
    cell_data: Vec<Array>,
}

/// Bytes that are read from their start on.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn line(&mut self) -> Vec<String> {
        let end = self.0.iter().position(|&byte| byte == b'\n').unwrap_or(self.0.len());
        let (line, rest) = self.0.split_at(end);
        self.0 = rest.get(1..).unwrap_or_default();
        let line = std::str::from_utf8(line).unwrap();
        line.split_ascii_whitespace().map(str::to_owned).collect()
    }

    fn integer(&mut self) -> i32 {
        let (number, rest) = self.0.split_first_chunk().unwrap();
        self.0 = rest;
        i32::from_be_bytes(*number)
    }

    fn real(&mut self) -> f64 {
        let (number, rest) = self.0.split_first_chunk().unwrap();
        self.0 = rest;
        f64::from_be_bytes(*number)
    }

    /// `FIELD FieldData COUNT` and its arrays.
    fn field(&mut self, count: &str) -> Vec<Array> {
        let array = |bytes: &mut Self| {
            let line = bytes.line();
            let [width, tuples] = [1, 2].map(|i| line[i].parse::<usize>().unwrap());
            let of_integers = line[3] == "int";
            let number = |bytes: &mut Self| {
                if of_integers { f64::from(bytes.integer()) } else { bytes.real() }
            };
            let values = (0..width * tuples).map(|_| number(bytes)).collect();
            bytes.line();
            Array { name: line[0].clone(), width, of_integers, values }
        };
        (0..count.parse::<usize>().unwrap()).map(|_| array(self)).collect()
    }
}

impl File {
    /// Reads what the library has written.
    pub fn read(bytes: &[u8]) -> Self {
        let mut rest = Bytes(bytes);
        assert_eq!(rest.line()[..2], ["#", "vtk"]);
        rest.line();
        assert_eq!(rest.line(), ["BINARY"]);
        let (mut fields, mut points, mut cells, mut types) = Default::default();
        let (mut point_data, mut cell_data) = (Vec::new(), Vec::new());
        let mut section = String::new();
        while !rest.0.is_empty() {
            let line = rest.line();
            let Some(keyword) = line.first() else { continue };
            let count = |i: usize| line[i].parse::<usize>().unwrap();
            match (keyword.as_str(), section.as_str()) {
                ("DATASET", _) => {}
                ("FIELD", "") => fields = rest.field(&line[2]),
                ("FIELD", "POINT_DATA") => point_data = rest.field(&line[2]),
                ("FIELD", "CELL_DATA") => cell_data = rest.field(&line[2]),
                ("POINT_DATA" | "CELL_DATA", _) => section.clone_from(keyword),
                ("POINTS", _) => points = (0..3 * count(1)).map(|_| rest.real()).collect(),
                ("CELLS", _) => {
                    let cell = |rest: &mut Bytes<'_>| -> Vec<i32> {
                        (0..rest.integer()).map(|_| rest.integer()).collect()
                    };
                    cells = (0..count(1)).map(|_| cell(&mut rest)).collect();
                }
                ("CELL_TYPES", _) => types = (0..count(1)).map(|_| rest.integer()).collect(),
                other => panic!("{other:?}"),
            }
        }
        Self { fields, points, cells, types, point_data, cell_data }
    }

    /// Number of points.
    fn point_count(&self) -> usize {
        self.points.len() / 3
    }
}

/// A legacy file that is being written.
struct Legacy {
    binary: bool,
    bytes: Vec<u8>,
}

impl Legacy {
    fn file(mut self, file: &File, apart: bool) -> Vec<u8> {
        let encoding = if self.binary { "BINARY" } else { "ASCII" };
        let version = if apart { "5.1" } else { "4.2" };
        self.text(&format!("# vtk DataFile Version {version}\ntitle\n{encoding}\n"));
        self.text("DATASET UNSTRUCTURED_GRID\n");
        self.arrays(&file.fields);
        self.text(&format!("POINTS {} double\n", file.point_count()));
        self.numbers(&file.points, false);
        let count = file.cells.len();
        let size: usize = file.cells.iter().map(Vec::len).sum();
        let integers = |list: Vec<i32>| -> Vec<f64> { list.into_iter().map(f64::from).collect() };
        if apart {
            self.text(&format!("CELLS {} {size}\nOFFSETS vtktypeint64\n", count + 1));
            let mut end = 0;
            let ends = file.cells.iter().map(|cell| {
                end += cell.len() as i64;
                end
            });
            let ends: Vec<i64> = std::iter::once(0).chain(ends).collect();
            if self.binary {
                self.bytes.extend(ends.iter().flat_map(|end| end.to_be_bytes()))
            } else {
                self.text(&ends.iter().map(|end| format!("{end} ")).collect::<String>())
            }
            self.text("\nCONNECTIVITY int\n");
            self.numbers(&integers(file.cells.concat()), true);
        } else {
            self.text(&format!("CELLS {count} {}\n", count + size));
            let rows = file.cells.iter().map(|cell| [&[cell.len() as i32], &cell[..]].concat());
            self.numbers(&integers(rows.flatten().collect()), true);
        }
        self.text(&format!("CELL_TYPES {count}\n"));
        self.numbers(&integers(file.types.clone()), true);
        self.text(&format!("POINT_DATA {}\n", file.point_count()));
        // an array in each of the ways that the format has
        let mut others = &file.point_data[..];
        if let Some((first, rest)) = others.split_first().filter(|(first, _)| first.width < 5) {
            others = rest;
            self.text(&format!("SCALARS {} double {}\n", first.name, first.width));
            self.text("LOOKUP_TABLE default\n");
            self.numbers(&first.values, false);
            self.text("METADATA\nINFORMATION 0\n\n");
        }
        self.arrays(others);
        self.text(&format!("CELL_DATA {count}\n"));
        self.arrays(&file.cell_data);
        self.bytes
    }

    fn text(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
    }

    /// Numbers on lines of their own, of odd lengths.
    fn numbers(&mut self, values: &[f64], of_integers: bool) {
        for (i, &value) in values.iter().enumerate() {
            match (self.binary, of_integers) {
                (true, true) => self.bytes.extend((value as i32).to_be_bytes()),
                (true, false) => self.bytes.extend(value.to_be_bytes()),
                (false, _) => {
                    let end = if i % 7 == 3 { " \r\n" } else { "  " };
                    self.text(&format!("{}{end}", shown(value, of_integers)));
                }
            }
        }
        self.text("\n");
    }

    fn arrays(&mut self, arrays: &[Array]) {
        self.text(&format!("FIELD FieldData {}\n", arrays.len()));
        for Array { name, width, of_integers, values } in arrays {
            let kind = if *of_integers { "int" } else { "double" };
            self.text(&format!("{name} {width} {} {kind}\n", values.len() / width));
            self.numbers(values, *of_integers);
        }
    }
}

fn shown(value: f64, of_integers: bool) -> String {
    if of_integers { format!("{}", value as i64) } else { format!("{value:?}") }
}

/// The face streams of polyhedra make their vertices and their `faces`.
fn xml(file: &File) -> String {
    let mut text = String::from("<?xml version=\"1.0\"?>\n<!-- a <comment> with > in it -->\n");
    text += "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" header_type=\"UInt64\">\n";
    text += "<UnstructuredGrid>\n<FieldData>\n";
    let array = |text: &mut String, array: &Array| {
        let kind = if array.of_integers { "Int32" } else { "Float64" };
        let name = array.name.replace("%20", " ").replace("%3A", ":");
        write!(
            text,
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{}\" format=\"ascii\">",
            array.width
        )
        .unwrap();
        let words: Vec<String> =
            array.values.iter().map(|&value| shown(value, array.of_integers)).collect();
        *text += &words.chunks(6).map(|line| line.join(" ")).collect::<Vec<_>>().join("\n  ");
        *text += "<InformationKey name=\"a\"><Value index=\"0\"> 1 2 </Value></InformationKey>\n";
        *text += "</DataArray>\n";
    };
    file.fields.iter().for_each(|field| array(&mut text, field));
    let (points, count) = (file.point_count(), file.cells.len());
    write!(
        text,
        "<DataArray type=\"String\" Name=\"note\" format=\"ascii\">104 0</DataArray>\n</FieldData>\n\
         <Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{count}\">\n"
    )
    .unwrap();
    for (section, arrays) in [("PointData", &file.point_data), ("CellData", &file.cell_data)] {
        writeln!(text, "<{section}>").unwrap();
        arrays.iter().for_each(|of| array(&mut text, of));
        writeln!(text, "</{section}>").unwrap();
    }
    text += "<Points>\n";
    let of = |name: &str, width: usize, of_integers: bool, values: Vec<f64>| Array {
        name: name.into(),
        width,
        of_integers,
        values,
    };
    array(&mut text, &of("Points", 3, false, file.points.clone()));
    text += "</Points>\n<Cells>\n";
    let (mut corners, mut ends, mut faces, mut face_ends) = (vec![], vec![], vec![], vec![]);
    for (cell, &cell_type) in file.cells.iter().zip(&file.types) {
        let mut face_end = -1;
        if cell_type == 42 {
            let mut own: Vec<i32> = Vec::new();
            let mut rest = &cell[1..];
            while let Some((&count, others)) = rest.split_first() {
                let (face, others) = others.split_at(count as usize);
                own.extend(face);
                rest = others;
            }
            own.sort_unstable();
            own.dedup();
            corners.extend(own);
            faces.extend(cell);
            face_end = faces.len() as i32;
        } else {
            corners.extend(cell);
        }
        ends.push(corners.len() as i32);
        face_ends.push(face_end);
    }
    let mut lists =
        vec![("connectivity", corners), ("offsets", ends), ("types", file.types.clone())];
    if !faces.is_empty() {
        lists.extend([("faces", faces), ("faceoffsets", face_ends)]);
    }
    for (name, list) in lists {
        array(&mut text, &of(name, 1, true, list.into_iter().map(f64::from).collect()));
    }
    text + "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"
}
