// Draws a model: patches of the boundary or of single cells, caps, lines; finds what is under
// the cursor.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { cornerNormals } from "./normals.js";
import { cross, dot, length, patchPoint, patchDerivatives, piecePoint, pieceDerivatives } from "./bezier.js";
import { CATEGORIES, mapTexture } from "./colors.js";
import { cut } from "./cut.js";
import { FRAGMENT, PATCH_VERTEX, TEXELS, VERTEX } from "./shaders.js";

const WIDTH = 4000; // texels in a row, 200 patches
const GRIDS = [1, 2, 4, 8, 16, 32];
const OVERLAP = 0.03; // of a step of the grid
// Parameters that differ by less are those of one face.
const SAME = 1e-3;
// Sides of single cells that are shown at most.
export const MOST_SIDES = 400000;

function gridGeometry(n) {
  const positions = [], index = [];
  // the ends a little farther: no gaps where neighbors have finer grids
  const at = (i) => (i + (i === n ? OVERLAP : i === 0 ? -OVERLAP : 0)) / n;
  for (let j = 0; j <= n; j++) for (let i = 0; i <= n; i++) positions.push(at(i), at(j));
  for (let j = 0; j < n; j++)
    for (let i = 0; i < n; i++) {
      const a = j * (n + 1) + i;
      index.push(a, a + 1, a + n + 2, a, a + n + 2, a + n + 1);
    }
  return { positions: new THREE.Float32BufferAttribute(positions, 2), index };
}

export class View {
  constructor(model, canvas) {
    this.model = model;
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    const gl = this.renderer.getContext();
    this.gpu = gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER);
    this.isSoftware = /swiftshader|llvmpipe|software/i.test(this.gpu);
    this.canPick = Boolean(gl.getExtension("EXT_color_buffer_float"));
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(30, 1, 0.001, 20);
    this.upright = model.head.up === "y" ? [0, 1, 0] : [0, 0, 1];
    this.camera.up.set(...this.upright);
    this.controls = new OrbitControls(this.camera, canvas);
    Object.assign(this.controls, { zoomToCursor: true, minDistance: 1e-4, maxDistance: 15 });
    this.controls.addEventListener("change", () => this.request());
    this.controls.addEventListener("end", () => this.moved());
    // moves of a close view are too small for a change event
    canvas.addEventListener("pointermove", (e) => e.buttons && this.request());
    // a turn of the wheel is a small step, a pinch is what the fingers do
    canvas.addEventListener("wheel", () => (this.controls.zoomSpeed = 2), { capture: true, passive: true });
    canvas.addEventListener("pointerdown", () => (this.controls.zoomSpeed = 1), true);
    this.uniforms = {
      points: { value: null }, explode: { value: 0 }, byCell: { value: true }, picking: { value: false },
      clipping: { value: false }, plane: { value: new THREE.Vector4(1, 0, 0, 0) }, cellLines: { value: true },
      isolines: { value: 0 }, range: { value: new THREE.Vector2(0, 1) }, colors: { value: null },
      categories: { value: true }, redBelowZero: { value: false }, lineColor: { value: new THREE.Color(0.1, 0.12, 0.15) },
    };
    const material = (vertexShader, isCap) =>
      new THREE.RawShaderMaterial({
        vertexShader, fragmentShader: FRAGMENT, glslVersion: THREE.GLSL3, side: THREE.DoubleSide,
        uniforms: { ...this.uniforms, isCap: { value: isCap } },
      });
    this.patchMaterial = material(PATCH_VERTEX, false);
    this.triangleMaterial = material(VERTEX, false);
    this.capMaterial = material(VERTEX, true);
    this.grids = new Map(GRIDS.map((n) => [n, gridGeometry(n)]));
    this.patches = [];
    this.target = new THREE.WebGLRenderTarget(1, 1, { type: THREE.FloatType, magFilter: THREE.NearestFilter, minFilter: THREE.NearestFilter });
    this.lines = {};
    this.renderer.localClippingEnabled = true;
    this.lineClips = [];
    this.byClass = false;
    if (model.isTriangles) this.setTriangles();
    this.home();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  home() {
    this.look([0, 0, 0], this.upright[1] ? [1, 0.82, 1.45] : [1, -1.45, 0.82]);
    this.onMove?.();
  }

