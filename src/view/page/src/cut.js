// Caps of a plane cut: marching tetrahedra in the parameters of every piece that the plane
// crosses, so that each corner of a cap knows its (u, v, w). Corners are moved onto the plane by
// secant steps along the edge of the sub-grid.
import { cubic, piecePoint } from "./bezier.js";

// Kuhn's six tetrahedra of a cube, as corners by parameter bits.
const TETRAHEDRA = [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];

const tables = new Map();
function basis(n) {
  if (!tables.has(n)) tables.set(n, Array.from({ length: n + 1 }, (_, i) => cubic(i / n)));
  return tables.get(n);
}

// Heights of a piece's points at (n + 1)³ places, from its 64 heights.
function grid(heights, n) {
  const table = basis(n), m = n + 1;
  const a = new Float64Array(16 * m), b = new Float64Array(4 * m * m), out = new Float64Array(m * m * m);
  for (let jk = 0; jk < 16; jk++)
    for (let i = 0; i < m; i++) {
      const w = table[i];
      a[jk * m + i] = w[0] * heights[4 * jk] + w[1] * heights[4 * jk + 1] + w[2] * heights[4 * jk + 2] + w[3] * heights[4 * jk + 3];
    }
  for (let k = 0; k < 4; k++)
    for (let j = 0; j < m; j++)
      for (let i = 0; i < m; i++)
        for (let q = 0; q < 4; q++) b[(k * m + j) * m + i] += table[j][q] * a[(4 * k + q) * m + i];
  for (let k = 0; k < m; k++)
    for (let ji = 0; ji < m * m; ji++)
      for (let q = 0; q < 4; q++) out[k * m * m + ji] += table[k][q] * b[q * m * m + ji];
  return out;
}

// plane: { normal, distance }, what is above it is cut away. What is nearer than the points are
// exact lies on it: a plane through faces of cells cuts the cells below it alone. Calls `triangle` with the corners
// of the caps: [piece, u, v, w] of the piece's own parameters.
export function cut(model, plane, visible, fine, triangle) {
  const { near } = model;
  for (let piece = 0; piece < model.pieceCount; piece++) {
    if (!visible(model.cellOf(model.elementOfPiece(piece)))) continue;
    const points = model.piecePoints(piece), heights = new Float64Array(64);
    let low = Infinity, high = -Infinity;
    for (let k = 0; k < 64; k++) {
      heights[k] = points[3 * k] * plane.normal[0] + points[3 * k + 1] * plane.normal[1] + points[3 * k + 2] * plane.normal[2] - plane.distance;
      low = Math.min(low, heights[k]);
      high = Math.max(high, heights[k]);
    }
    if (low > -near || high < -near) continue;
    let extent = 0;
    for (let d = 0; d < 3; d++) extent = Math.max(extent, Math.abs(points[189 + d] - points[d]));
    const n = fine ? Math.min(8, Math.max(2, Math.ceil(64 * extent))) : 2, m = n + 1;
    const values = grid(heights, n).map((h) => (Math.abs(h) < near ? 0 : h)), known = new Map();
    const height = (p) => piecePoint(heights, p, 1)[0];
    const crossing = (a, b) => {
      const key = a < b ? a * m * m * m + b : b * m * m * m + a;
      if (known.has(key)) return known.get(key);
      const at = (x) => [x % m, Math.floor(x / m) % m, Math.floor(x / (m * m))].map((i) => i / n);
      const [pa, pb] = [at(a), at(b)], mix = (t) => [0, 1, 2].map((d) => pa[d] + t * (pb[d] - pa[d]));
      let [t0, h0, t1, h1] = [0, values[a], 1, values[b]], t = h0 / (h0 - h1);
      for (let step = 0; fine && h0 && h1 && step < 12; step++) {
        const h = height(mix(t));
        if (Math.abs(h) < 1e-7) break;
        if (h > 0 === h0 > 0) [t0, h0] = [t, h];
        else [t1, h1] = [t, h];
        t = t0 + (h0 / (h0 - h1)) * (t1 - t0);
      }
      const p = mix(t);
      known.set(key, p);
      return p;
    };
    for (let cell = 0; cell < n * n * n; cell++) {
      const i = cell % n, j = Math.floor(cell / n) % n, k = Math.floor(cell / (n * n));
      const at = (bits) => i + (bits & 1) + m * (j + ((bits >> 1) & 1)) + m * m * (k + (bits >> 2));
      let above = 0;
      for (let bits = 0; bits < 8; bits++) above += values[at(bits)] >= 0;
      if (above === 0 || above === 8) continue;
      for (const tetrahedron of TETRAHEDRA) {
        const up = [], down = [];
        for (const bits of tetrahedron) (values[at(bits)] >= 0 ? up : down).push(at(bits));
        if (up.length === 0 || down.length === 0) continue;
        if (up.length === 1 || down.length === 1) {
          const [one, three] = up.length === 1 ? [up[0], down] : [down[0], up];
          triangle(piece, points, ...three.map((other) => crossing(one, other)));
        } else {
          const quad = [crossing(up[0], down[0]), crossing(up[0], down[1]), crossing(up[1], down[1]), crossing(up[1], down[0])];
          triangle(piece, points, quad[0], quad[1], quad[2]);
          triangle(piece, points, quad[0], quad[2], quad[3]);
        }
      }
    }
  }
}
