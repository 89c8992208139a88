// The sum of a value over the row of each element.
#define BLOCKS 8

struct Arguments {
    Attribute<const real> values;
    Attribute<real> sums;
};

template <class Row>
__device__ __forceinline__ void visit(unsigned id, const Row& row, const Arguments& arguments) {
    real sum = 0;
    row.each([&](unsigned neighbor) { sum += arguments.values(neighbor); });
    // nothing here reads it again
    __stcs(&arguments.sums(id), sum);
}
