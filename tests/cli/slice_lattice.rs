//! Lattices by `subsolid slice`: all files have the same material, and what does not go together is
//! refused.

use crate::layer_files::area_of_cli;
use crate::program::refused;
use crate::slice::{done, manifest, with_tripod};

#[test]
fn all_files_have_the_lattice() {
    let tripod = with_tripod();
    let at = tripod.path();
    let slice = "slice tripod.vtu --layer-height 0.25 --range 0.25:0.5 --pixel 0.016";
    let own = "--lattice bcc --thickness 0.1 --skin 50um --unit mm";
    let outputs = "--png png --antialias 1 --bits 16 --svg svg --cli a.cli --slice-stack a.3mf \
                   --vdb a.vdb --pvtu a.pvtu --vtp a.vtp --attribute height";
    done(at, &format!("{slice} {own} {outputs}"));
    done(at, &format!("{slice} --png whole --antialias 1 --bits 16"));
    let [drawn, images, whole] = ["svg", "png", "whole"].map(|folder| manifest(&at.join(folder)));
    assert_eq!(images["parameters"]["lattice"]["tile"], "bcc");
    assert_eq!(images["parameters"]["lattice"]["size"]["thickness"], 0.1);
    assert_eq!(images["parameters"]["lattice"]["skin"], 0.05);
    let of =
        |own: &serde_json::Value, what: &str| own["layers"][0]["files"][0][what].as_f64().unwrap();
    let area = of(&drawn, "area");
    let covered = |own| of(own, "level_sum") / 65535.0 * 0.016 * 0.016;
    // walls and struts of six pixels
    assert!((covered(&images) / area - 1.0).abs() < 0.02, "{} {area}", covered(&images));
    assert!(area < 0.9 * covered(&whole), "{area} {}", covered(&whole));
    assert!((area_of_cli(&at.join("a.cli")) / area - 1.0).abs() < 1e-5);
    refused(
        at,
        &format!("{slice} {own} --per-cell 2 --png png --antialias 1 --bits 16 --resume"),
        "holds layers of other parameters",
    );
}

#[test]
fn what_is_no_lattice_is_refused() {
    let tripod = with_tripod();
    let at = tripod.path();
    let slice = "slice tripod.vtu --layer-height 0.5 --svg out --pixel 0.1";
    for (options, fragment) in [
        ("--lattice gyroid --level 0", "such as gyroid, lack the symmetries of a cube"),
        ("--lattice bcc", "--lattice without a size"),
        ("--lattice bcc --level 0.1 --density 0.1", "cannot be used with"),
        ("--lattice bcc --per-cell 0 --level 0.1", "--per-cell 0 is out of range"),
        ("--lattice bcc --thickness=-1", "--thickness -1 is out of range"),
        ("--lattice bcc --density 1.5", "--density 1.5 is out of range"),
        ("--lattice bcc --density attr:", "give a number, or attr:NAME"),
        ("--lattice bcc --density attr:none", "no attribute \"none\""),
        ("--lattice bcc --level 0.1 --skin=-1", "--skin -1 is out of range"),
        ("--lattice bcc --level 0.1 --levels 1", "--levels: each of the refined cells has tiles"),
        ("--thickness 1", "required arguments were not provided"),
    ] {
        refused(at, &format!("{slice} {options}"), fragment);
    }
    let bare = "slice tripod.vtu --layer-height 0.5 --svg out --lattice bcc --level 0.1";
    refused(at, bare, "required arguments were not provided");
    done(at, "boundary tripod.vtu -o skin.obj");
    let surface =
        "slice skin.obj --layer-height 0.5 --svg out --pixel 0.1 --lattice bcc --level 0.1";
    refused(at, surface, "--lattice: a surface has attributes on its boundary alone");
}
