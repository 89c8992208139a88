// Jobs, batches and nets, as src/backend/cuda/solid lays them out.
#pragma once

#include "common/real.cuh"

// What all kernels of one evaluation share.
struct Job {
    // control points of all levels: [point][stride]
    const double* points;
    // results: [output][element - first_element][sample][stride]
    real* outputs[10];
    // components of a control point and of a result, and the first one to evaluate; WIDTH
    // and 0 unless STRIDED
    unsigned stride, offset;
    // element whose results come first, and samples of an element
    unsigned first_element, samples;
};

// Leaves of one class.
struct Leaves {
    // vertex ids of the nets, for tensor kernels perhaps 16 bits above the base of the head
    const void* nets;
    // for tensor kernels, 16 bytes per leaf: base, element, missing layers
    const void* heads;
    const unsigned* elements;
    // missing end layers, two bits per axis
    const unsigned char* ends;
};

// Leaves that share structure, orientation and samples.
struct Batch {
    // first id among the nets, first leaf among the leaves
    unsigned long long first_net;
    unsigned first_leaf;
    // control points of the planar or spatial structure
    unsigned controls;
    // samples along the local axes a, b, c
    unsigned counts[3];
    // result of local sample (0, 0, 0), and the steps along a, b, c
    int start, steps[3];
    // weights of the local axes: [order 3][sample][4]
    unsigned axes[3];
    // bit o: output o changes its sign
    unsigned negate;
    // weights of each output: [control][sample]
    unsigned long long tables[10];
    // orders of each output along a, b, c: a + 4 b + 16 c
    unsigned char orders[12];
    // places of the samples in the order of the results, for tables
    unsigned long long places;
};

// Some leaves of a batch, for one block or warp.
struct Item {
    // batch; first leaf within it; number of leaves; first sample, and how many; or the layer of
    // control points that the first leaf begins with, and a bit for each leaf that begins a stack
    unsigned batch, first, count;
    union {
        unsigned sample, layer;
    };
    union {
        unsigned samples, stacks;
    };
};

// A sample of a batch, and its result.
struct Place {
    unsigned local, result;
};
