// Single points of surfaces and solids, as src/backend/cuda/single_points.rs lays them out.
#pragma once

// A point of a regular leaf.
template <int AXES>
struct RegularPoint {
    // parameters within the leaf
    double local[AXES];
    // net among the nets, result, missing layers, depth of the leaf
    unsigned net, row, ends, depth;
};

// A point of any leaf whose weights are tabulated: [quantity][control].
struct WeightedPoint {
    unsigned long long weights, net;
    unsigned controls, row;
};
