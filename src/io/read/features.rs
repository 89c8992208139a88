//! Named curves and points of a file while it is read.

use std::collections::HashMap;

use crate::mesh::Feature;

/// Curves and points by name, in the order in which the names came.
#[derive(Default)]
pub(super) struct FileFeatures {
    features: Vec<Feature>,
    by_name: HashMap<String, usize>,
}

impl FileFeatures {
    /// The feature of a name, which may be new.
    pub fn named(&mut self, name: &str) -> &mut Feature {
        let index = self.by_name.get(name).copied().unwrap_or_else(|| {
            self.by_name.insert(name.to_owned(), self.features.len());
            self.features.push(Feature { name: name.to_owned(), ..Feature::default() });
            self.features.len() - 1
        });
        &mut self.features[index]
    }

    /// The first vertex that is not among the `points` of the mesh.
    pub fn first_beyond(&self, points: usize) -> Option<u32> {
        let all = self.features.iter().flat_map(|f| f.edges.iter().flatten().chain(&f.vertices));
        all.copied().find(|&v| v as usize >= points)
    }

    /// All of them.
    pub fn into_features(self) -> Vec<Feature> {
        self.features
    }
}
