//! Pages: one HTML file that shows a solid or a surface in any browser, without a network.
//!
//! ```text
//! SolidMesh ───▶ shell (bicubic patches), interior (tricubic pieces) ─┐
//! SurfaceMesh ─▶ shell, or triangles where a scheme has no patches ───┼─▶ scene ─▶ Page ─▶ .html
//!                lines, Jacobians, layers of cells, arrays ───────────┘
//! ```
//!
//! A page holds control points, not samples: the browser evaluates the limit in its vertex shader,
//! so that the file does not grow with fineness and a close view stays smooth. Patches are exact
//! but for the last one at each extraordinary vertex or edge, which interpolates the limit; the
//! largest distance is in [`Page::error`] and shown on the page. Control points are rounded to a
//! lattice of 2⁻¹⁶ of the patch's extent (inside, of 2⁻¹⁸ of the model's size where that is more).
//! Positions in a page are relative to the center and over the size of the model, so that all sizes
//! are drawn alike; attributes are in single precision about a base in each patch, arrays of cells
//! in double precision.
//!
//! The browser's part stands in `page/`: sources in `page/src`, the template `page.html`, and
//! `bundle.js`, which `npm run build` makes of the sources and three.js.
//!
//! ```
//! # let directory = tempfile::tempdir().unwrap();
//! # let output = directory.path().join("bracket.html");
//! use subsolid::view::{Page, ViewOptions};
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let page = Page::of_solid(&mesh, &ViewOptions::titled("bracket"))?;
//! assert!(page.worst().unwrap().scaled_jacobian >= 0.0);
//! page.write(&output)?;
//! # Ok::<(), subsolid::Error>(())
//! ```

mod boundary_map;
mod channel;
mod color;
mod color_choice;
mod color_source;
mod document;
mod faces;
mod html;
mod interior;
mod lattice;
mod layers;
mod linear;
mod lines;
mod mesh;
mod options;
mod quality;
mod samples;
mod scene;
mod shell;
mod skin;
mod slices;
mod square;
mod values;

use std::fmt::Display;
use std::path::Path;

use crate::error::{Error, Result};
use crate::io::atomic;
use crate::limit::Solid;
use crate::mesh::{SolidMesh, SurfaceMesh};
use crate::scheme::Scheme;
use crate::surface::boundary_with_topology;
use crate::surface::limit::{FaceClass, LimitSurface};
use crate::topology::{Orientation, Topology};

pub use color::ColorMap;
pub use document::document;
pub use html::escaped;
pub use options::ViewOptions;
pub use scene::FigureTable;
pub use scene::WorstCell;
use scene::{Mode, Scene};
pub use skin::{Paint, SkinOptions, SkinPolygons};
pub use slices::SliceImages;

/// A page, complete in memory.
#[derive(Debug)]
pub struct Page {
    scene: Scene,
}

impl Page {
    /// The limit of a solid.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a defect of the mesh or its creases; [`Error::Request`] for options out
    /// of range, an unknown array, and more pieces than a page holds.
    pub fn of_solid(mesh: &SolidMesh, options: &ViewOptions) -> Result<Self> {
        options.check()?;
        check_not_empty(mesh.cells.len(), "cells")?;
        Self::of_analyzed(mesh, &Solid::new(mesh)?, options)
    }

    /// The limit of a solid that is analyzed already, and the mesh that it was made of.
    ///
    /// # Errors
    /// As [`Page::of_solid`].
    pub fn of_analyzed(mesh: &SolidMesh, solid: &Solid, options: &ViewOptions) -> Result<Self> {
        options.check()?;
        check_not_empty(mesh.cells.len(), "cells")?;
        let topology = solid.topology();
        let orientation = Orientation::new(topology, &mesh.points)?;
        let mut scene = Scene::new(Mode::Solid, &options.title, mesh.without_ghosts().bounds());
        let surface = if topology.has_ghosts() {
            faces::push(&mut scene, solid, mesh, (&orientation, options.rings))?;
            None
        } else {
            let surface = boundary_with_topology(mesh, topology)?;
            let limit = LimitSurface::of_mesh(&surface, Scheme::OF_BOUNDARIES)?;
            let map = boundary_map::boundary_map(solid, &orientation, &limit, &surface);
            shell::push(&mut scene, &limit, &surface, options.rings, Some(&map))?;
            Some((surface, limit))
        };
        scene.push_elements(solid.elements().iter().map(|e| (e.cell, e.corner)));
        if options.interior {
            interior::push(&mut scene, solid, mesh, options.interior_rings)?;
        }
        scene.push_classes(classes(solid));
        scene.push_layers(layers::layers(topology));
        quality::of_limit(solid, mesh, options.samples)?.push(&mut scene);
        scene.push_attributes(&mesh.attributes, &mesh.used_vertices());
        scene.push_cell_data(&mesh.cell_data);
        lines::push_control_edges(&mut scene, topology, &mesh.points);
        if let Some((surface, limit)) = surface {
            lines::push_creases(&mut scene, &limit, &surface)?;
        }
        lines::push_singular_edges(&mut scene, solid, mesh)?;
        scene.solid_figures(mesh, topology, Some(solid));
        scene.first_view(options)?;
        Ok(Self { scene })
    }

