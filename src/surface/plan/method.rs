//! Which method refines a mesh.

use crate::error::{Error, Result, option};
use crate::mesh::SurfaceMesh;
use crate::scheme::{Scheme, SurfaceScheme};
use crate::surface::options::{Method, SurfaceOptions};
use crate::surface::refine::edge_friend::EdgeFriend;
use crate::surface::refine::refined_counts::{check_ids, refined_counts};
use crate::topology::surface::SurfaceTopology;

/// Faces of a result up to which edge-friend is faster on the CPU, topology included: it gathers
/// from all over the level before, which no longer fits into the caches. Measured (f32, one
/// thread): 96 thousand faces 42.9 against 27.8 Mfaces/s, 6 million 28.6 against 36.7.
const CACHED: u128 = 1 << 19;

/// Refuses methods that do not know the scheme.
///
/// # Errors
/// [`Error::Request`] for edge-friend, static refinement and the mesh matrix of a scheme whose
/// masks they do not know.
pub(crate) fn check_method(options: &SurfaceOptions) -> Result<()> {
    let refused = |what: &str, can: fn(&dyn SurfaceScheme) -> bool| {
        let method = match Method::of(options.scheme) {
            Method::Single => "single",
            _ => "matrix",
        };
        let names = Scheme::names(|scheme| can(scheme.rules()));
        let help = message!("use ", option("method", method), " for this scheme");
        Err(Error::request(format!("{what} refines {names} surfaces only")).with_help(help))
    };
    let rules = options.scheme.rules();
    match options.method {
        Method::EdgeFriend if !rules.has_edge_friend() => {
            refused("edge-friend", |rules| rules.has_edge_friend())
        }
        Method::Static if !rules.has_static_refinement() => {
            refused("static refinement", |rules| rules.has_static_refinement())
        }
        Method::Matrix if !rules.has_matrix_pass() => {
            Err(Error::request(format!("the mesh matrix has no pass for {}", rules.name()))
                .with_help(message!("use ", option("method", "single"), " for this scheme")))
        }
        _ => Ok(()),
    }
}

/// Whether edge-friend refines a mesh of this topology.
pub(crate) fn takes_edge_friend(
    options: &SurfaceOptions,
    mesh: &SurfaceMesh,
    topology: &SurfaceTopology,
) -> bool {
    let options = SurfaceOptions { method: Method::EdgeFriend, ..*options };
    options.scheme.rules().has_edge_friend()
        && check_ids(mesh, &options).is_ok()
        && EdgeFriend::takes(topology)
}

/// Whether edge-friend is the fastest method of the CPU for a mesh of this topology.
pub(super) fn edge_friend_pays(
    options: &SurfaceOptions,
    mesh: &SurfaceMesh,
    topology: &SurfaceTopology,
) -> bool {
    options.levels > 0
        && refined_counts(mesh, options).faces <= CACHED
        && takes_edge_friend(options, mesh, topology)
}

/// The options with [`Method::Auto`] decided: edge-friend where the processor and the mesh say so.
pub(crate) fn decided(
    options: &SurfaceOptions,
    edge_friend_pays: impl FnOnce() -> bool,
) -> SurfaceOptions {
    let method = match options.method {
        Method::Auto => match Method::of(options.scheme) {
            Method::Matrix if edge_friend_pays() => Method::EdgeFriend,
            method => method,
        },
        method => method,
    };
    SurfaceOptions { method, ..*options }
}
