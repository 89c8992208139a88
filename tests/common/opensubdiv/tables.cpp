// Writes the tables beside this file: refined points and limits of creased surfaces as
// OpenSubdiv computes them, in double precision. Written with OpenSubdiv 3.5.0 (Debian
// libosd-dev 3.5.0-2).
//
//     g++ -O2 -std=c++17 tables.cpp -losdCPU -o tables
//     ./tables uniform > uniform.txt; ./tables chaikin > chaikin.txt
//     ./tables triangles > triangles.txt # with the smooth rule of triangles
//
// OpenSubdiv holds sharpness as float. All values here, and the means of those that end in one
// step, stay exact in it: multiples of 3/64, at most four of them at a vertex.
#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefinerFactory.h>
#include <opensubdiv/version.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace OpenSubdiv;

constexpr float FOREVER = 10.0f; // OpenSubdiv's infinite sharpness

struct Point {
    double x[3] = {0, 0, 0};
    void Clear() { x[0] = x[1] = x[2] = 0; }
    void AddWithWeight(const Point& p, double w) {
        for (int d = 0; d < 3; ++d) x[d] += w * p.x[d];
    }
};

struct Random {
    uint64_t state;
    unsigned below(unsigned n) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return unsigned(state >> 33) % n;
    }
};

struct Shape {
    std::string name;
    std::vector<Point> points;
    std::vector<std::vector<int>> faces;
    std::map<std::pair<int, int>, float> creases;
    std::map<int, float> corners;
    std::vector<int> holes;
    int boundary = 2; // interpolateboundary: 0 none, 1 edges and corners, 2 edges
    bool loop = false;

    int add(double x, double y, double z) {
        points.push_back({{x, y, z}});
        return int(points.size()) - 1;
    }
    void crease(int a, int b, float s) { creases[{std::min(a, b), std::max(a, b)}] = s; }
    void jitter(Random& random) {
        for (Point& p : points) {
            for (double& x : p.x) x += (int(random.below(33)) - 16) / 64.0;
        }
    }
};

Shape grid(int n, int m) {
    Shape shape;
    for (int j = 0; j <= m; ++j) {
        for (int i = 0; i <= n; ++i) shape.add(i, j, (i * j) % 3 / 4.0);
    }
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < n; ++i) {
            const int a = i + (n + 1) * j;
            shape.faces.push_back({a, a + 1, a + n + 2, a + n + 1});
        }
    }
    return shape;
}

Shape torus(int n, int m) {
    Shape shape;
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < n; ++i) {
            const double u = 6.283185307179586 * i / n, v = 6.283185307179586 * j / m;
            const double r = 3 + std::cos(u);
            const auto rounded = [](double x) { return std::round(64 * x) / 64; };
            shape.add(rounded(r * std::cos(v)), rounded(r * std::sin(v)), rounded(std::sin(u)));
        }
    }
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < n; ++i) {
            const int i1 = (i + 1) % n, j1 = (j + 1) % m;
            shape.faces.push_back({i + n * j, i1 + n * j, i1 + n * j1, i + n * j1});
        }
    }
    return shape;
}

Shape cube() {
    Shape shape;
    for (int k = 0; k < 8; ++k) shape.add(2 * (k & 1), 2 * (k >> 1 & 1), 2 * (k >> 2));
    shape.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    return shape;
}

// n quads around a vertex.
Shape pole(int n) {
    Shape shape;
    shape.add(0, 0, 1);
    for (int i = 0; i < 2 * n; ++i) {
        const double angle = 3.141592653589793 * i / n, r = i % 2 ? 2 : 1.5;
        const auto rounded = [](double x) { return std::round(64 * x) / 64; };
        shape.add(rounded(r * std::cos(angle)), rounded(r * std::sin(angle)), i % 3 / 4.0);
    }
    for (int i = 0; i < n; ++i) {
        shape.faces.push_back({0, 1 + 2 * i, 2 + 2 * i, 1 + (2 * i + 2) % (2 * n)});
    }
    return shape;
}

