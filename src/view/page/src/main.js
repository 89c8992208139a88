// The page: decodes the model, keeps the state, and joins picture and controls.
import { Vector3 } from "three";
import { Model, unpack } from "./data.js";
import { CATEGORIES, MAPS, NEUTRAL, gradient } from "./colors.js";
import { checkbox, element, field, figureTable, number, section, select, slider, table } from "./panel.js";
import { DEFAULTS, fragment, parse } from "./state.js";
import { Handle } from "./handle.js";
import { KEYS, press } from "./keys.js";
import { MOST_SIDES, View } from "./view.js";

const SURFACE_CLASSES = { 0: "regular", 2: "irregular", 3: "refined" };
const CLASSES = { 0: "regular", 1: "layered", 2: "irregular", 3: "refined" };
const AXES = ["x", "y", "z"];
// Cubed lengths, whatever the unit is.
const cubed = (unit) => `${unit ?? "length"}\u00b3`;

class App {
  constructor(model) {
    this.model = model;
    this.canvas = document.getElementById("canvas");
    this.status = document.getElementById("status");
    this.legend = document.getElementById("legend");
    this.panel = document.getElementById("panel");
    this.channels = this.listChannels();
    this.vectors = model.vectors;
    const displacement = this.vectors.find((vector) => vector.name === "displacement");
    Object.assign(DEFAULTS, { map: model.head.map, color: this.firstColor(), deform: displacement?.name ?? "" });
    this.state = parse(location.hash);
    this.view = new View(model, this.canvas);
    this.view.onMove = () => {
      this.state.camera = this.view.cameraText;
      this.save();
    };
    this.handle = new Handle(this.view, () => this.plane(), (plane, fine) => this.takePlane(plane, fine));
    this.worst = -1;
    this.say("");
    this.buildPanel();
    this.addLines();
    this.applyState();
    this.refresh();
    this.listen();
  }

  applyState() {
    this.applyTheme();
    this.applyDisplacement();
    this.applyCells();
    this.applyColors();
    this.applyCut(true);
    this.applyLines();
    this.showLayer();
    const { camera, pick } = this.state;
    if (camera) this.view.cameraText = camera;
    if (pick || this.lastPick) this.showPicked(pick ? this.view.find(pick) : null);
  }

  say(text) {
    this.status.textContent = text;
  }

  listChannels() {
    const { model } = this, { head, sections } = model, channels = [];
    const classes = sections.get("class");
    if (classes) {
      const names = model.isSolid ? CLASSES : SURFACE_CLASSES;
      channels.push({ key: "class", name: model.isSolid ? "class of cell" : "class of face", on: "cell", of: (cell) => classes[cell], categories: names });
    }
    head.channels.forEach((c, i) => {
      const name = c.component === null ? c.name : `${c.name} [${c.component}]`;
      const distinct = c.integers && c.on === "cell" ? new Set(sections.get(c.section)) : null;
      const categories = distinct && distinct.size <= 8 && c.low >= 0 && c.high < 8 ? Object.fromEntries([...distinct].sort((a, b) => a - b).map((x) => [x, String(x)])) : null;
      channels.push({ ...c, source: c, key: `array${i}`, name, categories });
    });
    if (model.layer) {
      const layer = model.layer;
      channels.push({ key: "layer", name: "layer of cells", on: "cell", of: (cell) => layer[cell], low: 0, high: Math.max(1, layer.reduce((a, b) => Math.max(a, b), 0)) });
    }
    channels.push({ key: "plain", name: "one color", on: "cell", of: () => NEUTRAL, categories: {} });
    channels.push({ key: "number", name: model.isSolid ? "number of cell" : "number of face", on: "cell", of: (cell) => cell, low: 0, high: Math.max(1, model.cellCount - 1) });
    return channels;
  }

  // What the page is colored by where its address does not say.
  firstColor() {
    const { color, channels } = this.model.head;
    return typeof color === "string" ? color : this.channels.find((c) => c.source === channels[color]).key;
  }

  get channel() {
    return this.channels.find((c) => c.key === this.state.color) ?? this.channels[0];
  }

