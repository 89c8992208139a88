// Cubic Bézier patches and pieces, in double precision: what the shader draws, and what a pick
// or a cut evaluates. Points are flat arrays, `stride` numbers a point, s or u fastest.

export function cubic(t) {
  const s = 1 - t;
  return [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
}

export function slope(t) {
  const s = 1 - t;
  return [-3 * s * s, 3 * s * s - 6 * s * t, 6 * s * t - 3 * t * t, 3 * t * t];
}

// Σ weights over `count` numbers of each of the 4 × 4 points
function sum2(points, count, a, b) {
  const out = new Array(count).fill(0);
  for (let j = 0; j < 4; j++)
    for (let i = 0; i < 4; i++) {
      const w = a[i] * b[j], at = (4 * j + i) * count;
      for (let c = 0; c < count; c++) out[c] += w * points[at + c];
    }
  return out;
}

export function patchPoint(points, s, t, count = 3) {
  return sum2(points, count, cubic(s), cubic(t));
}

export function patchDerivatives(points, s, t) {
  return [sum2(points, 3, slope(s), cubic(t)), sum2(points, 3, cubic(s), slope(t))];
}

function sum3(points, count, a, b, c) {
  const out = new Array(count).fill(0);
  for (let k = 0; k < 4; k++)
    for (let j = 0; j < 4; j++) {
      const bc = b[j] * c[k];
      for (let i = 0; i < 4; i++) {
        const w = a[i] * bc, at = (16 * k + 4 * j + i) * count;
        for (let d = 0; d < count; d++) out[d] += w * points[at + d];
      }
    }
  return out;
}

export function piecePoint(points, p, count = 3) {
  return sum3(points, count, cubic(p[0]), cubic(p[1]), cubic(p[2]));
}

// Derivatives by u, v and w of the piece's own parameters.
export function pieceDerivatives(points, p) {
  const [a, b, c] = p.map(cubic), [x, y, z] = p.map(slope);
  return [sum3(points, 3, x, b, c), sum3(points, 3, a, y, c), sum3(points, 3, a, b, z)];
}

// The 4 × 4 points of a side of a piece, right-handed from outside in a right-handed piece.
export function sidePlaces(axis, high) {
  const along = [(axis + 1) % 3, (axis + 2) % 3];
  if (!high) along.reverse();
  const step = [1, 4, 16], first = high ? 3 * step[axis] : 0, places = [];
  for (let j = 0; j < 4; j++)
    for (let i = 0; i < 4; i++) places.push(first + i * step[along[0]] + j * step[along[1]]);
  return { along, places };
}

// Parameter bits of VTK's corners of a hexahedron.
const CORNER_BITS = [0, 1, 3, 2, 4, 5, 7, 6];

// Bézier points of a trilinear cell from `count` numbers at its corners in VTK's order.
export function elevate(corners, count) {
  const out = new Float64Array(64 * count);
  for (let n = 0; n < 64; n++) {
    const p = [n & 3, (n >> 2) & 3, n >> 4].map((x) => x / 3);
    for (let k = 0; k < 8; k++) {
      let w = 1;
      for (let d = 0; d < 3; d++) w *= (CORNER_BITS[k] >> d) & 1 ? p[d] : 1 - p[d];
      for (let c = 0; c < count; c++) out[n * count + c] += w * corners[k * count + c];
    }
  }
  return out;
}

export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a) => Math.sqrt(dot(a, a));
