//! Surfaces that bound a volume.

use std::borrow::Cow;

use crate::error::IdKind::Face;
use crate::error::{Error, Message, Result};
use crate::error::{edge, option};
use crate::mesh::{Polygons, SurfaceMesh, UnionFind, marked_vertices, used_rows};
use crate::numbers::by_count;
use crate::scheme::Scheme;
use crate::surface::limit::LimitSurface;
use crate::surface::triangulate::{Triangulation, without_concave_faces};
use crate::surface::{
    NestedShells, OrientedShells, inner_wall, orient, separate_edges, separate_parts, t_junction,
};
use crate::topology::NONE;
use crate::topology::surface::{Columns, SurfaceTopology, is_inconsistent};

/// A closed, oriented surface ready to be [sliced](crate::slice::Slicer::of_surface): at every edge
/// meet two faces, which run through it in opposite directions.
///
/// It depends on faces and creases only, not on where control points are.
#[derive(Debug)]
pub struct ClosedSurface {
    pub(in crate::slice) topology: SurfaceTopology,
    // none of a bilinear surface: faces are as they are
    pub(in crate::slice) limit: Option<LimitSurface>,
    // of each face
    pub(in crate::slice) shells: Vec<u32>,
    // the face of the mesh that each face is part of; empty if they are the faces of the mesh
    of_mesh: Vec<u32>,
    // what was changed before the limit was taken
    notice: Option<String>,
}

/// A mesh made ready to be sliced, and what was done to it.
#[derive(Debug)]
pub struct PreparedSurface {
    /// The mesh: faces outward, parts that touch separated.
    pub mesh: SurfaceMesh,
    /// Its faces, analyzed.
    pub surface: ClosedSurface,
    /// Its shells, and which faces were turned.
    pub shells: OrientedShells,
    /// Number of edges at which parts were separated.
    pub separated: usize,
}

impl PreparedSurface {
    /// What was changed, and what may not be meant.
    pub fn notices(&self) -> impl Iterator<Item = Message> {
        let turned = self.shells.reversed().map(|what| message!("turned outward: ", what));
        let cut = self.surface.notice.clone().map(Message::from);
        turned.into_iter().chain(self.shells.notices()).chain(cut)
    }
}

impl ClosedSurface {
    /// Turns the faces of a mesh outward ([`orient`]), gives parts that touch vertices of their own
    /// where the scheme is linear ([`separate_parts`]), and analyzes it.
    ///
    /// # Errors
    /// As [`orient`] and [`ClosedSurface::new`].
    pub fn prepare(mut mesh: SurfaceMesh, scheme: Scheme) -> Result<PreparedSurface> {
        let shells = orient(&mut mesh, NestedShells::Keep)?;
        let separate = scheme.is_linear().then(|| separate_parts(&mesh)).flatten();
        let (mesh, separated) = separate.unwrap_or((mesh, 0));
        let surface = Self::new(&mesh, scheme)?;
        Ok(PreparedSurface { mesh, surface, shells, separated })
    }

    /// Analyzes a surface under a scheme whose limit is known ([`Scheme::has_limit`]). Schemes for
    /// triangles cut polygons into triangles. A linear scheme leaves triangles as they are, cuts
    /// concave planar polygons, and takes an edge at which parts touch for one of each part.
    ///
    /// # Errors
    /// As [`LimitSurface::of_mesh`]; [`Error::Request`] for a scheme without limit;
    /// [`Error::Mesh`], with the vertices of an edge, for a surface that is not closed, an edge of
    /// three or more faces, and faces that are inconsistently oriented; for holes.
    pub fn new(mesh: &SurfaceMesh, scheme: Scheme) -> Result<Self> {
        if !scheme.has_limit() {
            let name = scheme.rules().name();
            return Err(Error::request(format!(
                "layers by {name}: its limit surface is not known"
            ))
            .with_help(format!("take {}", Scheme::names(Scheme::has_limit))));
        }
        mesh.check()?;
        mesh.check_control()?;
        if let Some(hole) = mesh.holes.first() {
            return Err(Error::mesh(message!(
                Face.id(*hole),
                " is tagged as a hole: nothing is inside"
            ))
            .with_help("remove the tag, so that the surface is closed"));
        }
        let triangulation = Triangulation::of(mesh, scheme);
        let triangles = triangulation.as_ref().map(|cut| cut.triangles(mesh)).transpose()?;
        let mesh = triangles.as_ref().unwrap_or(mesh);
        let (topology, of_mesh, limit) = if scheme.is_linear() {
            let (topology, of_mesh) = linear_topology(mesh, scheme)?;
            (topology, of_mesh, None)
        } else {
            let topology = SurfaceTopology::of(mesh);
            check_closed(&topology, mesh, scheme)?;
            let of_mesh = triangulation.as_ref().map(|cut| cut.of_faces().to_vec());
            let limit = LimitSurface::of_mesh(mesh, scheme)?;
            (topology, of_mesh.unwrap_or_default(), Some(limit))
        };
        let shells = shells(&topology);
        Ok(Self {
            topology,
            limit,
            shells,
            of_mesh,
            notice: triangulation.as_ref().map(Triangulation::notice),
        })
    }

    /// Number of control points.
    pub fn vertex_count(&self) -> usize {
        self.topology.vertex_count
    }