  set(changes, fine = true) {
    Object.assign(this.state, changes);
    const names = Object.keys(changes), touches = (...of) => of.some((name) => names.includes(name));
    if (touches("deform", "factor")) this.applyDisplacement();
    if (touches("peel", "only", "by", "deform", "factor") || (touches("explode") && this.state.explode > 0 !== this.view.moving)) this.applyCells();
    if (touches("explode")) {
      this.view.uniforms.explode.value = this.state.explode;
      this.view.request();
    }
    if (touches("color", "map", "low", "high")) this.applyColors();
    if (touches("cut", "at", "flip", "normal", "peel", "only", "explode", "by", "deform", "factor")) this.applyCut(fine);
    if (touches("cells", "iso", "control", "creases", "singular", "boundary", "deform", "factor")) this.applyLines();
    if (touches("theme")) this.applyTheme();
    if (touches("layer", "layers")) this.showLayer();
    if (fine) this.save();
    this.refresh?.();
  }

  save() {
    const text = fragment(this.state);
    try {
      history.replaceState(null, "", `#${text}`);
    } catch {
      // a frame without an address keeps no state
    }
  }

  visible() {
    const { peel, only } = this.state, { layer } = this.model, classes = this.model.sections.get("class");
    const wanted = only === "" ? null : Number(only);
    return (cell) => (!layer || layer[cell] >= peel) && (wanted === null || !classes || classes[cell] === wanted);
  }

  // The array that displaces the model, if any.
  get vector() {
    return this.vectors.find((vector) => vector.name === this.state.deform);
  }

  // The factor that displaces no point by more than a fifth of the size.
  get mostFactor() {
    return this.vector ? (0.2 * this.model.head.size) / this.vector.most : 1;
  }

  // Displaces by a part of the greatest factor more.
  moveMore(part) {
    if (this.vector) this.set({ factor: Math.min(this.mostFactor, Math.max(0, this.state.factor + part * this.mostFactor)) });
  }

  applyDisplacement() {
    this.model.displace(this.vector, this.state.factor);
    if (this.model.isTriangles) this.view.setTriangles();
    if (this.lastPick) this.showPicked(null);
    if (this.legend.childElementCount) this.showLegend();
  }

  applyCells() {
    const { model, view, state } = this;
    view.uniforms.explode.value = state.explode;
    view.byClass = state.by === "class" && model.sections.has("class");
    if (model.isTriangles) return;
    const moving = state.explode > 0, patches = [];
    if (!model.hasInterior || (state.peel === 0 && state.only === "" && !moving)) {
      const visible = this.visible();
      for (let i = 0; i < model.patchCount; i++) {
        const patch = model.patch(i);
        if (visible(patch.cell)) patches.push(patch);
      }
      view.setPatches(patches, false);
      this.say(patches.length ? "" : "No cell is left to show");
      return;
    }
    const visible = this.visible(), outermost = !moving && state.only === "";
    let full = false;
    for (let piece = 0; piece < model.pieceCount && !full; piece++) {
      const cell = model.cellOf(model.elementOfPiece(piece));
      if (!visible(cell) || (outermost && model.layer[cell] !== state.peel)) continue;
      for (const [axis, high] of model.outerSides(piece)) patches.push(model.pieceSide(piece, axis, high));
      full = patches.length > MOST_SIDES;
    }
    view.setPatches(patches, moving);
    this.say(full ? `Not all cells are shown: more than ${MOST_SIDES} sides` : patches.length ? "" : "No cell is left to show");
  }

  applyColors() {
    const { view, state, channel } = this, { low, high } = this.range();
    const scaled = ["scaled", "determinant"].includes(channel.section);
    // categories stay numbers, Jacobians keep their sign
    if (channel.categories) view.setChannel(channel, { origin: 0, unit: 1 });
    else if (scaled) view.setChannel(channel, { origin: 0, unit: Math.max(Math.abs(low), Math.abs(high)) || 1 });
    else view.setChannel(channel, { origin: low, unit: Math.abs(high - low) || Number.MIN_VALUE });
    view.setColors({ map: MAPS[state.map] ? state.map : "viridis", low, high, categories: Boolean(channel.categories), redBelowZero: scaled });
    this.showLegend();
  }

  // With its unit, where it has one that is known.
  nameOf(channel) {
    return channel.section === "determinant" ? `${channel.name} in ${cubed(this.model.head.unit)}` : channel.name;
  }

  // A length with its unit.
  lengthText(x) {
    return this.model.head.unit ? `${number(x)} ${this.model.head.unit}` : number(x);
  }

