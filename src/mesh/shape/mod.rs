//! Procedural control meshes for tests, demos and first experiments.
//!
//! Every shape is a mesh of hexahedra with positive Jacobian at every corner,
//! whose vertices are merged by exact keys and all used; a shape's numbers alone
//! decide the mesh, to the bit.

mod bracket;
mod builder;
mod embedding;
mod fan;
mod fill;
mod grid;
mod link;
mod quads;
mod round;
mod tripod;

use super::SolidMesh;
use crate::error::{Error, Result};
use crate::memory;
use crate::numbers::{by_count, counted};

pub use link::VertexLink;

/// Maximum number of cells that [`Shape::build`] makes.
const MAX_SHAPE_CELLS: u128 = 1 << 27;
/// Bytes of a hexahedron and its point while they are made.
const BYTES_A_CELL: u128 = 64;

/// A control mesh to be built.
///
/// ```
/// use subsolid::mesh::shape::Shape;
/// let car = Shape::parse("box", &[2, 2, 6])?.build()?;
/// assert_eq!(car.cells.len(), 24);
/// # Ok::<(), subsolid::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A grid of unit cubes.
    Box {
        /// Cells along x, y and z, each ≥ 1.
        cells: [usize; 3],
    },
    /// Sectors of cells around one straight interior edge along z.
    Fan {
        /// Sectors, ≥ 3: the valence of the edges on the axis.
        valence: usize,
        /// Cells along the axis, ≥ 1.
        layers: usize,
        /// Cells from the axis to the rim, ≥ 1.
        rings: usize,
    },
    /// Cells around one extraordinary vertex at the origin.
    Link {
        /// What the vertex sees around it: a cell for every triangle.
        link: VertexLink,
        /// Cells from the vertex to the rim, ≥ 1.
        rings: usize,
    },
    /// A ring torus around z, its tube an O-grid of radius 1.
    Torus {
        /// Cells around z, ≥ 3.
        major: usize,
        /// Cells across the core of the tube, ≥ 1.
        core: usize,
        /// Rings around the core, ≥ 0; without any the tube is square.
        rings: usize,
    },
    /// A cylinder along z over an O-grid of radius 1.
    Cylinder {
        /// Cells across the core, ≥ 1.
        core: usize,
        /// Rings around the core, ≥ 0; without any the cylinder is a square bar.
        rings: usize,
        /// Cells along z, ≥ 1.
        layers: usize,
    },
    /// Three bent legs on foot plates, joined in a hub.
    Tripod,
    /// An L-shaped bracket with a fillet and two through-holes.
    Bracket,
}

/// How a shape is named and sized on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeName {
    /// Name for [`Shape::parse`].
    pub name: &'static str,
    /// Sizes of the shape in order with their defaults, `"LAYERS=4 RINGS=3"`.
    pub sizes: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
}

const fn named(name: &'static str, sizes: &'static str, about: &'static str) -> ShapeName {
    ShapeName { name, sizes, about }
}