// A prism over a polygon, its sides cut into triangles: polygons, triangles and quads.
Shape prism(int n) {
    Shape shape;
    for (int k = 0; k < 2 * n; ++k) {
        const double angle = 6.283185307179586 * (k % n) / n;
        shape.add(std::round(128 * std::cos(angle)) / 64, std::round(128 * std::sin(angle)) / 64, 2 * (k / n));
    }
    std::vector<int> low, high;
    for (int i = 0; i < n; ++i) {
        low.insert(low.begin(), i);
        high.push_back(n + i);
        const int j = (i + 1) % n;
        if (i % 2 == 0) shape.faces.push_back({i, j, n + j, n + i});
        else {
            shape.faces.push_back({i, j, n + j});
            shape.faces.push_back({i, n + j, n + i});
        }
    }
    shape.faces.push_back(low);
    shape.faces.push_back(high);
    return shape;
}

// Pages of 2 by n quads at one spine.
Shape book(int pages, int n) {
    Shape shape;
    for (int j = 0; j <= n; ++j) shape.add(0, 0, j);
    for (int page = 0; page < pages; ++page) {
        const int first = int(shape.points.size());
        for (int i = 1; i < 3; ++i) {
            for (int j = 0; j <= n; ++j) shape.add(i * (page % 2 ? 1 : -1), i * (page - 1), j);
        }
        const auto at = [&](int i, int j) { return i == 0 ? j : first + (i - 1) * (n + 1) + j; };
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < n; ++j) {
                shape.faces.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
            }
        }
    }
    return shape;
}

// Two cubes that share a vertex, an edge, or nothing but their place in one mesh.
Shape cubes(int shared) {
    Shape shape = cube();
    std::vector<int> numbers;
    for (int k = 0; k < 8; ++k) {
        const bool same = shared == 1 ? k == 0 : (k & 5) == 0; // 0, or 0 and 2
        const int twin = shared == 1 ? 7 : 5 | k;
        numbers.push_back(same ? twin : shape.add(2 + 2 * (k & 1), 2 * (k >> 1 & 1) + (shared == 1 ? 2 : 0), 2 + 2 * (k >> 2)));
    }
    const auto faces = shape.faces;
    for (const auto& face : faces) {
        std::vector<int> other;
        for (int v : face) other.push_back(numbers[v]);
        shape.faces.push_back(other);
    }
    return shape;
}

// A strip of n by m quads, closed with half a turn: m edges that two faces run through alike.
Shape moebius(int n, int m) {
    Shape shape;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= m; ++j) {
            const double u = 6.283185307179586 * i / n, v = 2.0 * j / m - 1;
            const auto rounded = [](double x) { return std::round(64 * x) / 64; };
            const double r = 3 + v * std::cos(u / 2);
            shape.add(rounded(r * std::cos(u)), rounded(r * std::sin(u)), rounded(v * std::sin(u / 2)));
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) {
            const int a = i * (m + 1) + j;
            const bool last = i + 1 == n;
            const int b = last ? m - j : a + m + 1, c = last ? m - j - 1 : a + m + 2;
            shape.faces.push_back({a, b, c, a + 1});
        }
    }
    return shape;
}

void cut_into_triangles(Shape& shape) {
    std::vector<std::vector<int>> triangles;
    for (const auto& face : shape.faces) {
        for (size_t i = 1; i + 1 < face.size(); ++i) triangles.push_back({face[0], face[i], face[i + 1]});
    }
    shape.faces = triangles;
    shape.loop = true;
}

// Sharpness of some edges and vertices, in 64ths below `most`. With Chaikin's rule at most three
// semi-sharp edges a vertex, for the mean of the others to be exact, and no semi-sharp tag there.
void sharpen(Shape& shape, Random& random, bool chaikin, unsigned percent, unsigned most) {
    std::map<std::pair<int, int>, int> edges;
    for (const auto& face : shape.faces) {
        for (size_t i = 0; i < face.size(); ++i) {
            const int a = face[i], b = face[(i + 1) % face.size()];
            edges[{std::min(a, b), std::max(a, b)}]++;
        }
    }
    const auto any = [&] { return float(3 * (1 + random.below(most / 3))) / 64.0f; };
    const int limit = chaikin ? 3 : 4;
    std::map<int, int> count;
    for (const auto& edge : edges) {
        const auto [a, b] = edge.first;
        if (random.below(100) >= percent) continue;
        if (random.below(8) == 0) {
            shape.crease(a, b, FOREVER);
        } else if (count[a] < limit && count[b] < limit) {
            ++count[a];
            ++count[b];
            shape.crease(a, b, any());
        }
    }
    for (int v = 0; v < int(shape.points.size()); ++v) {
        if (random.below(100) >= percent / 4) continue;
        if (random.below(6) == 0) shape.corners[v] = FOREVER;
        else if (count[v] < (chaikin ? 1 : 4)) shape.corners[v] = any();
    }
}

