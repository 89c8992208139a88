// Writes face_varying.txt beside this file: texture coordinates of some cases of the other tables,
// refined twice by OpenSubdiv under each of its rules, in double precision. Written with
// OpenSubdiv 3.5.0 (Debian libosd-dev 3.5.0-2).
//
//     g++ -O2 -std=c++17 face_varying.cpp -losdCPU -o face_varying
//     ./face_varying uniform.txt chaikin.txt triangles.txt > face_varying.txt
//
// Per case: number of the case among all, `t` one index a face corner, `u` coordinates; then a
// line a rule: sums of u, v, uu, uv, vv, ux, uy, uz, vx, vy, vz over the corners of all faces.
#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefinerFactory.h>
#include <opensubdiv/version.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace OpenSubdiv;
using Options = Sdc::Options;

constexpr int LEVELS = 2;

template <int N> struct Value {
    std::array<double, N> x{};
    void Clear() { x.fill(0.0); }
    void AddWithWeight(const Value& p, double w) {
        for (int d = 0; d < N; ++d) x[d] += w * p.x[d];
    }
};

struct Random {
    uint64_t state;
    unsigned below(unsigned n) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return unsigned(state >> 33) % n;
    }
};

struct Case {
    std::vector<Value<3>> points;
    std::vector<int> sizes, corners, crease_ends, corner_vertices, holes;
    std::vector<float> creases, corner_sharpness;
    int boundary = 2;
    bool loop = false, chaikin = false, smooth_triangles = false;
};

std::vector<Case> read(const char* path, bool chaikin) {
    std::vector<Case> cases;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "case") {
            std::string name, scheme;
            Case next;
            words >> name >> scheme >> next.boundary;
            next.loop = scheme == "loop";
            next.chaikin = chaikin;
            cases.push_back(next);
        }
        if (cases.empty()) continue;
        Case& now = cases.back();
        if (word == "v") {
            Value<3> p;
            words >> p.x[0] >> p.x[1] >> p.x[2];
            now.points.push_back(p);
        } else if (word == "f") {
            int n = 0;
            for (int v; words >> v; ++n) now.corners.push_back(v);
            now.sizes.push_back(n);
        } else if (word == "e" || word == "c") {
            int ends[2] = {};
            std::string s;
            for (int i = 0; i < (word == "e" ? 2 : 1); ++i) words >> ends[i];
            words >> s;
            const float sharpness = s == "inf" ? 10.0f : std::stof(s);
            if (word == "e") {
                now.crease_ends.insert(now.crease_ends.end(), {ends[0], ends[1]});
                now.creases.push_back(sharpness);
            } else {
                now.corner_vertices.push_back(ends[0]);
                now.corner_sharpness.push_back(sharpness);
            }
        } else if (word == "h") {
            int f;
            words >> f;
            now.holes.push_back(f);
        }
    }
    return cases;
}