impl Shape {
    /// All names that [`Shape::parse`] knows.
    pub const NAMES: &'static [ShapeName] = &[
        named("box", "NX=2 NY=2 NZ=6", "grid of unit cubes"),
        named("fan", "VALENCE=5 LAYERS=4 RINGS=3", "sectors around a straight interior edge"),
        named("link-tetrahedron", "RINGS=3", "interior vertex with four edges of valence 3"),
        named("link-bipyramid3", "RINGS=3", "interior vertex inside an edge of valence 3"),
        named("link-octahedron", "RINGS=3", "regular interior vertex"),
        named("link-3444555", "RINGS=3", "interior vertex of edge valences 3, 4, 4, 4, 5, 5, 5"),
        named("link-bipyramid5", "RINGS=3", "interior vertex inside an edge of valence 5"),
        named("link-icosahedron", "RINGS=3", "interior vertex with twelve edges of valence 5"),
        named("torus", "MAJOR=16 CORE=2 RINGS=2", "ring torus over an O-grid"),
        named("cylinder", "CORE=4 RINGS=2 LAYERS=8", "cylinder over an O-grid"),
        named("tripod", "", "three bent legs on foot plates, joined in a hub"),
        named("bracket", "", "L-shaped bracket with a fillet and two through-holes"),
    ];

    /// The shape of a name in [`Shape::NAMES`]. Sizes left out at the end take
    /// their defaults.
    ///
    /// # Errors
    /// [`Error::Request`] for an unknown name, too many sizes, a size below its
    /// least, or more than 2²⁷ cells.
    pub fn parse(name: &str, sizes: &[usize]) -> Result<Self> {
        let link = |link: VertexLink| {
            let [rings] = with_defaults(name, sizes, [3])?;
            Ok::<_, Error>(Self::Link { link, rings })
        };
        let shape = match name {
            "box" => Self::Box { cells: with_defaults(name, sizes, [2, 2, 6])? },
            "fan" => {
                let [valence, layers, rings] = with_defaults(name, sizes, [5, 4, 3])?;
                Self::Fan { valence, layers, rings }
            }
            "link-tetrahedron" => link(VertexLink::tetrahedron())?,
            "link-bipyramid3" => link(VertexLink::bipyramid(3)?)?,
            "link-octahedron" => link(VertexLink::octahedron())?,
            "link-3444555" => link(VertexLink::stacked_octahedron())?,
            "link-bipyramid5" => link(VertexLink::bipyramid(5)?)?,
            "link-icosahedron" => link(VertexLink::icosahedron())?,
            "torus" => {
                let [major, core, rings] = with_defaults(name, sizes, [16, 2, 2])?;
                Self::Torus { major, core, rings }
            }
            "cylinder" => {
                let [core, rings, layers] = with_defaults(name, sizes, [4, 2, 8])?;
                Self::Cylinder { core, rings, layers }
            }
            "tripod" => with_defaults(name, sizes, []).map(|[]| Self::Tripod)?,
            "bracket" => with_defaults(name, sizes, []).map(|[]| Self::Bracket)?,
            _ => {
                let names: Vec<&str> = Self::NAMES.iter().map(|known| known.name).collect();
                return Err(Error::request(format!("no shape is named `{name}`"))
                    .with_help(format!("choose one of {}", names.join(", "))));
            }
        };
        shape.check()?;
        Ok(shape)
    }

    /// Number of cells of the mesh, without building it.
    pub fn cells(&self) -> u128 {
        let product = |sizes: &[usize]| {
            sizes.iter().fold(1, |product: u128, &n| product.saturating_mul(n as u128))
        };
        let section = |core: usize, rings: usize| {
            product(&[core, core]).saturating_add(product(&[4, core, rings]))
        };
        match *self {
            Self::Box { cells } => product(&cells),
            Self::Fan { valence, layers, rings } => product(&[valence, layers, rings, rings]),
            Self::Link { ref link, rings } => {
                product(&[link.triangles().len(), rings, rings, rings])
            }
            Self::Torus { major: layers, core, rings } | Self::Cylinder { core, rings, layers } => {
                section(core, rings).saturating_mul(layers as u128)
            }
            Self::Tripod => tripod::CELLS,
            Self::Bracket => bracket::CELLS,
        }
    }

    /// The control mesh.
    ///
    /// # Errors
    /// [`Error::Request`] for a size below its least, more than 2²⁷ cells, or a
    /// link that cannot be laid out on a sphere.
    pub fn build(&self) -> Result<SolidMesh> {
        self.check()?;
        Ok(match *self {
            Self::Box { cells } => grid::build(cells),
            Self::Fan { valence, layers, rings } => fan::build(valence, layers, rings),
            Self::Link { ref link, rings } => link.build(rings)?,
            Self::Torus { major, core, rings } => round::torus(major, core, rings),
            Self::Cylinder { core, rings, layers } => round::cylinder(core, rings, layers),
            Self::Tripod => tripod::build(),
            Self::Bracket => bracket::build(),
        })
    }

    /// Refuses sizes out of range.
    fn check(&self) -> Result<()> {
        // What is counted, how many, at least how many.
        let sizes: &[(&str, usize, usize)] = match *self {
            Self::Box { cells: [x, y, z] } => {
                &[("cells along x", x, 1), ("cells along y", y, 1), ("cells along z", z, 1)]
            }
            Self::Fan { valence, layers, rings } => {
                &[("valence", valence, 3), ("layers", layers, 1), ("rings", rings, 1)]
            }
            Self::Link { rings, .. } => &[("rings", rings, 1)],
            Self::Torus { major, core, .. } => {
                &[("cells around the axis", major, 3), ("cells across the core", core, 1)]
            }
            Self::Cylinder { core, layers, .. } => {
                &[("cells across the core", core, 1), ("layers", layers, 1)]
            }
            Self::Tripod | Self::Bracket => &[],
        };
        if let Some((what, size, least)) = sizes.iter().find(|(_, size, least)| size < least) {
            return Err(Error::request(format!("{what}: {size} is too small"))
                .with_help(format!("give at least {least}")));
        }
        let cells = self.cells();
        if cells > MAX_SHAPE_CELLS {
            return Err(Error::request(format!("the shape would have {cells} cells"))
                .with_help(format!("give sizes of at most {MAX_SHAPE_CELLS} cells together")));
        }
        memory::check(
            format!("the {cells} cells of the shape need"),
            cells * BYTES_A_CELL,
            |memory| {
                format!("give sizes of at most {} cells together", memory / BYTES_A_CELL).into()
            },
        )
    }
}

/// The sizes given, then the defaults of those left out.
fn with_defaults<const N: usize>(
    name: &str,
    given: &[usize],
    defaults: [usize; N],
) -> Result<[usize; N]> {
    if given.len() > N {
        let (count, are) = (given.len(), by_count(given.len(), "is", "are"));
        let sizes = counted(N, "size");
        return Err(Error::request(format!("shape `{name}` takes {sizes}, {count} {are} given"))
            .with_help(format!("give at most {N}")));
    }
    Ok(std::array::from_fn(|i| given.get(i).copied().unwrap_or(defaults[i])))
}