void print(double x) { std::printf(" %.17g", x); }

void print_sharpness(float s) {
    if (s >= FOREVER) std::printf(" inf\n");
    else std::printf(" %.17g\n", double(s));
}

constexpr int LEVELS = 3;
constexpr int LISTED = 12; // points that are written whole

void write(const Shape& shape, bool chaikin, bool smooth_triangles) {
    std::printf("case %s %s %d\n", shape.name.c_str(), shape.loop ? "loop" : "catmark", shape.boundary);
    for (const Point& p : shape.points) std::printf("v %.17g %.17g %.17g\n", p.x[0], p.x[1], p.x[2]);
    std::vector<int> sizes, corners_of_faces;
    for (const auto& face : shape.faces) {
        std::printf("f");
        for (int v : face) std::printf(" %d", v);
        std::printf("\n");
        sizes.push_back(int(face.size()));
        corners_of_faces.insert(corners_of_faces.end(), face.begin(), face.end());
    }
    std::vector<int> crease_ends, corner_vertices;
    std::vector<float> crease_sharpness, corner_sharpness;
    for (const auto& [edge, s] : shape.creases) {
        std::printf("e %d %d", edge.first, edge.second);
        print_sharpness(s);
        crease_ends.insert(crease_ends.end(), {edge.first, edge.second});
        crease_sharpness.push_back(s);
    }
    for (const auto& [v, s] : shape.corners) {
        std::printf("c %d", v);
        print_sharpness(s);
        corner_vertices.push_back(v);
        corner_sharpness.push_back(s);
    }
    for (int f : shape.holes) std::printf("h %d\n", f);

    Far::TopologyDescriptor descriptor;
    descriptor.numVertices = int(shape.points.size());
    descriptor.numFaces = int(sizes.size());
    descriptor.numVertsPerFace = sizes.data();
    descriptor.vertIndicesPerFace = corners_of_faces.data();
    descriptor.numCreases = int(crease_sharpness.size());
    descriptor.creaseVertexIndexPairs = crease_ends.data();
    descriptor.creaseWeights = crease_sharpness.data();
    descriptor.numCorners = int(corner_sharpness.size());
    descriptor.cornerVertexIndices = corner_vertices.data();
    descriptor.cornerWeights = corner_sharpness.data();
    descriptor.numHoles = int(shape.holes.size());
    descriptor.holeIndices = shape.holes.data();
    Sdc::Options options;
    options.SetVtxBoundaryInterpolation(Sdc::Options::VtxBoundaryInterpolation(
        shape.boundary == 0 ? Sdc::Options::VTX_BOUNDARY_NONE
        : shape.boundary == 1 ? Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER
                              : Sdc::Options::VTX_BOUNDARY_EDGE_ONLY));
    options.SetCreasingMethod(chaikin ? Sdc::Options::CREASE_CHAIKIN : Sdc::Options::CREASE_UNIFORM);
    options.SetTriangleSubdivision(smooth_triangles ? Sdc::Options::TRI_SUB_SMOOTH : Sdc::Options::TRI_SUB_CATMARK);
    using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
    const auto type = shape.loop ? Sdc::SCHEME_LOOP : Sdc::SCHEME_CATMARK;
    std::unique_ptr<Far::TopologyRefiner> refiner(
        Factory::Create(descriptor, Factory::Options(type, options)));
    // two levels more for the limit, when nothing is semi-sharp any more
    Far::TopologyRefiner::UniformOptions uniform(LEVELS + 2);
    uniform.fullTopologyInLastLevel = true;
    refiner->RefineUniform(uniform);
    Far::PrimvarRefinerReal<double> primvar(*refiner);

    std::vector<Point> points = shape.points;
    std::vector<int> now(shape.points.size()); // where the control vertices are
    for (size_t v = 0; v < now.size(); ++v) now[v] = int(v);
    const size_t listed = std::min(now.size(), size_t(LISTED));
    for (int level = 1; level <= LEVELS + 2; ++level) {
        std::vector<Point> fine(refiner->GetLevel(level).GetNumVertices());
        primvar.Interpolate(level, points, fine);
        points.swap(fine);
        for (int& v : now) v = refiner->GetLevel(level - 1).GetVertexChildVertex(v);
        if (level > LEVELS) continue;
        const Far::TopologyLevel& topology = refiner->GetLevel(level);
        int faces = 0;
        for (int f = 0; f < topology.GetNumFaces(); ++f) faces += !topology.IsFaceHole(f);
        std::printf("level %d %d %d\n", level, topology.GetNumVertices(), faces);
        for (size_t v = 0; v < listed; ++v) {
            std::printf("p");
            for (double x : points[now[v]].x) print(x);
            std::printf("\n");
        }
        // of all points, in any order
        double sums[9] = {};
        for (const Point& p : points) {
            const auto [x, y, z] = p.x;
            const double terms[9] = {x, y, z, x * x, y * y, z * z, x * y, y * z, z * x};
            for (int i = 0; i < 9; ++i) sums[i] += terms[i];
        }
        std::printf("m");
        for (double sum : sums) print(sum);
        std::printf("\n");
    }
    std::vector<Point> limits(points.size());
    primvar.Limit(points, limits);
    std::printf("limit\n");
    for (size_t v = 0; v < listed; ++v) {
        // at darts OpenSubdiv takes the mask of smooth vertices
        const auto rule = refiner->GetLevel(LEVELS + 2).GetVertexRule(now[v]);
        std::printf(rule == Sdc::Crease::RULE_DART ? "p nan nan nan" : "p");
        for (double x : limits[now[v]].x) {
            if (rule != Sdc::Crease::RULE_DART) print(x);
        }
        std::printf("\n");
    }
}

