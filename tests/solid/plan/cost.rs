//! Which processor is estimated to finish a job first.

use subsolid::plan::{Cost, LayersJob};

#[test]
fn small_jobs_stay_on_the_cpu() {
    for cost in [
        Cost::evaluation(0),
        Cost::evaluation(100_000_000),
        Cost::location(10_000),
        Cost::layers(LayersJob { layers: 78, pixels: 78 << 20, ..LayersJob::default() }),
        Cost::quadrature(60_000),
        Cost::assembly(400_000_000, 0, 1 << 24),
        Cost::surface(100_000),
        // surfaces of 60,000 vertices
        Cost::interpolation(9 * 3 * 60_000),
    ] {
        assert!(cost.suits_cpu(1), "{cost:?}");
        assert!(cost.on_gpu(1) >= 0.3 + 0.2);
    }
}

#[test]
fn large_jobs_with_few_threads_go_to_the_gpu() {
    let many = Cost::location(4_000_000);
    assert!(!many.suits_cpu(1) && !many.suits_cpu(2));
    assert!(many.suits_cpu(64));
    let elasticity = Cost::assembly(250_000_000_000, 0, 2_500_000_000);
    assert!(!elasticity.suits_cpu(1) && !elasticity.suits_cpu(16));
    // three numbers at a million vertices of a solid
    let interpolated = Cost::interpolation(27 * 3 * 1_000_000);
    assert!(!interpolated.suits_cpu(2) && interpolated.suits_cpu(32));
    assert!(interpolated.fits(2_000_000_000) && !interpolated.fits(500_000_000));
}

/// Measured on an H200 and 16 threads: mass of two octree models, whose batches are most of it.
#[test]
fn batches_of_octree_models_take_longer_on_a_gpu() {
    for (batches, cpu, gpu) in [(25_226, 2.0, 7.0), (61_806, 7.5, 15.3)] {
        let cost = Cost::assembly(8_000_000_000, batches, 125_000_000);
        assert!(cost.suits_cpu(16));
        let ratios = [cost.on_cpu(16) / cpu, cost.on_gpu(16) / gpu];
        assert!(ratios.iter().all(|ratio| (0.5..2.0).contains(ratio)), "{ratios:?}");
    }
}

/// Measured on an H100 and its host: 200 layers of 576,000 pixels, 888 cells, take 9.6, 4.0 and
/// 0.84 s on 1, 2 and 16 threads, and 4.3, 2.7 and 1.54 s with the GPU; 20 layers of 9.2
/// million pixels 5.0, 2.4, 0.72 s and 5.2, 3.1, 2.1 s.
#[test]
fn many_layers_with_attributes_go_to_the_gpu_unless_there_are_many_threads() {
    let job = LayersJob {
        cells: 888,
        layers: 200,
        pixels: 200 * 576_000,
        attributes: 1,
        ..LayersJob::default()
    };
    let many = Cost::layers(job);
    assert!(!many.suits_cpu(1) && !many.suits_cpu(2) && many.suits_cpu(16));
    let few = Cost::layers(LayersJob { layers: 20, pixels: 20 * 9_216_000, ..job });
    assert!(few.suits_cpu(1) && few.suits_cpu(2) && few.suits_cpu(16));
    for (cost, threads, cpu, gpu) in
        [(many, 1, 9.6, 4.3), (many, 16, 0.84, 1.54), (few, 1, 5.0, 5.2), (few, 2, 2.4, 3.1)]
    {
        let ratios = [cost.on_cpu(threads) / cpu, cost.on_gpu(threads) / gpu];
        assert!(ratios.iter().all(|ratio| (0.5..2.0).contains(ratio)), "{threads}: {ratios:?}");
    }
}

