// What keys do.
import { MAPS } from "./colors.js";

export const KEYS = [
  ["arrows", "turn; with shift: move"], ["+ −", "zoom"], ["0", "the first view"], ["x y z", "cut across an axis; again: off"],
  ["[ ]", "move the cut"], ["f", "flip the cut"], ["r R", "turn the cut about the upright of the view"], ["t T", "tilt the cut toward the eye, away"], ["p P", "peel a layer of cells off, put it back"], ["e E", "move cells apart, together"], ["v", "cells or classes apart"], ["u U", "more displacement, less"],
  ["c C", "next color, previous"], ["m", "next color map"], ["g", "lines between cells"], ["i", "isolines of u, v, w"],
  ["k", "control mesh"], ["h", "creases"], ["s", "singular edges"], ["b", "irregular edges of the boundary"], ["o", "all cells, or those of one class"], ["l L", "next image of a layer, previous"],
  ["n N", "next worst cell, previous"], ["Enter", "pick the middle of the picture"], ["Esc", "forget the pick"], ["w", "save the picture"], ["d", "dark, light"],
];

// Does what a key stands for in a page.
export function press(app, e) {
  const { tagName, type } = e.target, isBox = type === "checkbox", isSlider = type === "range";
  const typing = /^(input|select|textarea)$/i.test(tagName) && !isBox && !(isSlider && !e.key.startsWith("Arrow"));
  if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "Enter" && /^(button|summary)$/i.test(tagName)) return;
  const { state, view, model } = app, { controls } = view;
  const next = (list, value, step) => list[(list.indexOf(value) + step + list.length) % list.length];
  const classes = ["", ...(model.hasInterior ? app.presentClasses() : [])];
  const keys = app.channels.map((c) => c.key), layers = model.layer ? model.layer.reduce((a, b) => Math.max(a, b), 0) : 0;
  const actions = {
    ArrowLeft: () => controls.rotateLeft(-0.1), ArrowRight: () => controls.rotateLeft(0.1), ArrowUp: () => controls.rotateUp(-0.1), ArrowDown: () => controls.rotateUp(0.1),
    ShiftArrowLeft: () => controls.pan(-40, 0), ShiftArrowRight: () => controls.pan(40, 0), ShiftArrowUp: () => controls.pan(0, -40), ShiftArrowDown: () => controls.pan(0, 40),
    "+": () => controls.dollyIn(0.85), "=": () => controls.dollyIn(0.85), "-": () => controls.dollyOut(0.85), 0: () => view.home(),
    x: () => app.chooseCut(state.cut === "x" ? "off" : "x"), y: () => app.chooseCut(state.cut === "y" ? "off" : "y"), z: () => app.chooseCut(state.cut === "z" ? "off" : "z"),
    "[": () => app.set({ at: Math.max(0, state.at - 0.02) }), "]": () => app.set({ at: Math.min(1, state.at + 0.02) }), f: () => app.set({ flip: !state.flip }),
    r: () => app.turnPlane([0, 1, 0], 0.1), R: () => app.turnPlane([0, 1, 0], -0.1), t: () => app.turnPlane([1, 0, 0], 0.1), T: () => app.turnPlane([1, 0, 0], -0.1),
    v: () => model.hasInterior && app.set({ by: state.by === "cell" ? "class" : "cell" }),
    p: () => model.hasInterior && app.set({ peel: Math.min(layers, state.peel + 1) }), P: () => app.set({ peel: Math.max(0, state.peel - 1) }),
    e: () => model.hasInterior && app.set({ explode: Math.min(2, +(state.explode + 0.1).toFixed(2)) }), E: () => app.set({ explode: Math.max(0, +(state.explode - 0.1).toFixed(2)) }),
    u: () => app.moveMore(0.1), U: () => app.moveMore(-0.1),
    c: () => app.set({ color: next(keys, state.color, 1), low: "", high: "" }), C: () => app.set({ color: next(keys, state.color, -1), low: "", high: "" }),
    m: () => app.set({ map: next(Object.keys(MAPS), state.map, 1) }), g: () => app.set({ cells: !state.cells }), i: () => app.set({ iso: state.iso ? 0 : 4 }),
    k: () => app.set({ control: !state.control }), s: () => app.set({ singular: !state.singular }),
    n: () => app.showWorst((app.worst + 1) % Math.max(1, model.head.worst.length)), N: () => app.showWorst(Math.max(0, app.worst - 1)),
    h: () => app.set({ creases: !state.creases }), b: () => app.set({ boundary: !state.boundary }),
    o: () => classes.length > 2 && app.set({ only: next(classes, state.only, 1) }),
    l: () => app.chooseLayer(1), L: () => app.chooseLayer(-1), w: () => app.screenshot(),
    Enter: () => app.showPicked(view.pick(view.canvas.clientWidth / 2, view.canvas.clientHeight / 2)),
    d: () => app.toggleTheme(), Escape: () => app.showPicked(null),
  };
  const name = `${e.shiftKey && e.key.startsWith("Arrow") ? "Shift" : ""}${e.key}`;
  if (!actions[name]) return;
  e.preventDefault();
  const camera = view.cameraText;
  actions[name]();
  if (view.cameraText !== camera) view.moved();
}