  // At a target, from an arm away.
  look(target, arm) {
    this.controls.target.set(...target);
    this.camera.position.set(...target.map((x, d) => x + arm[d]));
    this.controls.update();
    this.request();
  }

  // The camera stands elsewhere.
  moved() {
    this.onMove?.();
    this.request();
  }

  // From the target to the eye.
  get arm() {
    return this.camera.position.clone().sub(this.controls.target);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(this.isSoftware ? 1 : 2, window.devicePixelRatio));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    // the whole model in narrow windows, too
    this.camera.fov = width < height ? 30 * Math.min(2, height / width) : 30;
    this.camera.updateProjectionMatrix();
    this.request();
  }

  request() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const distance = this.camera.position.distanceTo(this.controls.target), size = 1 + 2 * this.uniforms.explode.value;
    this.camera.near = Math.max(distance - 2 * size, distance / 500, size * 1e-6);
    this.camera.far = distance + 3 * size;
    this.camera.updateProjectionMatrix();
    this.chooseGrid();
    this.handle?.update();
    this.renderer.render(this.scene, this.camera);
  }

  // The way that a cell goes when cells move apart: away from the center, or with all cells of its
  // class along the axis on which the model is thinnest.
  wayOf(cell) {
    if (!this.byClass) return this.centerOf(cell);
    const classes = this.model.sections.get("class");
    if (!this.classWays) {
      const present = [...new Set(classes)].sort((a, b) => a - b), { extents } = this.model;
      const axis = extents.indexOf(Math.min(...extents)), step = 1.2 * Math.max(extents[axis], 0.1);
      this.classWays = new Map(present.map((c, k) => [c, [0, 1, 2].map((d) => (d === axis ? (k - (present.length - 1) / 2) * step : 0))]));
    }
    return this.classWays.get(classes[cell]);
  }

  // Center of a cell: the mean of its first piece's corners; moves cells apart.
  centerOf(cell) {
    if (!this.cellCenters) {
      const model = this.model, centers = new Float64Array(4 * model.cellCount);
      for (let piece = 0; piece < model.pieceCount; piece++) {
        const c = model.cellOf(model.elementOfPiece(piece)), p = model.restPoints(piece);
        const box = model.box(piece), volume = box[3] * box[4] * box[5];
        for (let d = 0; d < 3; d++) {
          let sum = 0;
          for (const k of [0, 3, 12, 15, 48, 51, 60, 63]) sum += p[3 * k + d];
          centers[4 * c + d] += (volume * sum) / 8;
        }
        centers[4 * c + 3] += volume;
      }
      for (let c = 0; c < model.cellCount; c++) for (let d = 0; d < 3; d++) centers[4 * c + d] /= centers[4 * c + 3] || 1;
      this.cellCenters = centers;
    }
    return this.cellCenters.subarray(4 * cell, 4 * cell + 3);
  }

  // Shows these patches. `moving`: cells may move apart.
  setPatches(patches, moving) {
    this.patches = patches;
    const texels = patches.length * TEXELS, rows = Math.max(1, Math.ceil(texels / WIDTH));
    this.data = new Float32Array(4 * WIDTH * rows);
    this.spheres = new Float64Array(4 * patches.length);
    patches.forEach((patch, i) => {
      const at = 4 * TEXELS * i, { points } = patch;
      const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
      for (let k = 0; k < 16; k++)
        for (let d = 0; d < 3; d++) {
          const x = points[3 * k + d];
          this.data[at + 4 * k + d] = x;
          low[d] = Math.min(low[d], x);
          high[d] = Math.max(high[d], x);
        }
      this.data.set(patch.origin, at + 64);
      this.data.set(patch.along[0], at + 68);
      this.data[at + 71] = this.model.cornerOf(patch.element) === null ? 0 : 1;
      this.data.set(patch.along[1], at + 72);
      const way = moving ? this.wayOf(patch.cell) : [0, 0, 0];
      this.data.set([...way, patch.cell], at + 76);
      const middle = low.map((x, d) => (x + high[d]) / 2);
      this.spheres.set([...middle, length(high.map((x, d) => x - middle[d]))], 4 * i);
    });
    this.moving = moving;
    this.texture?.dispose();
    this.texture = new THREE.DataTexture(this.data, WIDTH, rows, THREE.RGBAFormat, THREE.FloatType);
    this.uniforms.points.value = this.texture;
    if (!this.mesh) {
      this.mesh = new THREE.Mesh(new THREE.InstancedBufferGeometry(), this.patchMaterial);
      this.mesh.frustumCulled = false;
      this.scene.add(this.mesh);
    }
    this.gridSize = 0;
    if (this.channel) this.setChannel(this.channel);
    this.texture.needsUpdate = true;
    this.request();
  }

  // The patches that the camera may see, and the width of the widest in pixels.
  seen() {
    const { camera, patches } = this, frustum = new THREE.Frustum();
    camera.updateMatrixWorld();
    frustum.setFromProjectionMatrix(new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
    const height = this.renderer.domElement.height, scale = height / (2 * Math.tan((camera.fov * Math.PI) / 360));
    const sphere = new THREE.Sphere(), visible = [], explode = this.uniforms.explode.value;
    let widest = 0;
    for (let i = 0; i < patches.length; i++) {
      const s = this.spheres, shift = (d) => s[4 * i + d] + explode * this.data[4 * (TEXELS * i + 19) + d];
      sphere.center.set(shift(0), shift(1), shift(2));
      sphere.radius = s[4 * i + 3];
      if (!frustum.intersectsSphere(sphere)) continue;
      visible.push(i);
      const depth = Math.max(sphere.center.distanceTo(camera.position) - sphere.radius, camera.near);
      widest = Math.max(widest, (2 * sphere.radius * scale) / depth);
    }
    return { visible, widest };
  }

  // As many vertices as the screen shows and the processor draws at ease.
  chooseGrid() {
    if (!this.mesh) return;
    const { visible, widest } = this.seen(), most = this.isSoftware ? 60000 : 1500000;
    let n = GRIDS[0];
    for (const candidate of GRIDS) {
      if (candidate > 1 && (visible.length * candidate * candidate * 2 > most || 3 * candidate > widest)) break;
      n = candidate;
    }
    this.drawPatches(visible, n);
  }

  drawPatches(visible, n) {
    if (n === this.gridSize && visible.length === this.shown?.length && visible.every((x, k) => x === this.shown[k])) return;
    this.gridSize = n;
    this.shown = visible;
    const geometry = new THREE.InstancedBufferGeometry(), grid = this.grids.get(n);
    geometry.setAttribute("position", grid.positions);
    geometry.setIndex(grid.index);
    geometry.setAttribute("patchIndex", new THREE.InstancedBufferAttribute(new Float32Array(visible), 1));
    geometry.instanceCount = visible.length;
    geometry.boundingSphere = new THREE.Sphere(); // the shader knows the positions
    this.mesh.geometry.dispose();
    this.mesh.geometry = geometry;
  }

  // Of triangles as the model places them.
  setTriangles() {
    const { sections } = this.model, [normal, triangle, face] = ["normal", "triangle", "element"].map((name) => sections.get(name));
    const vertex = this.model.vertices(), isMoved = Boolean(this.model.displacement);
    const count = triangle.length, geometry = new THREE.BufferGeometry();
    const spread = (from) => Float32Array.from({ length: 3 * count }, (_, i) => from[3 * triangle[Math.floor(i / 3)] + (i % 3)]);
    const add = (name, values, width) => geometry.setAttribute(name, new THREE.BufferAttribute(values, width));
    add("position", spread(vertex), 3);
    add("normal", normal && !isMoved ? spread(normal) : cornerNormals(vertex, triangle), 3);
    add("place", new Float32Array(3 * count), 3);
    add("along", new Float32Array(3 * count), 3);
    add("corner", new Float32Array(count), 1);
    add("center", new Float32Array(3 * count), 3);
    add("id", Float32Array.from({ length: 3 * count }, (_, i) => [Math.floor(i / 9) + 1, +(Math.floor(i / 3) % 3 === 1), +(Math.floor(i / 3) % 3 === 2)][i % 3]), 3);
    add("value", new Float32Array(count), 1);
    this.triangles ??= new THREE.Mesh(geometry, this.triangleMaterial);
    if (this.triangles.geometry !== geometry) this.triangles.geometry.dispose();
    this.triangles.geometry = geometry;
    this.triangles.frustumCulled = false;
    this.scene.add(this.triangles);
    this.triangleFace = face;
    if (this.channel) this.setChannel(this.channel);
  }

  // Colors by a channel of the model, { on, section }, or by class, valence and so on: a function
  // of the cell. The shader, in single precision, gets (value - origin) / unit.
  setChannel(channel, { origin, unit } = this) {
    Object.assign(this, { channel, origin, unit });
    const { model } = this, byCell = channel.on === "cell", ofCell = this.cellValues();
    this.uniforms.byCell.value = byCell;
    if (this.mesh) {
      this.patches.forEach((patch, i) => {
        const at = 4 * TEXELS * i;
        if (byCell) this.data[at + 67] = this.shaded(ofCell(patch.cell));
        else {
          const own = model.patchValues(patch, channel.section);
          for (let k = 0; k < 16; k++) this.data[at + 4 * k + 3] = this.shaded(own[k]);
        }
      });
      this.texture.needsUpdate = true;
    }
    if (this.triangles) {
      const value = this.triangles.geometry.attributes.value, triangle = model.sections.get("triangle");
      const numbers = byCell ? null : model.sections.values(channel.section);
      for (let i = 0; i < value.count; i++) value.array[i] = this.shaded(byCell ? ofCell(this.triangleFace[Math.floor(i / 3)]) : numbers.at(triangle[i]));
      value.needsUpdate = true;
    }
    if (this.caps) this.colorCaps();
    this.request();
  }

  // The channel's value of a cell, as a function of the cell.
  cellValues() {
    const { channel, model } = this, values = channel.on === "cell" && !channel.of ? model.channelValues(channel) : null;
    return channel.of ?? ((cell) => values[cell]);
  }

  // NaN for what is not finite.
  shaded(value) {
    return Number.isFinite(value) ? Math.min(1e30, Math.max(-1e30, (value - this.origin) / this.unit)) : NaN;
  }

  setColors({ map, low, high, categories, redBelowZero }) {
    this.uniforms.colors.value = mapTexture(categories ? "categories" : map);
    this.uniforms.categories.value = categories;
    this.uniforms.redBelowZero.value = redBelowZero;
    this.uniforms.range.value.set((low - this.origin) / this.unit, (high - this.origin) / this.unit);
    this.request();
  }

  // plane: null, or { normal, distance } in the model's own place.
  setPlane(plane, visible, fine) {
    this.plane = plane;
    this.uniforms.clipping.value = Boolean(plane);
    if (this.caps) {
      this.scene.remove(this.caps);
      this.caps.geometry.dispose();
      this.caps = null;
    }
    this.lineClips = [];
    if (plane) {
      this.uniforms.plane.value.set(...plane.normal, plane.distance - this.model.near);
      const kept = plane.normal.map((x) => -x);
      this.lineClips = [new THREE.Plane(new THREE.Vector3(...kept), plane.distance + this.model.near)];
      if (this.model.hasInterior) this.addCaps(plane, visible, fine);
    }
    for (const line of Object.values(this.lines)) line.material.clippingPlanes = this.lineClips;
    this.request();
  }

  addCaps(plane, visible, fine) {
    const { model } = this, positions = [], places = [], along = [], centers = [], corners = [], atCorner = [];
    const moving = this.moving;
    cut(model, plane, visible, fine, (piece, points, ...triangle) => {
      const box = model.box(piece), cell = model.cellOf(model.elementOfPiece(piece));
      const way = moving ? this.wayOf(cell) : [0, 0, 0];
      const isCorner = Number(model.cornerOf(model.elementOfPiece(piece)) !== null);
      // a parameter that is the same all over the triangle has no lines there
      const varies = [0, 1, 2].map((d) => Number(Math.max(...triangle.map((p) => p[d])) - Math.min(...triangle.map((p) => p[d])) > SAME));
      for (const p of triangle) {
        positions.push(...piecePoint(points, p));
        places.push(...p.map((x, d) => box[d] + x * box[3 + d]));
        along.push(...varies);
        centers.push(...way);
        corners.push([piece, p]);
        atCorner.push(isCorner);
      }
    });
    const geometry = new THREE.BufferGeometry(), count = corners.length;
    const add = (name, values, width) => geometry.setAttribute(name, new THREE.BufferAttribute(Float32Array.from(values), width));
    add("position", positions, 3);
    add("place", places, 3);
    add("along", along, 3);
    add("center", centers, 3);
    add("corner", atCorner, 1);
    add("normal", Array.from({ length: 3 * count }, (_, i) => plane.normal[i % 3]), 3);
    add("id", Array.from({ length: 3 * count }, (_, i) => [Math.floor(i / 9) + 1, +(Math.floor(i / 3) % 3 === 1), +(Math.floor(i / 3) % 3 === 2)][i % 3]), 3);
    add("value", new Array(count).fill(0), 1);
    this.caps = new THREE.Mesh(geometry, this.capMaterial);
    this.caps.frustumCulled = false;
    this.capCorners = corners;
    this.scene.add(this.caps);
    if (this.channel) this.colorCaps();
  }

  colorCaps() {
    const { model, channel } = this, value = this.caps.geometry.attributes.value, ofCell = this.cellValues();
    let last = -1, own = null;
    this.capCorners.forEach(([piece, p], i) => {
      if (channel.on === "cell") value.array[i] = this.shaded(ofCell(model.cellOf(model.elementOfPiece(piece))));
      else {
        if (piece !== last) own = model.pieceValues(piece, channel.section);
        last = piece;
        value.array[i] = this.shaded(piecePoint(own, p, 1)[0]);
      }
    });
    value.needsUpdate = true;
  }

  // Segments [a, b] of positions with a color each; `through`: seen through the model.
  setLines(name, positions, colors, shown, through = false) {
    if (this.lines[name]) {
      this.scene.remove(this.lines[name]);
      this.lines[name].geometry.dispose();
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
    const material = new THREE.LineBasicMaterial({ vertexColors: true, depthTest: !through, clippingPlanes: this.lineClips });
    this.lines[name] = new THREE.LineSegments(geometry, material);
    this.lines[name].renderOrder = 1;
    this.lines[name].visible = shown;
    this.scene.add(this.lines[name]);
    this.request();
  }

  showLines(name, shown) {
    if (this.lines[name]) this.lines[name].visible = shown;
    this.request();
  }

  setMarker(p) {
    if (!this.marker) {
      this.marker = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), new THREE.MeshBasicMaterial({ color: 0xff2d95, depthTest: false }));
      this.marker.renderOrder = 2;
      this.scene.add(this.marker);
    }
    this.marker.visible = Boolean(p);
    if (p) {
      this.marker.position.set(...p);
      this.marker.scale.setScalar(0.006 * this.camera.position.distanceTo(new THREE.Vector3(...p)) * 0.8);
    }
    this.request();
  }

  // What is at a pixel of the canvas: element, parameters, the position in the picture.
  pick(x, y) {
    if (!this.canPick) return null;
    const { camera, renderer, model } = this, { clientWidth: width, clientHeight: height } = this.canvas;
    const hidden = [...Object.values(this.lines), this.marker, ...(this.handle?.objects ?? [])].filter((line) => line?.visible);
    hidden.forEach((line) => (line.visible = false));
    if (this.mesh && !this.gridSize) this.chooseGrid();
    this.uniforms.picking.value = true;
    camera.setViewOffset(width, height, x, y, 1, 1);
    if (this.mesh) this.drawPatches(this.seen().visible, this.gridSize);
    renderer.setRenderTarget(this.target);
    const color = renderer.getClearColor(new THREE.Color()).clone(), alpha = renderer.getClearAlpha();
    renderer.setClearColor(0, 0);
    renderer.clear();
    renderer.render(this.scene, camera);
    const out = new Float32Array(4);
    renderer.readRenderTargetPixels(this.target, 0, 0, 1, 1, out);
    renderer.setRenderTarget(null);
    renderer.setClearColor(color, alpha);
    camera.clearViewOffset();
    this.uniforms.picking.value = false;
    hidden.forEach((line) => (line.visible = true));
    this.request();
    const [number, , , kind] = out, index = Math.round(number) - 1;
    // a sliver is seen a little beyond its edges
    let [s, t] = [out[1], out[2]].map((x) => Math.min(1, Math.max(0, x)));
    if (kind === 2 || (kind === 1 && this.triangles)) [s, t] = [s, t].map((x) => x / Math.max(1, s + t));
    if (kind === 2) {
      const [a, b, c] = [0, 1, 2].map((k) => this.capCorners[3 * index + k]), piece = a[0];
      const p = [0, 1, 2].map((d) => a[1][d] * (1 - s - t) + b[1][d] * s + c[1][d] * t);
      return this.inPiece(piece, p);
    }
    if (kind !== 1 || (!this.triangles && !this.patches[index])) return null;
    return this.triangles ? this.onTriangle(index, s, t) : this.onPatch(this.patches[index], s, t);
  }

  onTriangle(index, s, t) {
    const triangle = this.model.sections.get("triangle"), vertex = this.model.vertices();
    const weights = [1 - s - t, s, t], face = this.triangleFace[index];
    const position = [0, 1, 2].map((d) => weights.reduce((sum, w, k) => sum + w * vertex[3 * triangle[3 * index + k] + d], 0));
    return { element: face, cell: face, parameters: null, position, triangle: index, weights };
  }

  onPatch(patch, s, t) {
    const place = patch.origin.map((o, d) => o + s * patch.along[0][d] + t * patch.along[1][d]);
    return { element: patch.element, cell: patch.cell, parameters: place, position: patchPoint(patch.points, s, t), patch, local: [s, t] };
  }

  // What was picked, in few numbers: a triangle and (s, t) of it, or an element and parameters.
  pickText({ triangle, weights, element, parameters }) {
    const numbers = triangle === undefined ? [element, ...parameters] : [triangle, weights[1], weights[2]];
    return numbers.map((x) => +x.toFixed(6)).join("_");
  }

  // What these numbers name; null if there is no such place.
  find(text) {
    const { model } = this, [index, ...p] = text.split("_").map(Number);
    if (!Number.isInteger(index) || index < 0 || !p.every((x) => x >= 0 && x <= 1)) return null;
    if (this.triangles) return p.length === 2 && index < this.triangleFace.length ? this.onTriangle(index, ...p) : null;
    if (p.length !== 3) return null;
    if (model.hasInterior) {
      const found = model.pieceAt(index, p);
      return found && this.inPiece(found.piece, found.local);
    }
    for (const patch of this.patches) {
      if (patch.element !== index) continue;
      const from = p.map((x, d) => x - patch.origin[d]), local = patch.along.map((a) => dot(a, from) / dot(a, a));
      const off = from.map((x, d) => x - local[0] * patch.along[0][d] - local[1] * patch.along[1][d]);
      if (length(off) < 1e-5 && local.every((x) => x > -1e-5 && x < 1 + 1e-5)) return this.onPatch(patch, ...local);
    }
    return null;
  }

  inPiece(piece, p) {
    const { model } = this, element = model.elementOfPiece(piece), box = model.box(piece);
    return {
      element, cell: model.cellOf(element), parameters: p.map((x, d) => box[d] + x * box[3 + d]),
      position: piecePoint(model.piecePoints(piece), p), piece, local: p,
    };
  }

  // Value of a channel at what was picked.
  valueAt(picked, channel) {
    const { model } = this;
    if (channel.of) return channel.of(picked.cell);
    if (channel.on === "cell") return model.channelValues(channel)[picked.cell];
    if (picked.triangle !== undefined) {
      const values = model.sections.values(channel.section), triangle = model.sections.get("triangle");
      return picked.weights.reduce((sum, w, k) => sum + w * values.at(triangle[3 * picked.triangle + k]), 0);
    }
    if (picked.patch) return patchPoint(model.patchValues(picked.patch, channel.section), ...picked.local, 1)[0];
    if (picked.piece === undefined) return null;
    return piecePoint(model.pieceValues(picked.piece, channel.section), picked.local, 1)[0];
  }

  // Position of what was picked in the model that is not displaced.
  restPosition(picked) {
    const { displacement, head } = this.model;
    if (!displacement) return picked.position;
    return picked.position.map((x, d) => x - (displacement.factor * this.valueAt(picked, { on: "point", section: displacement.sections[d] })) / head.size);
  }

  // Scaled Jacobian at what was picked, if the page holds the inside; not displaced.
  jacobianAt(picked) {
    const { model } = this;
    if (!model.hasInterior || !picked.parameters || (model.isLinear && model.isCollapsed(picked.element))) return null;
    const found = picked.piece !== undefined ? { piece: picked.piece, local: picked.local } : model.pieceAt(picked.element, picked.parameters);
    if (!found) return null;
    const box = model.box(found.piece);
    const [a, b, c] = pieceDerivatives(model.restPoints(found.piece), found.local).map((x, d) => x.map((y) => y / box[3 + d]));
    const determinant = dot(a, cross(b, c)), lengths = length(a) * length(b) * length(c);
    return lengths > 0 ? { scaled: determinant / lengths } : null;
  }

  normalAt(picked) {
    if (!picked.patch) return null;
    const [a, b] = patchDerivatives(picked.patch.points, ...picked.local), n = cross(a, b), l = length(n);
    return l > 0 ? n.map((x) => x / l) : null;
  }

  // Looks at a point from outside.
  flyTo(p, distance) {
    const away = new THREE.Vector3(...p);
    if (away.length() < 1e-3) away.copy(this.arm);
    away.normalize().add(this.arm.normalize().multiplyScalar(0.4)).normalize();
    this.look(p, away.multiplyScalar(distance).toArray());
    this.onMove?.();
  }

  // Looks at a point along the same direction, from half as far.
  focus(p) {
    this.look(p, this.arm.multiplyScalar(0.5).toArray());
    this.onMove?.();
  }

  get cameraText() {
    return [...this.camera.position, ...this.controls.target].map((x) => +x.toPrecision(6)).join("_");
  }

  set cameraText(text) {
    const [x, y, z, ...target] = text.split("_").map(Number);
    if (target.length === 3 && [x, y, z, ...target].every(Number.isFinite)) this.look(target, [x, y, z].map((c, d) => c - target[d]));
  }
}