void write(int number, const Case& mesh, Random& random) {
    // islands of faces, and corners of their own; a value belongs to corners that edges join, for
    // OpenSubdiv mixes up the values of faces that only touch
    const unsigned islands = 1 + random.below(3), alone = 4 + random.below(30);
    const size_t count = mesh.corners.size();
    std::vector<int> island, group(count);
    std::map<std::array<int, 2>, std::vector<size_t>> edges; // vertex, other end: corners there
    for (size_t f = 0, at = 0; f < mesh.sizes.size(); at += mesh.sizes[f++]) {
        const int size = mesh.sizes[f], of = int(random.below(islands));
        for (int i = 0; i < size; ++i) {
            const bool is_alone = random.below(alone) == 0;
            island.push_back(is_alone ? int(1000 + at + i) : of);
            const int v = mesh.corners[at + i];
            edges[{v, mesh.corners[at + (i + 1) % size]}].push_back(at + i);
            edges[{v, mesh.corners[at + (i + size - 1) % size]}].push_back(at + i);
        }
    }
    for (size_t c = 0; c < count; ++c) group[c] = int(c);
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [ends, corners] : edges) {
            for (size_t a : corners) {
                for (size_t b : corners) {
                    if (island[a] == island[b] && group[a] < group[b]) {
                        group[b] = group[a];
                        changed = true;
                    }
                }
            }
        }
    }
    std::map<int, int> numbers;
    std::vector<Value<2>> values;
    std::vector<int> ids;
    for (int of : group) {
        const auto [entry, is_new] = numbers.insert({of, int(values.size())});
        if (is_new) values.push_back({{int(random.below(129)) / 64.0, int(random.below(129)) / 64.0}});
        ids.push_back(entry->second);
    }
    std::printf("case %d\nt", number);
    for (int id : ids) std::printf(" %d", id);
    std::printf("\nu");
    for (const auto& value : values) std::printf(" %.17g %.17g", value.x[0], value.x[1]);
    std::printf("\n");
    for (int rule = 0; rule < 6; ++rule) {
        Options options;
        options.SetVtxBoundaryInterpolation(Options::VtxBoundaryInterpolation(
            mesh.boundary == 0 ? Options::VTX_BOUNDARY_NONE
                               : mesh.boundary == 1 ? Options::VTX_BOUNDARY_EDGE_AND_CORNER
                                                    : Options::VTX_BOUNDARY_EDGE_ONLY));
        options.SetCreasingMethod(mesh.chaikin ? Options::CREASE_CHAIKIN : Options::CREASE_UNIFORM);
        options.SetTriangleSubdivision(mesh.smooth_triangles ? Options::TRI_SUB_SMOOTH
                                                             : Options::TRI_SUB_CATMARK);
        options.SetFVarLinearInterpolation(Options::FVarLinearInterpolation(rule));
        Far::TopologyDescriptor descriptor;
        descriptor.numVertices = int(mesh.points.size());
        descriptor.numFaces = int(mesh.sizes.size());
        descriptor.numVertsPerFace = mesh.sizes.data();
        descriptor.vertIndicesPerFace = mesh.corners.data();
        descriptor.numCreases = int(mesh.creases.size());
        descriptor.creaseVertexIndexPairs = mesh.crease_ends.data();
        descriptor.creaseWeights = mesh.creases.data();
        descriptor.numCorners = int(mesh.corner_vertices.size());
        descriptor.cornerVertexIndices = mesh.corner_vertices.data();
        descriptor.cornerWeights = mesh.corner_sharpness.data();
        descriptor.numHoles = int(mesh.holes.size());
        descriptor.holeIndices = mesh.holes.data();
        Far::TopologyDescriptor::FVarChannel channel;
        channel.numValues = int(values.size());
        channel.valueIndices = ids.data();
        descriptor.numFVarChannels = 1;
        descriptor.fvarChannels = &channel;
        using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
        const auto scheme = mesh.loop ? Sdc::SCHEME_LOOP : Sdc::SCHEME_CATMARK;
        std::unique_ptr<Far::TopologyRefiner> refiner(
            Factory::Create(descriptor, Factory::Options(scheme, options)));
        Far::TopologyRefiner::UniformOptions uniform(LEVELS);
        uniform.fullTopologyInLastLevel = true;
        refiner->RefineUniform(uniform);
        const Far::PrimvarRefinerReal<double> primvar(*refiner);
        std::vector<Value<3>> points = mesh.points;
        std::vector<Value<2>> uv = values;
        for (int level = 1; level <= LEVELS; ++level) {
            std::vector<Value<3>> fine(refiner->GetLevel(level).GetNumVertices());
            primvar.Interpolate(level, points, fine);
            points = fine;
            std::vector<Value<2>> fine_uv(refiner->GetLevel(level).GetNumFVarValues(0));
            primvar.InterpolateFaceVarying(level, uv, fine_uv, 0);
            uv = fine_uv;
        }
        const auto& last = refiner->GetLevel(LEVELS);
        double sums[11] = {};
        for (int f = 0; f < last.GetNumFaces(); ++f) {
            const auto vertices = last.GetFaceVertices(f), corners = last.GetFaceFVarValues(f, 0);
            for (int i = 0; i < vertices.size(); ++i) {
                const auto [u, v] = uv[corners[i]].x;
                const auto [x, y, z] = points[vertices[i]].x;
                const double terms[11] = {u, v, u * u, u * v, v * v, u * x, u * y, u * z, v * x, v * y, v * z};
                for (int k = 0; k < 11; ++k) sums[k] += terms[k];
            }
        }
        std::printf("%d", rule);
        for (double sum : sums) std::printf(" %.17g", sum);
        std::printf("\n");
    }
}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    std::vector<Case> cases = read(argv[1], false);
    for (const Case& mesh : read(argv[2], true)) cases.push_back(mesh);
    for (Case& mesh : read(argv[3], false)) {
        mesh.smooth_triangles = true;
        cases.push_back(mesh);
    }
    std::printf("# OpenSubdiv %d.%d.%d, Far in double precision, by face_varying.cpp\n",
                OPENSUBDIV_VERSION_MAJOR, OPENSUBDIV_VERSION_MINOR, OPENSUBDIV_VERSION_PATCH);
    Random random{5};
    for (size_t i = 0; i < cases.size(); ++i) {
        if (i % 3 == 0 || !cases[i].creases.empty()) write(int(i), cases[i], random);
    }
}