  range() {
    const { state, channel } = this, value = (text, other) => (text === "" || !Number.isFinite(Number(text)) ? other : Number(text));
    const ends = [channel.low ?? 0, channel.high ?? 1], [own, most] = ends;
    // values that differ by rounding alone have one color
    const size = Math.max(Math.abs(own), Math.abs(most)), rounding = ["scaled", "determinant"].includes(channel.section) ? 1e-5 : 1e-14;
    const wide = most - own < rounding * size ? 1e-3 * size : 0;
    return {
      low: value(state.low, own - wide), high: value(state.high, most + wide),
      // what the legend says: of one color the values themselves
      ends: [value(state.low, own), value(state.high, most)],
    };
  }

  showLegend() {
    const { channel, state } = this, { ends } = this.range(), [low, high] = ends.map((x) => number(x, ends[1] - ends[0])), nodes = [element("strong", {}, this.nameOf(channel))];
    if (channel.categories) {
      const keys = Object.entries(channel.categories).map(([value, name]) => {
        const swatch = element("i");
        swatch.style.background = CATEGORIES[Number(value) % 8];
        return element("span", { className: "key" }, swatch, name);
      });
      nodes.push(element("div", {}, ...keys));
    } else {
      const bar = element("div", { className: "bar" });
      bar.style.background = gradient(MAPS[state.map] ? state.map : "viridis");
      nodes.push(bar, element("div", { className: "ends" }, element("span", {}, low), element("span", {}, high)));
      if (["scaled", "determinant"].includes(channel.section) && this.model.head.inverted > 0) nodes.push(element("div", {}, "red: below 0"));
    }
    const { displacement } = this.model;
    if (displacement) nodes.push(element("div", {}, `${displacement.name} \u00d7 ${number(displacement.factor)}`));
    this.legend.replaceChildren(...nodes);
    this.legend.hidden = channel.key === "plain" && !displacement;
    this.legend.setAttribute("aria-label", channel.categories ? `Colors: ${channel.name}` : `Colors: ${this.nameOf(channel)} from ${low} to ${high}`);
  }

  plane() {
    const { state } = this;
    if (state.cut === "off") return null;
    let normal = AXES.map((axis) => Number(axis === state.cut));
    if (state.cut === "free") {
      normal = state.normal.split("_").map(Number);
      if (normal.length !== 3 || !normal.every(Number.isFinite) || !normal.some(Boolean)) return null;
    }
    const length = Math.hypot(...normal);
    normal = normal.map((x) => x / length);
    // from end to end of the control points along the normal
    const [low, high] = this.model.extent(normal);
    const distance = low + state.at * (high - low);
    return state.flip ? { normal: normal.map((x) => -x), distance: -distance } : { normal, distance };
  }

  // The state of a plane: of the axis that it has, or free.
  takePlane({ normal, distance }, fine) {
    const { state } = this, own = this.plane().normal, same = own.every((x, d) => Math.abs(x - normal[d]) < 1e-12);
    const turned = same ? {} : { cut: "free", flip: false, normal: normal.map((x) => +x.toPrecision(6)).join("_") };
    const flipped = same && state.flip, n = flipped ? normal.map((x) => -x) : normal;
    const [low, high] = this.model.extent(n), height = flipped ? -distance : distance;
    const at = high > low ? (height - low) / (high - low) : 0.5;
    this.set({ ...turned, at: +Math.min(1, Math.max(0, at)).toFixed(6) }, fine);
  }

  // Turns the plane about a direction of the view; one that faces the view, if there is none.
  turnPlane(about, angle) {
    const plane = this.plane();
    if (!plane) return this.chooseCut("free");
    const { camera } = this.view, axis = new Vector3(...about).applyQuaternion(camera.quaternion);
    const normal = new Vector3(...plane.normal).applyAxisAngle(axis, angle), pivot = this.handle.base(plane);
    this.handle.pivot.copy(pivot);
    this.takePlane({ normal: normal.toArray(), distance: normal.dot(pivot) }, true);
  }

  applyCut(fine) {
    this.view.setPlane(this.plane(), this.visible(), fine);
  }