int main(int argc, char** argv) {
    const bool chaikin = argc > 1 && std::strcmp(argv[1], "chaikin") == 0;
    std::printf("# OpenSubdiv %d.%d.%d, Far in double precision, by tables.cpp\n",
                OPENSUBDIV_VERSION_MAJOR, OPENSUBDIV_VERSION_MINOR, OPENSUBDIV_VERSION_PATCH);
    const bool smooth_triangles = argc > 1 && std::strcmp(argv[1], "triangles") == 0;
    Random random{chaikin ? 11u : smooth_triangles ? 5u : 7u};
    std::vector<Shape> shapes;
    const auto add = [&](const char* name, Shape shape, unsigned percent, unsigned most, int boundary = 2) {
        shape.name = name;
        shape.boundary = boundary;
        shape.jitter(random);
        sharpen(shape, random, chaikin, percent, most);
        shapes.push_back(shape);
    };
    const auto named = [&](const char* name, Shape shape) {
        shape.name = name;
        shapes.push_back(shape);
    };
    const unsigned most = 192; // three levels
    // triangles and others under Catmull-Clark
    const auto cut = [&](const char* name, Shape shape, size_t every, unsigned percent, int boundary = 2) {
        Shape all = shape;
        cut_into_triangles(shape);
        shape.loop = false;
        if (every > 1) {
            shape.faces.clear();
            for (size_t f = 0; f < all.faces.size(); ++f) {
                const auto& face = all.faces[f];
                if (f % every == 0) {
                    for (size_t i = 1; i + 1 < face.size(); ++i) shape.faces.push_back({face[0], face[i], face[i + 1]});
                } else {
                    shape.faces.push_back(face);
                }
            }
        }
        add(name, shape, percent, most, boundary);
    };
    if (smooth_triangles) {
        cut("cube", cube(), 1, 0);
        cut("cube", cube(), 2, 0);
        cut("cube", cube(), 1, 50);
        cut("torus", torus(3, 4), 1, 0);
        cut("torus", torus(3, 4), 3, 40);
        for (int boundary = 0; boundary < 3; ++boundary) cut("grid", grid(3, 2), 1, 40, boundary);
        cut("grid", grid(3, 3), 2, 0);
        add("prism", prism(5), 0, most);
        add("prism", prism(6), 60, 80);
        cut("book", book(3, 2), 1, 30);
        cut("edge", cubes(2), 1, 30);
        for (Shape& shape : shapes) write(shape, false, true);
        return 0;
    }
    // by hand: a crease that ends at the boundary, the corner of a cube
    Shape ending = grid(3, 3);
    ending.crease(4, 5, 1.0f / 1024);
    ending.crease(5, 6, 1.0f / 1024);
    named("ending", ending);
    Shape corner = cube();
    corner.crease(0, 1, 5.0f);
    corner.crease(0, 2, 5.0f);
    corner.crease(0, 4, 0.125f);
    named("corner", corner);
    // all of one sharpness
    for (float s : {0.25f, 1.0f, 1.5f, 2.75f}) {
        Shape ring = torus(3, 4);
        for (int j = 0; j < 4; ++j) ring.crease(3 * j, 3 * ((j + 1) % 4), s);
        named("ring", ring);
    }
    for (int i = 0; i < 3; ++i) add("cube", cube(), 60, most);
    add("cube", cube(), 90, 80);
    add("cube", cube(), 90, 64);
    for (int i = 0; i < 2; ++i) add("torus", torus(3, 4), 40, most);
    add("torus", torus(4, 3), 70, 80);
    for (int boundary = 0; boundary < 3; ++boundary) add("grid", grid(3, 3), 50, most, boundary);
    add("grid", grid(4, 2), 80, 64);
    add("grid", grid(4, 2), 80, 80, 1);
    add("strip", grid(5, 1), 70, most);
    add("strip", grid(5, 1), 70, 64, 1);
    add("quad", grid(1, 1), 80, most);
    add("quad", grid(1, 1), 80, most, 1);
    for (int n : {3, 5, 6}) add("pole", pole(n), 60, most);
    add("prism", prism(5), 50, most);
    add("prism", prism(6), 80, 80);
    add("tetrahedron", prism(3), 50, 64);
    for (int pages : {3, 4}) {
        add("book", book(pages, 3), 0, 1);
        add("book", book(pages, 2), 40, most);
        add("book", book(pages, 2), 40, most, 1);
    }
    add("vertex", cubes(1), 30, most);
    add("edge", cubes(2), 30, most);
    // OpenSubdiv pins vertices inside a line of edges that two faces run through alike at level 0,
    // and makes a crease of the line from then on: such lines are left out
    add("moebius", moebius(5, 1), 30, most);
    add("moebius", moebius(6, 1), 60, 80, 1);
    for (int boundary = 0; boundary < 3; ++boundary) {
        Shape holes = grid(4, 3);
        holes.holes = {5, 10};
        add("holes", holes, 50, most, boundary);
    }
    // faces at ends that are all infinitely sharp stay
    Shape none = grid(4, 3);
    for (int i = 0; i < 4; ++i) none.crease(i, i + 1, FOREVER);
    add("none", none, 20, most, 0);
    for (int i = 0; i < 2; ++i) none.crease(5 * i + 4, 5 * i + 9, FOREVER);
    add("none", none, 20, most, 0);
    // triangles
    const auto triangles = [&](const char* name, Shape shape, unsigned percent, unsigned highest, int boundary = 2) {
        cut_into_triangles(shape);
        add(name, shape, percent, highest, boundary);
    };
    triangles("triangles cube", cube(), 50, most);
    triangles("triangles cube", cube(), 80, 80);
    triangles("triangles torus", torus(3, 4), 40, most);
    for (int boundary = 0; boundary < 3; ++boundary) triangles("triangles grid", grid(3, 2), 50, most, boundary);
    triangles("triangles book", book(3, 2), 30, most);
    triangles("triangles vertex", cubes(1), 30, most);
    triangles("triangles edge", cubes(2), 30, most);
    triangles("triangles moebius", moebius(5, 1), 30, most);
    for (Shape& shape : shapes) {
        for (char& c : shape.name) c = c == ' ' ? '_' : c;
        write(shape, chaikin, false);
    }
}