/// Measured on an H100 and its host: layers of a bracket refined 0 to 3 times, 48 layers, and
/// of a box of 1.6 million cells, in seconds by CPU and GPU.
#[test]
fn layers_of_many_cells_are_estimated_as_measured() {
    let refined = |levels: u32, side: usize| LayersJob {
        cells: 888 << (3 * levels),
        layers: 48,
        pixels: 48 * side * side * 8 / 5,
        attributes: 1,
        ..LayersJob::default()
    };
    let boxed = LayersJob { cells: 1_638_400, layers: 320, pixels: 51_200_000, ..refined(0, 600) };
    for (job, threads, cpu, gpu) in [
        (refined(0, 600), 1, 2.34, 2.25),
        (refined(0, 600), 16, 0.33, 1.06),
        (refined(0, 1500), 2, 2.91, 2.61),
        (refined(1, 300), 1, 1.37, 2.93),
        (refined(1, 1500), 1, 7.17, 5.27),
        (refined(2, 600), 2, 2.30, 3.74),
        (refined(2, 1500), 1, 7.79, 6.46),
        (refined(2, 1500), 16, 0.93, 1.99),
        (refined(3, 300), 1, 9.49, 13.96),
        (refined(3, 600), 16, 1.57, 3.20),
        (refined(3, 1500), 2, 7.67, 9.80),
        (boxed, 2, 24.45, 20.56),
    ] {
        let cost = Cost::layers(job);
        let ratios = [cost.on_cpu(threads) / cpu, cost.on_gpu(threads) / gpu];
        assert!(ratios.iter().all(|ratio| (0.4..1.5).contains(ratio)), "{job:?}: {ratios:?}");
        let chosen = if cost.suits_cpu(threads) { cpu } else { gpu };
        assert!(chosen <= 1.15 * f64::min(cpu, gpu), "{job:?}, {threads} threads: {ratios:?}");
    }
}

/// Measured on an H200 and 16 threads of its host: a layer of 9.2 million pixels of lattices in boxes of
/// 10³ and of 50³ cells, in seconds by CPU and GPU, once these have started.
#[test]
fn lattices_of_large_layers_go_to_the_gpu() {
    let job = |cells: usize, layers: usize| LayersJob {
        cells,
        layers,
        pixels: layers * 9_216_000,
        lattice_planes: 1,
        ..LayersJob::default()
    };
    for (cells, cpu, gpu) in [(1000, 0.24, 0.024), (1000, 0.38, 0.014), (125_000, 0.22, 0.022)] {
        let [few, many] = [10, 20].map(|layers| Cost::layers(job(cells, layers)));
        let layer = |of: fn(&Cost, usize) -> f64| (of(&many, 16) - of(&few, 16)) / 10.0;
        let ratios = [layer(Cost::on_cpu) / cpu, layer(Cost::on_gpu) / gpu];
        assert!(ratios.iter().all(|ratio| (0.4..2.5).contains(ratio)), "{cells}: {ratios:?}");
        assert!(!many.suits_cpu(2) && !many.suits_cpu(16), "{cells}");
    }
    // a few small layers, and the same without a lattice
    let small = LayersJob { pixels: 10 * 250_000, ..job(1000, 10) };
    assert!(Cost::layers(small).suits_cpu(2));
    let plain = LayersJob { lattice_planes: 0, ..job(1000, 20) };
    assert!(Cost::layers(plain).suits_cpu(2));
    // several planes a layer
    let planes = LayersJob { lattice_planes: 4, ..job(1000, 1) };
    assert!(Cost::layers(planes).on_cpu(1) > 3.0 * Cost::layers(job(1000, 1)).on_cpu(1));
}

#[test]
fn results_that_must_come_home_are_no_reason_for_a_gpu() {
    // two threads write as fast as results are copied back
    assert!(Cost::evaluation(1 << 36).suits_cpu(2));
    assert!(!Cost::evaluation(1 << 36).suits_cpu(1));
}

#[test]
fn cost_grows_with_the_job() {
    let (small, large) = (Cost::quadrature(1000), Cost::quadrature(2000));
    assert_eq!(large.on_cpu(1), 2.0 * small.on_cpu(1));
    assert_eq!(small.on_cpu(4), 0.25 * small.on_cpu(1));
    assert!(large.on_gpu(1) > small.on_gpu(1));
}