  addLines() {
    const { sections, inside } = this.model;
    const vertices = sections.get("control vertex");
    if (vertices) {
      const edges = [...(sections.get("control boundary") ?? []), ...(inside.get("control inside") ?? [])];
      const positions = Float32Array.from({ length: 3 * edges.length }, (_, i) => vertices[3 * edges[Math.floor(i / 3)] + (i % 3)]);
      this.view.setLines("control", positions, new Float32Array(positions.length).fill(0.5), false);
    }
    const curves = (name, color, shown = true) => {
      const points = sections.get(`${name} points`), values = sections.get(`${name} values`);
      if (!points) return;
      const positions = [], colors = [], steps = points.length / 3 / values.length - 1;
      values.forEach((value, c) => {
        for (let k = 0; k < steps; k++)
          for (const at of [k, k + 1]) {
            const i = 3 * (c * (steps + 1) + at);
            positions.push(points[i], points[i + 1], points[i + 2]);
            colors.push(...color(value));
          }
      });
      this.view.setLines(name, Float32Array.from(positions), Float32Array.from(colors), shown, name === "singular" && values.length <= 1000);
    };
    // sharp for ever: dark red; the sharper, the redder
    curves("crease", (s) => (s === 0 ? [0.75, 0, 0.1] : [1, Math.max(0.1, 0.75 - 0.12 * s), 0.1]));
    curves("boundary", () => [0.1, 0.7, 0.45], false);
    curves("singular", (valence) => (valence === 3 ? [0.1, 0.5, 1] : valence === 5 ? [1, 0.35, 0.1] : valence < 3 ? [0.1, 0.8, 0.5] : [0.8, 0.1, 0.9]));
  }

  applyLines() {
    const { view, state } = this;
    view.uniforms.cellLines.value = state.cells;
    view.uniforms.isolines.value = state.iso;
    view.showLines("control", state.control);
    // they stand where the model is not displaced
    const inPlace = !this.model.displacement;
    view.showLines("crease", state.creases && inPlace);
    view.showLines("singular", state.singular && inPlace);
    view.showLines("boundary", state.boundary && inPlace);
  }

  applyTheme() {
    const dark = this.state.theme ? this.state.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.classList.toggle("dark", dark);
    document.documentElement.classList.toggle("light", !dark);
    this.view.renderer.setClearColor(dark ? 0x15181d : 0xf4f5f7, 1);
    this.view.request();
  }

