// Normals of triangles that stand for nothing finer: smooth but across sharp edges.
import { cross, dot, length } from "./bezier.js";

const SHARP = Math.cos((40 * Math.PI) / 180);

// Of every corner of the triangles: the area vectors around its vertex that turn from that of the
// triangle by less than 40 degrees, summed.
export function cornerNormals(vertex, triangle) {
  const count = triangle.length / 3, areas = new Float64Array(3 * count), out = new Float32Array(9 * count), around = [];
  // vertices are joined by their places: along seams, too
  const numbers = new Map(), joined = Uint32Array.from({ length: vertex.length / 3 }, (_, v) => {
    const place = vertex.subarray(3 * v, 3 * v + 3).join();
    if (!numbers.has(place)) numbers.set(place, numbers.size);
    return numbers.get(place);
  });
  const at = (corner) => vertex.subarray(3 * triangle[corner], 3 * triangle[corner] + 3);
  for (let t = 0; t < count; t++) {
    const [a, b, c] = [0, 1, 2].map((k) => at(3 * t + k)), side = (p) => [0, 1, 2].map((d) => p[d] - a[d]);
    areas.set(cross(side(b), side(c)), 3 * t);
    for (let k = 0; k < 3; k++) (around[joined[triangle[3 * t + k]]] ??= []).push(t);
  }
  const area = (t) => areas.subarray(3 * t, 3 * t + 3), lengths = Float64Array.from({ length: count }, (_, t) => length(area(t)));
  for (let corner = 0; corner < triangle.length; corner++) {
    const own = Math.floor(corner / 3);
    for (const other of around[joined[triangle[corner]]])
      if (dot(area(own), area(other)) >= SHARP * lengths[own] * lengths[other]) for (let d = 0; d < 3; d++) out[3 * corner + d] += areas[3 * other + d];
    const size = length(out.subarray(3 * corner, 3 * corner + 3)) || 1;
    for (let d = 0; d < 3; d++) out[3 * corner + d] /= size;
  }
  return out;
}
