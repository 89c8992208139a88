// The model that the page holds: arrays as subsolid wrote them (src/view/scene.rs), decoded.
import { elevate, length, sidePlaces } from "./bezier.js";

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function unpack(text) {
  const stream = new Blob([fromBase64(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

const ARRAYS = { Uint8Array, Int8Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array };
const GROUP = 16; // values with one base

class Sections {
  constructor(buffer, start, table) {
    Object.assign(this, { buffer, start, table });
  }
  has(name) {
    return name in this.table;
  }
  get(name) {
    const section = this.table[name];
    if (!section) return null;
    return new ARRAYS[section.type](this.buffer, this.start + section.at, section.count);
  }
  // Values as bases and differences in single precision (`push_values` in src/view/values.rs); the
  // high bytes of all differences come first.
  values(name) {
    const bytes = this.get(name);
    if (!bytes) return null;
    const count = bytes.length / 4, bases = this.get(`${name} base`), scale = 2 ** this.get(`${name} exponent`)[0];
    const number = new DataView(new ArrayBuffer(4));
    const at = (i) => {
      for (let k = 0; k < 4; k++) number.setUint8(k, bytes[k * count + i]);
      return (bases[Math.floor(i / GROUP)] + number.getFloat32(0)) * scale;
    };
    return { count, at };
  }
}

// For each of 16 or 64 points those on the border of its edge, face or box that predict it, and
// their weights over 9 or 27 (`predicted` in src/view/lattice.rs); in an order in which what
// predicts comes first.
function predictions(count) {
  const dimensions = count === 16 ? 2 : 3, axes = [...Array(dimensions).keys()];
  const bits = (set) => axes.filter((d) => (set >> d) & 1);
  const found = Array.from({ length: count }, (_, place) => {
    const along = axes.map((d) => (place >> (2 * d)) & 3);
    const free = axes.reduce((set, d) => set | (along[d] % 3 ? 1 << d : 0), 0), terms = [];
    for (let set = 1; set < 1 << dimensions; set++) {
      if (set & ~free) continue;
      const directions = bits(set), sign = directions.length % 2 ? 1 : -1;
      for (let ends = 0; ends < 1 << dimensions; ends++) {
        if (ends & ~set) continue;
        let weight = sign * 3 ** (dimensions - directions.length), at = place;
        for (const d of directions) {
          const high = (ends >> d) & 1;
          weight *= high ? along[d] : 3 - along[d];
          at = (at & ~(3 << (2 * d))) | (high ? 3 << (2 * d) : 0);
        }
        terms.push([at, weight]);
      }
    }
    return { place, terms, rank: bits(free).length };
  });
  return found.sort((a, b) => a.rank - b.rank || a.place - b.place);
}

// Points of patches on their lattices: differences from what other points predict, modulo 2^16
// (src/view/lattice.rs). Like all positions here they are relative to the model's center, over its
// size: the largest and the smallest models are drawn alike.
class Lattice {
  constructor(sections, count) {
    this.exponent = sections.get("exponent");
    this.base = sections.get("base");
    this.bytes = sections.get("points"); // the high bytes of all numbers, then the low ones
    Object.assign(this, { count, scratch: new Int32Array(3 * count) });
    // flat: this runs for every point of a page
    const order = predictions(count), terms = order.flatMap((p) => p.terms);
    this.order = Uint8Array.from(order, (p) => p.place);
    this.ends = Int32Array.from(order, (_, k) => order.slice(0, k + 1).reduce((sum, p) => sum + p.terms.length, 0));
    this.from = Uint8Array.from(terms, ([at]) => 3 * at);
    this.weights = Int32Array.from(terms, ([, weight]) => weight);
  }
  get length() {
    return this.exponent.length;
  }
  // `count` points of patch i, into out[stride * k + d]
  points(i, out, stride) {
    const { bytes, count: n, scratch: numbers, order, ends, from, weights, base } = this;
    const step = 2 ** this.exponent[i], half = bytes.length / 2, first = 3 * n * i, whole = n === 16 ? 9 : 27;
    for (let q = 0, term = 0; q < n; q++) {
      let x = 0, y = 0, z = 0;
      for (; term < ends[q]; term++) {
        const weight = weights[term], at = from[term];
        x += weight * numbers[at];
        y += weight * numbers[at + 1];
        z += weight * numbers[at + 2];
      }
      const at = 3 * order[q], k = first + at;
      const a = (bytes[k] << 8) | bytes[half + k], b = (bytes[k + 1] << 8) | bytes[half + k + 1], c = (bytes[k + 2] << 8) | bytes[half + k + 2];
      numbers[at] = (Math.floor(x / whole) + ((a >> 1) ^ -(a & 1))) & 0xffff;
      numbers[at + 1] = (Math.floor(y / whole) + ((b >> 1) ^ -(b & 1))) & 0xffff;
      numbers[at + 2] = (Math.floor(z / whole) + ((c >> 1) ^ -(c & 1))) & 0xffff;
    }
    for (let k = 0; k < n; k++)
      for (let d = 0; d < 3; d++) out[stride * k + d] = (base[3 * i + d] + numbers[3 * k + d]) * step;
    return out;
  }
}

export class Model {
  constructor(buffer, interior) {
    const length = new DataView(buffer).getUint32(0, true);
    this.head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    const start = Math.ceil((4 + length) / 8) * 8;
    this.sections = new Sections(buffer, start, this.head.sections);
    this.inside = new Sections(interior, 0, this.head.interior);
    const { sections, head } = this;
    this.element = sections.get("element");
    this.elementCell = sections.get("element_cell");
    this.elementCorner = sections.get("element_corner");
    this.layer = sections.get("layer");
    this.place = sections.get("place");
    this.isLinear = head.mode === "linear";
    this.isSolid = head.mode === "solid" || this.isLinear;
    this.isTriangles = head.mode === "triangles";
    if (this.isLinear) {
      this.vertex = sections.get("vertex");
      this.corner = sections.get("corner");
      this.side = sections.get("side");
      this.pieceElements = null;
      this.pieceCount = this.corner.length / 8;
    } else if (!this.isTriangles) {
      this.lattice = new Lattice(sections, 16);
      this.pieceElements = this.inside.get("element");
      this.pieceCount = this.pieceElements?.length ?? 0;
      if (this.pieceCount) {
        this.pieceLattice = new Lattice(this.inside, 64);
        this.boxes = this.inside.get("box");
      }
    }
    // places that are nearer to each other may be one: a step of the lattice inside
    this.near = Math.max(5e-6, this.pieceCount && this.pieceLattice ? 2 ** this.pieceLattice.exponent.reduce((a, b) => Math.max(a, b)) : 0);
    this.displacement = null;
    this.patchCount = this.isTriangles ? 0 : this.element.length;
    this.cellCount = this.isSolid ? sections.get("layer").length : 1 + this.element.reduce((a, e) => Math.max(a, this.cellOf(e)), 0);
  }

  // Point arrays of three components: sections, and the length that no value exceeds.
  get vectors() {
    const all = this.head.channels.filter((c) => c.on === "point"), found = [];
    for (const name of new Set(all.map((c) => c.name))) {
      const own = all.filter((c) => c.name === name);
      const most = length(own.map((c) => Math.max(Math.abs(c.low), Math.abs(c.high))));
      if (own.length === 3 && most > 0) found.push({ name, sections: own.map((c) => c.section), most });
    }
    return found;
  }

  // Moves all points by `factor` times a vector of `vectors`; null: as they are.
  displace(vector, factor) {
    this.displacement = vector && factor ? { ...vector, factor } : null;
  }

  // Adds the displacement to points, whose k-th value of a section is `valuesOf(section)[k]`.
  displaced(points, valuesOf) {
    if (!this.displacement) return points;
    const { sections, factor } = this.displacement;
    sections.map(valuesOf).forEach((values, d) => values?.forEach((u, k) => (points[3 * k + d] += (factor * u) / this.head.size)));
    return points;
  }

  // Vertices of triangles.
  vertices() {
    const vertices = this.sections.get("vertex"), all = (section) => {
      const { count, at } = this.sections.values(section);
      return Float64Array.from({ length: count }, (_, k) => at(k));
    };
    return this.displacement ? this.displaced(vertices.slice(), all) : vertices;
  }

  // Of the control points along a normal: the least and the greatest, as far as they are displaced.
  extent(normal) {
    const vertices = this.sections.get("control vertex") ?? this.sections.get("vertex");
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < vertices.length; i += 3) {
      const h = vertices[i] * normal[0] + vertices[i + 1] * normal[1] + vertices[i + 2] * normal[2];
      low = Math.min(low, h);
      high = Math.max(high, h);
    }
    const reach = this.displacement ? (Math.abs(this.displacement.factor) * this.displacement.most) / this.head.size : 0;
    return low <= high ? [low - reach, high + reach] : [-1, 1];
  }

  // Along x, y and z.
  get extents() {
    return [0, 1, 2].map((d) => {
      const [low, high] = this.extent([0, 1, 2].map((k) => Number(k === d)));
      return high - low;
    });
  }

  get hasInterior() {
    return this.isSolid && this.pieceCount > 0;
  }

  cellOf(element) {
    return this.elementCell ? this.elementCell[element] : element;
  }

  cornerOf(element) {
    const corner = this.elementCorner ? this.elementCorner[element] : 255;
    return corner === 255 ? null : corner;
  }

  elementOfPiece(piece) {
    return this.pieceElements ? this.pieceElements[piece] : piece;
  }

  // origin and edge lengths in the element's parameters
  box(piece) {
    return this.boxes ? this.boxes.subarray(6 * piece, 6 * piece + 6) : [0, 0, 0, 1, 1, 1];
  }

  // 64 points of a piece
  piecePoints(piece) {
    return this.displaced(this.restPoints(piece), (section) => this.pieceValues(piece, section));
  }

  // The same without displacement
  restPoints(piece) {
    if (!this.isLinear) return this.pieceLattice.points(piece, new Float64Array(192), 3);
    const corners = new Float64Array(24);
    for (let k = 0; k < 8; k++)
      for (let d = 0; d < 3; d++) corners[3 * k + d] = this.vertex[3 * this.corner[8 * piece + k] + d];
    return elevate(corners, 3);
  }

  // 64 values of an attribute; null without one
  pieceValues(piece, section) {
    if (this.isLinear) {
      const values = this.sections.values(section);
      return values && elevate(Array.from({ length: 8 }, (_, k) => values.at(this.corner[8 * piece + k])), 1);
    }
    const values = this.inside.values(section);
    return values && Float64Array.from({ length: 64 }, (_, k) => values.at(64 * piece + k));
  }

  // A patch of the boundary: 16 points, and where it lies in its element.
  patch(i) {
    const element = this.element[i], cell = this.cellOf(element);
    if (this.isLinear) return this.pieceSide(element, this.side[i] & 3, this.side[i] >> 2 === 1);
    const { place } = this, triple = (k) => [place[k], place[k + 1], place[k + 2]], along = [triple(9 * i + 3), triple(9 * i + 6)];
    const patch = { element, cell, points: this.lattice.points(i, new Float64Array(48), 3), origin: triple(9 * i), along, boundary: i };
    this.displaced(patch.points, (section) => this.patchValues(patch, section));
    return patch;
  }

  patchValues(patch, section) {
    if (patch.boundary === undefined) {
      const all = this.pieceValues(patch.piece, section);
      return all && patch.places.map((k) => all[k]);
    }
    const values = this.sections.values(section);
    return values && Array.from({ length: 16 }, (_, k) => values.at(16 * patch.boundary + k));
  }

  // Whether the corners of a linear piece coincide: a cell or part of one that is no hexahedron.
  isCollapsed(piece) {
    const corner = (k) => this.corner[8 * piece + k];
    return this.isLinear && (corner(2) === corner(3) || corner(4) === corner(5));
  }

  // The side of a piece, as a patch.
  pieceSide(piece, axis, high) {
    const { along, places } = sidePlaces(axis, high), all = this.piecePoints(piece), box = this.box(piece);
    const points = new Float64Array(48);
    places.forEach((k, n) => points.set(all.subarray(3 * k, 3 * k + 3), 3 * n));
    const origin = [box[0], box[1], box[2]];
    if (high) origin[axis] += box[3 + axis];
    const direction = (d) => [0, 1, 2].map((x) => (x === d ? box[3 + d] : 0));
    const element = this.elementOfPiece(piece);
    return { element, cell: this.cellOf(element), points, places, piece, origin, along: along.map(direction) };
  }

  // Sides of a piece that lie on its cell's boundary.
  outerSides(piece) {
    const box = this.box(piece), corner = this.cornerOf(this.elementOfPiece(piece)), sides = [];
    for (let axis = 0; axis < 3; axis++) {
      if (box[axis] === 0) sides.push([axis, false]);
      if (corner === null && box[axis] + box[3 + axis] === 1) sides.push([axis, true]);
    }
    return sides;
  }

  piecesOf() {
    if (!this.pieces) {
      this.pieces = new Map();
      for (let i = 0; i < this.pieceCount; i++) {
        const cell = this.cellOf(this.elementOfPiece(i));
        if (!this.pieces.has(cell)) this.pieces.set(cell, []);
        this.pieces.get(cell).push(i);
      }
    }
    return this.pieces;
  }

  // The piece that holds parameters of an element, and the parameters within it.
  pieceAt(element, p) {
    for (const piece of this.piecesOf().get(this.cellOf(element)) ?? []) {
      if (this.elementOfPiece(piece) !== element) continue;
      const box = this.box(piece), local = [0, 1, 2].map((d) => (p[d] - box[d]) / box[3 + d]);
      if (local.every((x) => x >= -1e-9 && x <= 1 + 1e-9)) return { piece, local };
    }
    return null;
  }

  channelValues(channel) {
    return channel.on === "cell" ? this.sections.get(channel.section) : null;
  }

  // Of a position in the picture, in length units.
  absolute(p) {
    return [0, 1, 2].map((d) => p[d] * this.head.size + this.head.center[d]);
  }

  // Of a position in length units, in the picture.
  local(p) {
    return [0, 1, 2].map((d) => (p[d] - this.head.center[d]) / this.head.size);
  }
}