  buildPanel() {
    const { model, state } = this, { head } = model;
    const set = (name) => (value, fine) => this.set({ [name]: value }, fine);
    const refreshers = [], live = (node, read) => {
      refreshers.push(() => {
        if (document.activeElement !== node || node.type === "range") node[node.type === "checkbox" ? "checked" : "value"] = read();
      });
      return node;
    };
    this.refresh = () => refreshers.forEach((refresh) => refresh());
    const nodes = [element("h1", {}, head.title), element("p", { className: "note" }, "Drag to turn, right drag to move, wheel to zoom, click to pick, double click to go nearer.")];
    const units = head.unit ? ` ${head.unit}` : "";
    const what = model.sections.get("control vertex") ? "control mesh extent" : "extent";
    const figures = [...head.figures, [what, model.extents.map((x) => number(+(x * head.size).toPrecision(4))).join(" \u00d7 ") + units]];
    if (head.error > 0) figures.push(["largest error", `${this.lengthText(head.error)} (${number(head.error / head.size)} of the size)`]);
    if (head.error === null) figures.push(["error of the triangles", "not estimated"]);
    if (head.interior_error > 0) figures.push(["largest error inside", `${this.lengthText(head.interior_error)} (${number(head.interior_error / head.size)} of the size)`]);
    if (head.undefined > 0) figures.push(["samples without Jacobian", String(head.undefined)]);
    if (head.flat > 0) figures.push(["samples on smooth edges, det J = 0", String(head.flat)]);
    for (const { title, header, rows } of head.tables) nodes.push(section(title, true, figureTable(header, rows)));
    this.panel.classList.toggle("wide", head.tables.length > 0);
    const color = live(select(this.channels.map((c) => [c.key, c.name]), state.color, (value) => this.set({ color: value, low: "", high: "" })), () => this.state.color);
    color.id = "color";
    const map = live(select(Object.keys(MAPS).map((name) => [name, name]), state.map, set("map")), () => this.state.map);
    const bound = (name) => live(element("input", { type: "number", step: "any", placeholder: "auto", onchange: (e) => this.set({ [name]: e.target.value }) }), () => this.state[name]);
    nodes.push(section("Color", true, field("by", color), field("map", map), field("from", bound("low")), field("to", bound("high"))));
    {
      const cut = live(select([["off", "no cut"], ["x", "across x"], ["y", "across y"], ["z", "across z"], ["free", "any direction"]], state.cut, (value) => this.chooseCut(value)), () => this.state.cut);
      cut.id = "cut";
      const at = live(slider(0, 1, 0.005, state.at, set("at")), () => this.state.at);
      nodes.push(section("Cut", true, field("plane", cut), field("position", at), this.liveCheckbox(refreshers, "other side", "flip"),
        element("p", { className: "note" }, "In the picture: drag the ball to move the plane, the tip to turn it."),
        model.isSolid && !model.hasInterior ? element("p", { className: "note" }, "The page was made without the inside: cuts are hollow.") : null));
    }
    if (this.vectors.length) nodes.push(this.displacementSection(live));
    if (head.layers) nodes.push(this.layersSection(head.layers, live));
    if (head.worst.length) {
      this.worstButtons = head.worst.map((w, i) => {
        const button = element("button", { type: "button", onclick: () => this.showWorst(i) }, `cell ${w.cell}: ${number(w.scaled_jacobian)}`);
        if (w.scaled_jacobian < 0) button.className = "bad";
        return element("li", {}, button);
      });
      nodes.push(section("Worst cells", true, element("p", { className: "note" }, "Least scaled Jacobian first. A click shows the place."), element("ol", { id: "worst" }, ...this.worstButtons)));
    }
    this.picked = element("div", { id: "picked" }, element("p", { className: "note" }, "Click the model."));
    nodes.push(section("Picked point", true, this.picked));
    if (model.hasInterior) {
      const most = model.layer.reduce((a, b) => Math.max(a, b), 0);
      const peel = live(slider(0, Math.max(1, most), 1, state.peel, (value, fine) => fine && this.set({ peel: value })), () => this.state.peel);
      const explode = live(slider(0, 2, 0.02, state.explode, set("explode")), () => this.state.explode);
      const parts = [field("peel layers", peel), field("move apart", explode)];
      if (model.sections.has("class")) {
        const by = live(select([["cell", "cells"], ["class", "classes"]], state.by, set("by")), () => this.state.by);
        by.id = "by";
        parts.push(field("apart are", by));
        const options = [["", "all cells"], ...this.presentClasses().map((value) => [value, `${CLASSES[value]} cells`])];
        parts.push(field("show", live(select(options, state.only, set("only")), () => this.state.only)));
      }
      nodes.push(section("Cells", true, ...parts));
    }
    const lines = [];
    if (!model.isTriangles) {
      lines.push(this.liveCheckbox(refreshers, "between cells", "cells"));
      lines.push(field("isolines", live(select([["0", "none"], ["2", "2 a cell"], ["4", "4 a cell"], ["8", "8 a cell"]], String(state.iso), (value) => this.set({ iso: Number(value) })), () => String(this.state.iso))));
    }
    lines.push(this.liveCheckbox(refreshers, "control mesh", "control"));
    if (model.sections.has("crease points")) lines.push(this.liveCheckbox(refreshers, "creases", "creases"));
    if (model.sections.has("singular points")) lines.push(this.liveCheckbox(refreshers, "singular edges (blue: 3 faces, orange: 5, purple: more)", "singular"));
    if (model.sections.has("boundary points")) lines.push(this.liveCheckbox(refreshers, "irregular edges of the boundary", "boundary"));
    nodes.push(section("Lines", false, ...lines));
    nodes.push(section("Model", false, table(figures)));
    nodes.push(section("Page", false,
      element("button", { type: "button", onclick: () => this.view.home() }, "First view"),
      element("button", { type: "button", onclick: () => this.screenshot() }, "Save picture"),
      element("button", { type: "button", onclick: () => this.copy(location.href) }, "Copy link"),
      element("button", { type: "button", onclick: () => this.toggleTheme() }, "Dark or light"),
      table(KEYS.map(([key, what]) => [element("kbd", {}, key), what])), element("p", { className: "note" }, `Made by ${head.program}.`)));
    this.panel.replaceChildren(...nodes);
  }

  presentClasses() {
    const present = new Set(this.model.sections.get("class") ?? []);
    return Object.keys(CLASSES).filter((value) => present.has(Number(value)));
  }

  // A checkbox of the state, which keys and addresses change, too.
  liveCheckbox(refreshers, label, name) {
    const node = checkbox(label, this.state[name], (value) => this.set({ [name]: value }));
    refreshers.push(() => (node.querySelector("input").checked = this.state[name]));
    return node;
  }