    /// Cells as they are, hexahedra trilinear: what an evaluation or a comparison wrote. Polyhedra
    /// are linear between their faces and the mean of their vertices.
    ///
    /// # Errors
    /// As [`Topology::of_mesh`]; [`Error::Request`] as
    /// [`Page::of_solid`].
    pub fn of_cells(mesh: &SolidMesh, options: &ViewOptions) -> Result<Self> {
        options.check()?;
        check_not_empty(mesh.cells.len(), "cells")?;
        let topology = Topology::of_mesh(mesh)?;
        let mut scene = Scene::new(Mode::Linear, &options.title, mesh.bounds());
        linear::push(&mut scene, mesh, &topology);
        scene.push_layers(layers::layers(&topology));
        quality::of_cells(mesh, &topology, options.samples).push(&mut scene);
        scene.push_attributes(&mesh.attributes, &mesh.used_vertices());
        scene.push_cell_data(&mesh.cell_data);
        scene.solid_figures(mesh, &topology, None);
        scene.first_view(options)?;
        Ok(Self { scene })
    }

    /// The limit of a surface. Catmull-Clark surfaces are patches; by the other schemes the
    /// surface is refined `levels` times, and shown as triangles with the normals of the limit
    /// where the scheme has them.
    ///
    /// # Errors
    /// As [`crate::surface::refine_surface`]; [`Error::Request`] as [`Page::of_solid`].
    pub fn of_surface(
        mesh: &SurfaceMesh,
        scheme: Scheme,
        levels: usize,
        options: &ViewOptions,
    ) -> Result<Self> {
        options.check()?;
        check_not_empty(mesh.faces.len(), "faces")?;
        mesh.check()?;
        if !scheme.is_bicubic() {
            let (fine, normals) = mesh::refined(mesh, scheme, levels)?;
            let mut page = mesh::page(&fine, normals, options)?;
            page.scene.error = None;
            return Ok(page);
        }
        let limit = LimitSurface::of_mesh(mesh, scheme)?;
        let mut scene = Scene::new(Mode::Surface, &options.title, mesh.bounds());
        shell::push(&mut scene, &limit, mesh, options.rings, None)?;
        scene.push_elements(limit.elements().iter().map(|e| (e.face, e.corner.map(|c| c as u8))));
        let classes: Vec<u8> = limit.classes().iter().copied().map(FaceClass::number).collect();
        scene.push_classes(classes);
        scene.push_attributes(&mesh.attributes, &mesh.used_vertices());
        lines::push_surface_edges(&mut scene, mesh);
        lines::push_creases(&mut scene, &limit, mesh)?;
        scene.surface_figures(mesh);
        scene.first_view(options)?;
        Ok(Self { scene })
    }

    /// Polygons as they are.
    ///
    /// # Errors
    /// As [`SurfaceMesh::check`]; [`Error::Request`] as [`Page::of_solid`].
    pub fn of_polygons(mesh: &SurfaceMesh, options: &ViewOptions) -> Result<Self> {
        options.check()?;
        mesh.check()?;
        check_not_empty(mesh.faces.len(), "faces")?;
        mesh::page(mesh, None, options)
    }

    /// Adds the layers of a printing job, the images that `slice --png` wrote with their manifest
    /// into `folder`. Above 400 layers every n-th is taken; of layers of several images the first
    /// is. Returns what they are of.
    ///
    /// # Errors
    /// [`Error::File`] for a folder without a complete manifest, and images that cannot be read.
    pub fn add_slices(&mut self, folder: &Path) -> Result<SliceImages> {
        slices::push(&mut self.scene, folder)
    }

    /// Adds figures of a report, above all other controls.
    pub fn add_table(&mut self, table: FigureTable) {
        self.scene.tables.push(table);
    }

    /// Largest estimated distance of a shown patch of the boundary from the limit, in length
    /// units; 0 for a shape shown as it is, `None` for triangles that stand for a limit.
    pub fn error(&self) -> Option<f64> {
        self.scene.error
    }

    /// The cell with the least scaled Jacobian; `None` for surfaces.
    pub fn worst(&self) -> Option<WorstCell> {
        self.scene.worst.first().copied()
    }

    /// The whole page.
    ///
    /// # Errors
    /// [`Error::Request`] if the page cannot be put together.
    pub fn to_html(&self) -> Result<String> {
        let failed = |e: &dyn Display| Error::request(format!("the page cannot be made: {e}"));
        let mut bytes = Vec::new();
        html::write(&self.scene, &mut bytes).map_err(|e| failed(&e))?;
        String::from_utf8(bytes).map_err(|e| failed(&e))
    }

    /// Writes the page; the bytes that it has.
    ///
    /// # Errors
    /// As [`atomic::write`].
    pub fn write(&self, path: impl AsRef<Path>) -> Result<u64> {
        let path = path.as_ref();
        let mut bytes = 0;
        atomic::write(path, |out| {
            bytes =
                html::write(&self.scene, out).map_err(|source| atomic::refused(path, source))?;
            Ok(())
        })?;
        Ok(bytes)
    }
}

fn check_not_empty(count: usize, what: &str) -> Result<()> {
    if count > 0 {
        return Ok(());
    }
    Err(Error::mesh(format!("the model has no {what}: there is nothing to show"))
        .with_help(format!("give a model with {what}")))
}

fn classes(solid: &Solid) -> Vec<u8> {
    solid.classes().iter().map(|class| class.number()).collect()
}
