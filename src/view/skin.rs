//! What a page shows, as polygons with normals and colors: for files of other programs.

use std::collections::HashMap;

use super::channel::ColorChannel;
use super::color::{ColorMap, Scale};
use super::color_choice::Coloring;
use super::color_source::Color;
use super::scene::{Mode, Scene};
use super::{check_not_empty, classes, layers, mesh, quality, samples};
use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::{Attribute, NORMALS, Polygons, SolidMesh, SurfaceMesh};
use crate::scheme::Scheme;
use crate::surface::limit::{FaceClass, LimitSurface};
use crate::surface::{boundary_cells, boundary_with_topology};
use crate::topology::Topology;

/// What a surface is colored by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// Nothing.
    #[default]
    None,
    /// What pages show first: the class of cells, or the scaled Jacobian where one is below 0; the
    /// first array of polygons; nothing of other surfaces.
    First,
    /// What [`ViewOptions::color`](super::ViewOptions::color) names.
    Array(String),
}

/// How a [`SkinPolygons`] is made.
#[derive(Clone, Debug)]
pub struct SkinOptions {
    /// Samples along each edge of a face of the limit, ends included, 2 to 32.
    pub samples: usize,
    /// Samples along each axis of a cell at which Jacobians are looked at.
    pub jacobian_samples: usize,
    /// What it is colored by.
    pub paint: Paint,
    /// Colors of a range of values.
    pub map: ColorMap,
}

impl Default for SkinOptions {
    fn default() -> Self {
        let (paint, map) = (Paint::default(), ColorMap::default());
        Self { samples: 9, jacobian_samples: 5, paint, map }
    }
}

/// The boundary of a solid, or a surface, as polygons.
#[derive(Clone, Debug)]
pub struct SkinPolygons {
    /// Polygons with the attributes of the model and the normals of the limit.
    pub surface: SurfaceMesh,
    /// Red, green and blue of each vertex, 0 to 1 in sRGB; empty for [`Paint::None`].
    pub colors: Vec<[f32; 3]>,
}

impl SkinPolygons {
    /// The boundary of the limit of a solid.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) for a defect of the mesh or its creases;
    /// [`Error::Request`](crate::Error::Request) for an unknown array and samples out of range.
    pub fn of_solid(mesh: &SolidMesh, options: &SkinOptions) -> Result<Self> {
        check_not_empty(mesh.cells.len(), "cells")?;
        Self::with_topology(mesh, Topology::of_mesh(mesh)?, options)
    }

    /// The boundary of the limit of a solid whose topology ([`Topology::of_mesh`]) is known.
    ///
    /// # Errors
    /// As [`SkinPolygons::of_solid`].
    pub fn with_topology(
        mesh: &SolidMesh,
        topology: Topology,
        options: &SkinOptions,
    ) -> Result<Self> {
        if options.paint != Paint::None || topology.has_ghosts() {
            return Self::of_analyzed(mesh, &Solid::with_topology(mesh, topology)?, options);
        }
        let (surface, _) = sampled_boundary(mesh, &topology, options.samples)?;
        Ok(Self { surface, colors: Vec::new() })
    }

    /// The boundary of the limit of a solid that is analyzed already, and the mesh that it was made
    /// of.
    ///
    /// # Errors
    /// As [`SkinPolygons::of_solid`].
    pub fn of_analyzed(mesh: &SolidMesh, solid: &Solid, options: &SkinOptions) -> Result<Self> {
        check_not_empty(mesh.cells.len(), "cells")?;
        let topology = solid.topology();
        let (surface, parents) = if topology.has_ghosts() {
            samples::of_faces(solid, mesh, options.samples)?
        } else {
            let (surface, faces) = sampled_boundary(mesh, topology, options.samples)?;
            let cells = boundary_cells(topology);
            (surface, faces.iter().map(|&f| cells[f as usize]).collect())
        };
        if options.paint == Paint::None {
            return Ok(Self { surface, colors: Vec::new() });
        }
        let mut scene = Scene::new(Mode::Solid, "", mesh.bounds());
        quality::of_limit(solid, mesh, options.jacobian_samples)?.push(&mut scene);
        push_attributes(&mut scene, &surface);
        scene.push_cell_data(&mesh.cell_data);
        scene.push_classes(classes(solid));
        scene.push_layers(layers::layers(topology));
        Self::painted(surface, &parents, scene, options)
    }

    /// The boundary of cells as they are.
    ///
    /// # Errors
    /// As [`boundary_with_topology`]; [`Error::Request`](crate::Error::Request) for an
    /// unknown array.
    pub fn of_cells(mesh: &SolidMesh, options: &SkinOptions) -> Result<Self> {
        check_not_empty(mesh.cells.len(), "cells")?;
        let mesh = &*mesh.without_ghosts();
        let topology = Topology::of_mesh(mesh)?;
        let surface = boundary_with_topology(mesh, &topology)?;
        if options.paint == Paint::None {
            return Ok(Self { surface, colors: Vec::new() });
        }
        let mut scene = Scene::new(Mode::Linear, "", mesh.bounds());
        quality::of_cells(mesh, &topology, options.jacobian_samples).push(&mut scene);
        scene.push_attributes(&mesh.attributes, &mesh.used_vertices());
        scene.push_cell_data(&mesh.cell_data);
        scene.push_layers(layers::layers(&topology));
        Self::painted(surface, &boundary_cells(&topology), scene, options)
    }