  // Takes away what is nearer to the eye.
  chooseCut(value) {
    const toward = this.view.arm.normalize();
    if (value !== "free") return this.set({ cut: value, flip: value !== "off" && toward.getComponent(AXES.indexOf(value)) < 0 });
    this.set({ cut: "free", flip: false, normal: toward.toArray().map((x) => +x.toPrecision(5)).join("_") });
  }

  displacementSection(live) {
    const set = (changes, fine = true) => this.set(changes, fine), names = this.vectors.map(({ name }) => [name, name]);
    const by = live(select([["", "none"], ...names], this.state.deform, (deform) => set({ deform, factor: 0 })), () => this.state.deform);
    const at = live(slider(0, 1, 0.005, 0, (part, fine) => set({ factor: +(part * this.mostFactor).toPrecision(3) }, fine)), () => this.state.factor / this.mostFactor);
    at.id = "displace";
    const exact = live(element("input", { type: "number", step: "any", onchange: (e) => set({ factor: Number(e.target.value) || 0 }) }), () => this.state.factor);
    return section("Displacement", this.state.deform !== "", field("array", by), field("amount", at), field("times", exact));
  }

  layersSection(layers, live) {
    const image = element("canvas", { className: "layer", role: "img" });
    this.layerImage = image;
    this.layerNote = element("p", { className: "note" });
    const at = live(slider(0, layers.images.length - 1, 1, this.state.layer, (value, fine) => this.set({ layer: value }, fine)), () => this.state.layer);
    const cut = checkbox("cut the model there", this.state.layers, (value) => this.set({ layers: value }));
    return section("Layers", true, field("layer", at), image, this.layerNote, cut);
  }

  chooseLayer(step) {
    const { layers } = this.model.head;
    if (layers) this.set({ layer: Math.min(Math.max(0, Math.round(this.state.layer) + step), layers.images.length - 1) });
  }

  async showLayer() {
    const { layers, center, size } = this.model.head;
    if (!layers) return;
    const index = Math.min(Math.max(0, Math.round(this.state.layer)), layers.images.length - 1), entry = layers.images[index];
    const bytes = this.model.sections.get("layer images").subarray(entry.at, entry.at + entry.count);
    const turn = (this.layerTurn = (this.layerTurn ?? 0) + 1);
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    if (turn !== this.layerTurn) return; // another layer was chosen meanwhile
    Object.assign(this.layerImage, { width: bitmap.width, height: bitmap.height });
    // pixels need not be square
    const [across, up] = layers.pixel;
    this.layerImage.style.aspectRatio = (bitmap.width * across) / (bitmap.height * up);
    this.layerImage.getContext("2d").drawImage(bitmap, 0, 0);
    const text = `Layer ${entry.index} of ${layers.count}, ${layers.axis} ${number(entry.height, size)}${entry.thickness ? `, ${number(entry.thickness, size)} high` : ""}${layers.stack ? `: ${layers.stack}` : ""}`;
    this.layerNote.textContent = text;
    this.layerImage.setAttribute("aria-label", text);
    if (this.state.layers) {
      const normal = AXES.map((axis) => Number(axis === layers.axis)), [low, high] = this.model.extent(normal);
      const height = (entry.height - center[AXES.indexOf(layers.axis)]) / size;
      this.set({ cut: layers.axis, at: Math.min(1, Math.max(0, (height - low) / (high - low))), flip: false });
    }
  }

