// A step of Laplace smoothing: each value moves by a factor toward the mean of its neighbors'.
//
// Plain reference: src/process/attribute.rs, bit by bit in double precision (tests/gpu/query.rs).
struct Arguments {
    Attribute<const real> now;
    Attribute<real> next;
    // 0 for elements that keep their values
    Attribute<const unsigned> moves;
    double factor;
    unsigned long long width;
};

template <class Row>
__device__ __forceinline__ void visit(unsigned id, const Row& row, const Arguments& arguments) {
    const bool moves = row.size() > 0 && arguments.moves(id) != 0 && arguments.factor > 0;
    for (unsigned c = 0; c < unsigned(arguments.width); ++c) {
        const real own = arguments.now(id, c);
        real mean = own;
        if (moves) {
            real sum = 0;
            row.each([&](unsigned neighbor) { sum += arguments.now(neighbor, c); });
            mean = sum / real(row.size());
        }
        arguments.next(id, c) = own + (moves ? real(arguments.factor) : real(0)) * (mean - own);
    }
}