    /// The limit of a surface, or the surface refined `levels` times by a scheme without patches.
    ///
    /// # Errors
    /// As [`crate::surface::refine_surface`]; [`Error::Request`](crate::Error::Request) for an
    /// unknown array and samples out of range.
    pub fn of_surface(
        mesh: &SurfaceMesh,
        scheme: Scheme,
        levels: usize,
        options: &SkinOptions,
    ) -> Result<Self> {
        check_not_empty(mesh.faces.len(), "faces")?;
        mesh.check()?;
        if !scheme.is_bicubic() {
            let (mut fine, normals) = mesh::refined(mesh, scheme, levels)?;
            if let Some(normals) = normals {
                fine.set_normals(normals);
            }
            return Self::of_polygons(fine.without_holes().into_owned(), options);
        }
        let limit = LimitSurface::of_mesh(mesh, scheme)?;
        let (surface, faces) = samples::sampled(&limit, mesh, options.samples)?;
        let mut scene = Scene::new(Mode::Surface, "", mesh.bounds());
        push_attributes(&mut scene, &surface);
        let classes = limit.classes().iter().copied().map(FaceClass::number);
        scene.push_classes(classes.collect());
        Self::painted(surface, &faces, scene, options)
    }

    /// Polygons as they are.
    ///
    /// # Errors
    /// As [`SurfaceMesh::check`]; [`Error::Request`](crate::Error::Request) for an unknown
    /// array.
    pub fn of_polygons(surface: SurfaceMesh, options: &SkinOptions) -> Result<Self> {
        check_not_empty(surface.faces.len(), "faces")?;
        surface.check()?;
        let mut scene = Scene::new(Mode::Triangles, "", surface.bounds());
        push_attributes(&mut scene, &surface);
        let faces: Vec<u32> = (0..surface.faces.len() as u32).collect();
        Self::painted(surface, &faces, scene, options)
    }

    /// Colors a surface whose polygons belong to cells or faces of the model, `parents`.
    fn painted(
        surface: SurfaceMesh,
        parents: &[u32],
        mut scene: Scene,
        options: &SkinOptions,
    ) -> Result<Self> {
        match &options.paint {
            Paint::Array(name) => scene.choose_color(Some(name))?,
            Paint::First => scene.choose_color(None)?,
            Paint::None => scene.color = Color::Plain,
        }
        let colors: Vec<_> = match scene.chosen(parents) {
            Coloring::Plain => return Ok(Self { surface, colors: Vec::new() }),
            Coloring::Points(channel) => {
                let colors = of_vertices(&surface, &channel, options.map);
                return Ok(Self { surface, colors });
            }
            Coloring::Classes => {
                let classes = scene.classes.iter();
                classes.map(|&c| Scale::Categories.color(c.into())).collect()
            }
            Coloring::Cells(channel, values) => {
                let scale = Scale::of(&channel, &values, options.map);
                values.iter().map(|&value| scale.color(value)).collect()
            }
        };
        Ok(split(surface, parents, &colors))
    }
}

/// The limit of a boundary at samples, and the boundary face of each of its faces.
fn sampled_boundary(
    mesh: &SolidMesh,
    topology: &Topology,
    samples: usize,
) -> Result<(SurfaceMesh, Vec<u32>)> {
    let control = boundary_with_topology(mesh, topology)?;
    let limit = LimitSurface::of_mesh(&control, Scheme::OF_BOUNDARIES)?;
    samples::sampled(&limit, &control, samples)
}

/// Colors by a component of an attribute.
fn of_vertices(surface: &SurfaceMesh, channel: &ColorChannel, map: ColorMap) -> Vec<[f32; 3]> {
    let attribute = surface.attributes.iter().find(|attribute| attribute.name == channel.name);
    let component = channel.component.unwrap_or(0);
    let values = attribute.iter().flat_map(|a| a.values.iter().skip(component).step_by(a.width));
    let scale = Scale::of(channel, &[], map);
    values.map(|&value| scale.color(value)).collect()
}

/// Gives every polygon the color of its parent; vertices where colors meet are taken apart.
fn split(surface: SurfaceMesh, parents: &[u32], colors: &[[f32; 3]]) -> SkinPolygons {
    let mut numbers: HashMap<(u32, [u32; 3]), u32> = HashMap::new();
    let (mut sources, mut found, mut faces) = (Vec::new(), Vec::new(), Polygons::default());
    for (face, &parent) in surface.faces.iter().zip(parents) {
        let color = colors[parent as usize];
        let corners = face.iter().map(|&v| {
            *numbers.entry((v, color.map(f32::to_bits))).or_insert_with(|| {
                sources.push(v as usize);
                found.push(color);
                sources.len() as u32 - 1
            })
        });
        faces.push(&corners.collect::<Vec<u32>>());
    }
    let points = sources.iter().map(|&v| surface.points[v]).collect();
    let attributes = surface.attributes.iter().map(|attribute| {
        let row = |&v: &usize| &attribute.values[v * attribute.width..][..attribute.width];
        let values = sources.iter().flat_map(row).copied().collect();
        Attribute { values, ..Attribute::clone(attribute) }
    });
    let mut split = SurfaceMesh::new(points, faces);
    split.attributes = attributes.collect();
    SkinPolygons { surface: split, colors: found }
}

/// Adds the attributes of the drawn surface, but for its normals.
fn push_attributes(scene: &mut Scene, surface: &SurfaceMesh) {
    let shown = |attribute: &&Attribute| attribute.name != NORMALS;
    let attributes: Vec<Attribute> = surface.attributes.iter().filter(shown).cloned().collect();
    scene.push_attributes(&attributes, &surface.used_vertices());
}
