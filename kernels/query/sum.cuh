// The sum of a value over the row of each element.
struct Arguments {
    Attribute<const real> values;
    Attribute<real> sums;
};

template <class Row>
__device__ __forceinline__ void visit(unsigned id, const Row& row, const Arguments& arguments) {
    real sum = 0;
    for (unsigned i = 0; i < row.size(); ++i) sum += arguments.values(row[i]);
    arguments.sums(id) = sum;
}
