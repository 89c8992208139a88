//! What a page is colored by first.

use super::ViewOptions;
use super::channel::ColorChannel;
use super::color_source::{CLASS, Color, SCALED};
use super::scene::{Mode, Scene};
use crate::error::{Error, Result};
use crate::mesh::{COLOR, NORMALS};

/// What has colors.
pub enum Coloring {
    /// Cells or faces by class.
    Classes,
    /// Cells or faces by values.
    Cells(ColorChannel, Vec<f64>),
    /// Vertices by an attribute.
    Points(ColorChannel),
    /// Nothing.
    Plain,
}

/// Names of the components of vectors and of symmetric tensors.
const COMPONENTS: [&[&str]; 2] = [&["x", "y", "z"], &["xx", "yy", "zz", "xy", "yz", "xz"]];

impl Scene {
    /// What the page shows first: colors, unit and upright.
    ///
    /// # Errors
    /// [`Error::Request`] if there is no such array.
    pub fn first_view(&mut self, options: &ViewOptions) -> Result<()> {
        (self.map, self.unit, self.up) = (options.map, options.unit, options.up);
        self.choose_color(options.color.as_deref())
    }

    /// What there is but the arrays, by the names in pages.
    fn own_colors(&self) -> Vec<(String, Color)> {
        let of = match self.mode {
            Mode::Solid | Mode::Linear => "cell",
            Mode::Surface | Mode::Triangles => "face",
        };
        let classes = (!self.classes.is_empty()).then(|| {
            [CLASS.to_owned(), format!("class of {of}")].map(|name| (name, Color::Classes))
        });
        let layers = (!self.layers_of_cells.is_empty())
            .then(|| ("layer of cells".to_owned(), Color::Layers));
        let numbers = (format!("number of {of}"), Color::Numbers);
        let others = [numbers, ("one color".to_owned(), Color::Plain)];
        classes.into_iter().flatten().chain(layers).chain(others).collect()
    }

    /// What is shown where nothing is asked for: classes of cells, or the scaled Jacobian where one
    /// is below 0 or there are no classes; the first array of polygons that says more than how they
    /// look; one color of other surfaces.
    fn first_color(&self) -> Color {
        let channel = |is_it: &dyn Fn(&ColorChannel) -> bool| {
            self.channels.iter().position(is_it).map_or(Color::Plain, Color::Channel)
        };
        match self.mode {
            Mode::Solid if self.folded == 0 => Color::Classes,
            Mode::Solid | Mode::Linear => channel(&|c| c.section == SCALED),
            Mode::Triangles => channel(&|c| ![NORMALS, COLOR].contains(&&*c.name)),
            Mode::Surface => Color::Plain,
        }
    }

    /// The component that a name such as `displacement_x` or `stress_xx` means.
    fn component(&self, name: &str) -> Option<usize> {
        let (array, end) = name.rsplit_once('_')?;
        let is_own = |channel: &ColorChannel| channel.name == array && channel.component.is_some();
        let own: Vec<usize> =
            (0..self.channels.len()).filter(|&i| is_own(&self.channels[i])).collect();
        let names = COMPONENTS.iter().find(|names| names.len() == own.len())?;
        own.get(names.iter().position(|&name| name == end)?).copied()
    }

    /// Takes an array for colors, by its name, of several components with the component as in
    /// `v [1]` or `v_y` (`stress_xx` of six), or what else pages color by. The first of a name is taken, arrays before others;
    /// without a name what [`Scene::first_color`] says.
    ///
    /// # Errors
    /// [`Error::Request`] if there is none.
    pub fn choose_color(&mut self, name: Option<&str>) -> Result<()> {
        let Some(name) = name else {
            self.color = self.first_color();
            return Ok(());
        };
        let is_named = |name: &str| self.channels.iter().position(|channel| channel.name == name);
        let is_labeled = |name: &str| self.channels.iter().position(|c| c.label() == name);
        // groups go by their names alone, too
        let channel = is_named(name)
            .or_else(|| is_labeled(name))
            .or_else(|| self.component(name))
            .or_else(|| is_named(&format!("group:{name}")));
        let others = self.own_colors();
        let other = || others.iter().find(|(other, _)| other == name).map(|&(_, color)| color);
        if let Some(color) = channel.map(Color::Channel).or_else(other) {
            self.color = color;
            return Ok(());
        }
        let arrays = self.channels.iter().map(|c| c.label().into_owned());
        let mut names: Vec<String> =
            arrays.chain(others.into_iter().map(|(name, _)| name)).collect();
        names.dedup();
        Err(Error::request(format!("the model has no array `{name}`"))
            .with_help(format!("the model has {}", names.join(", "))))
    }

    /// What [`Scene::choose_color`] took; `parents`: the cells or faces shown.
    pub fn chosen(&self, parents: &[u32]) -> Coloring {
        let numbered = |name: &str, values: Vec<f64>| {
            let high = values.iter().copied().fold(1.0, f64::max);
            let (component, on, integers) = (None, "cell", false);
            let (name, section) = (name.to_owned(), String::new());
            Coloring::Cells(
                ColorChannel { name, component, on, section, low: 0.0, high, integers },
                values,
            )
        };
        match self.color {
            Color::Layers => {
                numbered("layer", self.layers_of_cells.iter().copied().map(f64::from).collect())
            }
            Color::Numbers => {
                let shown = parents.iter().max().map_or(0, |&most| most as usize + 1);
                let count = shown.max(self.layers_of_cells.len());
                numbered("number", (0..count).map(|n| n as f64).collect())
            }
            Color::Channel(channel) => {
                let channel = self.channels[channel].clone();
                match channel.on {
                    "cell" => {
                        let values = self.shell.read(&channel.section);
                        Coloring::Cells(channel, values)
                    }
                    _ => Coloring::Points(channel),
                }
            }
            Color::Classes => Coloring::Classes,
            Color::Plain => Coloring::Plain,
        }
    }
}