    /// The coordinates of the vertices of faces.
    pub(in crate::slice) fn spanning<'a>(&self, points: &'a [[f64; 3]]) -> Cow<'a, [f64]> {
        let used = marked_vertices(points.len(), &self.topology.vertices);
        used_rows(points.as_flattened(), 3, &used)
    }

    /// The face of the mesh that a face is part of.
    pub(in crate::slice) fn face_of_mesh(&self, face: u32) -> u32 {
        self.of_mesh.get(face as usize).copied().unwrap_or(face)
    }
}

/// The faces of a linear surface, concave ones cut, and the face of the mesh that each is part of.
fn linear_topology(mesh: &SurfaceMesh, scheme: Scheme) -> Result<(SurfaceTopology, Vec<u32>)> {
    let closed = |faces: &Polygons| {
        let (count, columns) = (mesh.points.len(), Columns::of(faces));
        let mut topology = SurfaceTopology::build(count, columns, faces.vertices().to_vec());
        separate_edges(&mesh.points, &mut topology);
        check_closed(&topology, mesh, scheme).map(|()| topology)
    };
    let whole = closed(&mesh.faces)?;
    match without_concave_faces(mesh) {
        Some((faces, of_mesh)) => Ok((closed(&faces)?, of_mesh)),
        None => Ok((whole, Vec::new())),
    }
}

/// Refuses edges that do not have two faces in opposite directions.
fn check_closed(topology: &SurfaceTopology, mesh: &SurfaceMesh, scheme: Scheme) -> Result<()> {
    // vertices of STL have places only
    let course = |[a, b]: [u32; 2]| {
        let [[x, y, z], [p, q, r]] = [a, b].map(|v| mesh.points[v as usize]);
        format!("it runs from ({x} {y} {z}) to ({p} {q} {r})")
    };
    let face = |corner: u32| topology.columns.face(corner);
    let open = || (0..).zip(&topology.edge_corners).filter(|(_, corners)| corners[1] == NONE);
    if let Some((open_edge, &[corner, _])) = open().next() {
        let closing = mesh.closing_distance();
        if closing.is_none()
            && let Some(junction) = t_junction(&mesh.points, topology)
        {
            return Err(Error::mesh(message!("the surface is not closed: ", junction)).with_help(
                "give the face that vertex as a corner, in its place between the ends of the edge",
            ));
        }
        let ends = topology.edge_ends(open_edge);
        let more = match open().count() - 1 {
            0 => String::new(),
            1 => ", as 1 more edge has".into(),
            more => format!(", as {more} more edges have"),
        };
        return Err(Error::mesh(message!(
            "the surface is not closed: ",
            edge(ends),
            " has one face alone (",
            Face.id(face(corner)),
            "){more}; ",
            course(ends)
        ))
        .with_help(match closing {
            Some(distance) => message!(
                option("weld", format!("{distance:e}")),
                " joins vertices that lie so near one another, which closes it"
            ),
            None => "fill its holes; a sheet encloses nothing".into(),
        }));
    }
    if let Some(&non_manifold) = topology.non_manifold_edges.first() {
        let ends = topology.edge_ends(non_manifold);
        let corners = topology.edges.iter().filter(|&&e| e == non_manifold).count();
        if let Some(wall) = inner_wall(&mesh.points, topology) {
            return Err(Error::mesh(message!(
                Face.first_ids(wall.iter().copied()),
                by_count(wall.len(), " is an inner wall", " are an inner wall"),
                ", with the inside on both sides: ",
                edge(ends),
                " has {corners} faces, not two; ",
                course(ends)
            ))
            .with_help("remove the wall"));
        }
        return Err(Error::mesh(message!(
            edge(ends),
            " has {corners} faces, not two; ",
            course(ends)
        ))
        .with_help(if scheme.is_linear() {
            "as many faces must run through the edge in one direction as in the other: \
                     remove repeated faces, fill holes, or give each of the parts that meet there \
                     vertices of its own"
                .into()
        } else {
            message!(
                "give each of the parts that meet there vertices of its own, slice them one by \
                 one, or as they are by ",
                option("scheme", "linear"),
                ", where as many faces run through the edge in one direction as in the other; \
                 remove repeated faces"
            )
        }));
    }
    if let Some(inconsistent) =
        (0..topology.edge_count() as u32).find(|&edge| is_inconsistent(topology, edge))
    {
        let [a, b] = topology.edge_ends(inconsistent);
        let faces = topology.edge_corners[inconsistent as usize].map(face);
        return Err(Error::mesh(message!(
            Face.ids(faces),
            " run through ",
            edge([a, b]),
            " in the same direction; ",
            course([a, b])
        ))
        .with_help("list the corners of all faces counter-clockwise, seen from outside"));
    }
    Ok(())
}

/// The shell that each face belongs to, numbered by their first faces: faces that are connected
/// by edges.
fn shells(topology: &SurfaceTopology) -> Vec<u32> {
    let mut joined = UnionFind::new(topology.face_count);
    for corners in &topology.edge_corners {
        let [a, b] = corners.map(|corner| topology.columns.face(corner));
        joined.join(a, b);
    }
    // roots are first faces
    let mut shells = joined.roots();
    let mut count = 0;
    for face in 0..shells.len() {
        let root = shells[face] as usize;
        shells[face] = if root == face { count } else { shells[root] };
        count += u32::from(root == face);
    }
    shells
}
