//! Channels by name: which attributes and cell arrays of a model are asked for.

use super::source::Channel;
use crate::error::{Error, Result};
use crate::mesh::{Attribute, CellArray, SolidMesh};

/// The attributes and the cell arrays of a mesh that have some of these names, whole.
///
/// # Errors
/// As [`Channel::choose`]; [`Error::Request`] for a name that vertices and cells have.
pub fn named_arrays(names: &[&str], mesh: &SolidMesh) -> Result<(Vec<Attribute>, Vec<CellArray>)> {
    let (of_points, of_cells) = (Channel::of(&mesh.attributes), Channel::of_cells(&mesh.cell_data));
    for name in names {
        let has = |channels: &[Channel]| channels.iter().any(|channel| channel.is_named(name));
        if has(&of_points) && has(&of_cells) {
            return Err(Error::request(format!("vertices and cells have an array {name:?}"))
                .with_help("rename one of them"));
        }
    }
    let channels: Vec<Channel> = of_points.into_iter().chain(of_cells).collect();
    let wanted: Vec<_> = names.iter().map(|&name| (name, None)).collect();
    let chosen = Channel::choose(&wanted, &channels)?;
    let is_chosen = |name: &str| chosen.iter().any(|&(i, _)| channels[i].attribute == name);
    let attributes = mesh.attributes.iter().filter(|attribute| is_chosen(&attribute.name));
    let arrays = mesh.cell_data.iter().filter(|array| is_chosen(Channel::attribute_of(array)));
    Ok((attributes.cloned().collect(), arrays.cloned().collect()))
}

impl Channel {
    /// Whether `name` names the channel, or all components of its attribute.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.attribute == name
    }

    /// Places among the channels of those that are wanted by name, each with the values that are
    /// black and white: those wanted, or the channel's range. A name of several components stands
    /// for all of them.
    ///
    /// # Errors
    /// [`Error::Request`] for names that no channel has, and for a channel that is wanted twice.
    pub fn choose(
        wanted: &[(&str, Option<[f64; 2]>)],
        channels: &[Self],
    ) -> Result<Vec<(usize, [f64; 2])>> {
        let mut chosen: Vec<(usize, [f64; 2])> = Vec::new();
        for &(name, range) in wanted {
            let named = |name: &str| -> Vec<usize> {
                (0..channels.len()).filter(|&c| channels[c].is_named(name)).collect()
            };
            let mut found = named(name);
            // as other commands call groups
            if let (true, Some(group)) = (found.is_empty(), name.strip_prefix("group:")) {
                found = named(group);
            }
            if found.is_empty() {
                let names: Vec<_> = channels.iter().map(|channel| channel.name.as_str()).collect();
                let help = if names.is_empty() {
                    "the model has no attributes and cell arrays: ask for none".to_owned()
                } else {
                    format!("its attributes, cell arrays and groups are {}", names.join(", "))
                };
                return Err(
                    Error::request(format!("the model has no attribute {name:?}")).with_help(help)
                );
            }
            for c in found {
                if chosen.iter().any(|&(earlier, _)| earlier == c) {
                    let name = &channels[c].name;
                    return Err(Error::request(format!("attribute {name:?} is asked for twice"))
                        .with_help("give every attribute once"));
                }
                chosen.push((c, range.unwrap_or(channels[c].range)));
            }
        }
        Ok(chosen)
    }
}