  showPicked(picked) {
    const { model, view } = this;
    view.setMarker(picked?.position);
    this.lastPick = picked;
    this.state.pick = picked && !picked.worst ? view.pickText(picked) : "";
    this.save();
    if (!picked) {
      this.picked.replaceChildren(element("p", { className: "note" }, "Click the model."));
      return;
    }
    const corner = picked.triangle === undefined ? model.cornerOf(picked.element) : null;
    const rows = [[model.isSolid ? "cell" : "face", String(picked.cell)]];
    if (corner !== null) rows.push(["corner", String(corner)]);
    if (picked.parameters && !(model.isLinear && model.isCollapsed(picked.element))) rows.push([model.isSolid ? "u, v, w" : "u, v", picked.parameters.slice(0, model.isSolid ? 3 : 2).map((x) => number(x)).join(", ")]);
    const position = model.absolute(view.restPosition(picked));
    rows.push([model.head.unit ? `position in ${model.head.unit}` : "position", position.map((x) => number(x, model.head.size)).join(", ")]);
    const jacobian = view.jacobianAt(picked);
    if (jacobian) rows.push(["scaled Jacobian here", number(jacobian.scaled)]);
    for (const channel of this.channels.filter((c) => !["number", "plain"].includes(c.key))) {
      const value = view.valueAt(picked, channel);
      const isOfCell = ["scaled", "determinant"].includes(channel.section);
      rows.push([isOfCell ? `least ${this.nameOf(channel)}` : channel.name, channel.categories?.[value] ?? number(value, channel.high - channel.low)]);
    }
    const nodes = [table(rows)];
    if (picked.parameters && model.isSolid && !model.isLinear) {
      const row = [picked.cell, ...(corner !== null ? [corner] : []), ...picked.parameters].join(",");
      const what = corner !== null ? "cell,corner,u,v,w" : "cell,u,v,w";
      nodes.push(element("button", { type: "button", id: "copy", title: `A row for evaluate --at, whose header is ${what}`, onclick: () => this.copy(row) }, `Copy ${what}`));
      this.row = row;
    }
    this.picked.replaceChildren(...nodes);
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.say("Copied");
    } catch {
      this.say(text);
    }
  }

  showWorst(index) {
    const { model, view } = this, worst = model.head.worst[index];
    if (!worst) return;
    this.worst = index;
    const position = model.local(worst.point);
    view.flyTo(position, 0.6);
    const layer = model.layer[worst.cell];
    if (model.hasInterior && layer > this.state.peel) {
      this.set({ peel: layer });
      this.say(`Cell ${worst.cell} lies in layer ${layer}: the layers outside are peeled off`);
    } else if (layer < this.state.peel) {
      this.set({ peel: layer });
      this.say("");
    } else this.say("");
    const element = this.elementOf(worst);
    const isCorner = model.isLinear && worst.corner !== null;
    const found = model.hasInterior && !isCorner ? model.pieceAt(element, worst.parameters) : null;
    const inPiece = found && view.inPiece(found.piece, found.local);
    this.showPicked(inPiece ? { ...inPiece, position: model.displacement ? inPiece.position : position } : { element, cell: worst.cell, parameters: worst.parameters, position, worst });
    this.worstButtons[index].firstChild.focus({ preventScroll: false });
  }

  elementOf(worst) {
    const { model } = this;
    if (!model.elementCell) return worst.cell;
    for (let e = 0; e < model.elementCell.length; e++) if (model.elementCell[e] === worst.cell && (model.isLinear || model.cornerOf(e) === worst.corner)) return e;
    return worst.cell;
  }

  toggleTheme() {
    this.set({ theme: document.documentElement.classList.contains("dark") ? "light" : "dark" });
  }

  screenshot() {
    this.view.draw();
    this.canvas.toBlob((blob) => {
      const link = element("a", { href: URL.createObjectURL(blob), download: `${this.model.head.title}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  listen() {
    // a finger is less steady than a mouse
    let down = null;
    window.addEventListener("pointerdown", (e) => (down = { at: [e.clientX, e.clientY], reach: e.pointerType === "touch" ? 12 : 4 }), true);
    this.canvas.addEventListener("click", (e) => {
      if (!down || Math.hypot(e.clientX - down.at[0], e.clientY - down.at[1]) > down.reach) return;
      this.showPicked(this.view.pick(e.offsetX, e.offsetY));
      this.picked.parentElement.scrollIntoView({ block: "nearest" });
    });
    this.canvas.addEventListener("dblclick", () => this.lastPick && this.view.focus(this.lastPick.position));
    window.addEventListener("hashchange", () => {
      Object.assign(this.state, parse(location.hash));
      this.applyState();
      this.refresh();
    });
    document.addEventListener("keydown", (e) => press(this, e));
  }
}

async function start() {
  const text = (id) => {
    const node = document.getElementById(id), content = node.textContent;
    node.remove();
    return content;
  };
  try {
    const [shell, interior] = await Promise.all([unpack(text("shell")), unpack(text("interior"))]);
    window.subsolid = new App(new Model(shell, interior));
    document.body.dataset.ready = "true";
  } catch (error) {
    document.getElementById("status").textContent = `The page cannot be shown: ${error.message}`;
    throw error;
  }
}

start();
