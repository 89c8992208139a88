// Pages in a real browser, with software WebGL:
//
//     node tests/view/browser.mjs MODULES SUBSOLID SCRATCH [--record]
//
// MODULES: a node_modules with puppeteer-core. --record writes the stored pictures anew,
// and that of the README from `models/bracket.html`. ONLY=bracket
// in the environment runs these parts alone.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pointers as byHand } from "./pointers.mjs";

const [, , modules, subsolid, scratch, record] = process.argv;
const puppeteer = createRequire(path.resolve(modules, "x.js"))("puppeteer-core").default ?? createRequire(path.resolve(modules, "x.js"))("puppeteer-core");
const root = path.resolve(import.meta.dirname, "../.."), models = path.join(root, "models");
mkdirSync(scratch, { recursive: true });

let failures = 0;
function check(condition, what) {
  if (condition) return;
  failures++;
  console.error(`FAILED: ${what}`);
}

function view(model, name, ...options) {
  const output = path.resolve(scratch, `${name}.html`);
  execFileSync(subsolid, ["--quiet", "view", model, ...options, "-o", output]);
  return output;
}

const executable = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync) ?? process.env.CHROMIUM;
const browser = await puppeteer.launch({
  executablePath: executable,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--force-color-profile=srgb", "--webgl-antialiasing-mode=none"],
});

// Opens a page; any error, message or request is a failure.
async function open(file, { hash = "", width = 900, height = 600 } = {}) {
  const page = await browser.newPage(), name = path.basename(file);
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  page.on("console", (m) => {
    // the browser says that reading pixels of a software renderer is slow
    if (!/GPU stall|WebGL-/.test(m.text())) check(m.type() === "log", `${name} says ${m.type()}: ${m.text()}`);
  });
  page.on("pageerror", (e) => check(false, `${name} fails: ${e.message}`));
  page.on("dialog", (d) => check(false, `${name} opens a dialog: ${d.message()}`));
  page.on("request", (r) => check(/^(file|data|blob):/.test(r.url()), `${name} requests ${r.url()}`));
  await page.goto(`file://${file}${hash ? `#${hash}` : ""}`);
  await page.waitForSelector("body[data-ready]", { timeout: 60000 });
  await drawn(page);
  return page;
}

const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
  await drawn(page);
}

// Picks on a grid over the canvas.
const picks = (page) =>
  page.evaluate(() => {
    const { view, model } = window.subsolid, found = [], canvas = view.canvas;
    for (let y = 10; y < canvas.clientHeight; y += 61)
      for (let x = 10; x < canvas.clientWidth; x += 61) {
        const p = view.pick(x, y);
        if (p) found.push({ x, y, cell: p.cell, corner: model.isSolid ? model.cornerOf(p.element) : null, parameters: p.parameters, position: model.absolute(p.position), local: p.position, cap: p.piece !== undefined });
      }
    return { found, size: model.head.size };
  });

// Picked points are limit points of their cell and parameters, by the program itself.
function checkPicks({ found, size }, model, what) {
  check(found.length > 8, `${what}: ${found.length} picks`);
  const table = path.join(scratch, "at.csv"), values = path.join(scratch, "values.csv");
  const clamped = (x) => Math.min(1, Math.max(0, x)), corners = found.some((p) => p.corner !== null);
  const row = (p) => [p.cell, ...(corners ? [p.corner ?? ""] : []), ...p.parameters.map(clamped)].join(",");
  writeFileSync(table, [corners ? "cell,corner,u,v,w" : "cell,u,v,w", ...found.map(row)].join("\n") + "\n");
  execFileSync(subsolid, ["--quiet", "evaluate", model, "--at", table, "-o", values]);
  const [header, ...rows] = readFileSync(values, "utf8").trim().split("\n").map((row) => row.split(","));
  const columns = ["x", "y", "z"].map((name) => header.indexOf(name));
  const worst = Math.max(...rows.map((row, i) => Math.hypot(...columns.map((c, d) => Number(row[c]) - found[i].position[d]))));
  check(rows.length === found.length && worst <= 1e-4 * size, `${what}: picked points are ${worst / size} of the size off`);
}

// A page of its own, where pictures are compared and cut.
const desk = await browser.newPage();

// Mean difference of two pictures, 0 to 1, and the share of pixels that differ much.
async function difference(a, b) {
  return desk.evaluate(async (urls) => {
    const pixels = await Promise.all(urls.map(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    }));
    if (pixels[0].width !== pixels[1].width || pixels[0].height !== pixels[1].height) return { mean: 1, share: 1 };
    const count = pixels[0].data.length / 4;
    let sum = 0, many = 0;
    for (let i = 0; i < count; i++) {
      let most = 0;
      for (let c = 0; c < 3; c++) most = Math.max(most, Math.abs(pixels[0].data[4 * i + c] - pixels[1].data[4 * i + c]));
      sum += most / 255;
      many += most > 60;
    }
    return { mean: sum / count, share: many / count };
  }, [a, b].map((png) => `data:image/png;base64,${Buffer.from(png).toString("base64")}`));
}

async function picture(page, name) {
  const png = await page.screenshot({ clip: { x: 0, y: 0, width: 440, height: 400 } }), stored = path.join(root, "tests/view", `${name}.png`);
  if (record === "--record") {
    writeFileSync(stored, png);
    return;
  }
  writeFileSync(path.join(scratch, `${name}.png`), png);
  const { mean, share } = await difference(png, readFileSync(stored));
  check(mean < 0.02 && share < 0.03, `${name}: differs from the stored picture by ${mean}, ${share} of the pixels much`);
}

const SMALL = { width: 760, height: 400 };

async function bracket() {
  const model = path.join(models, "bracket.vtk"), file = view(model, "bracket");
  let page = await open(file);
  checkPicks(await picks(page), model, "bracket");

  // a click shows the cell and a row for --at
  const target = (await picks(page)).found[4];
  await page.mouse.click(target.x, target.y);
  await drawn(page);
  const panel = await page.$eval("#picked", (node) => node.textContent), row = await page.evaluate(() => window.subsolid.row);
  check(panel.includes(`cell${target.cell}`) && row.startsWith(`${target.cell},`), `a click on cell ${target.cell} shows: ${panel}`);
  // the address holds the pick
  const pickAddress = await page.evaluate(() => location.hash.slice(1)), shared = await open(file, { hash: pickAddress });
  const [own, found] = await Promise.all([page, shared].map((p) => p.evaluate(() => ({ cell: window.subsolid.lastPick.cell, position: window.subsolid.lastPick.position }))));
  check(own.cell === target.cell && found.cell === own.cell && Math.hypot(...own.position.map((x, d) => x - found.position[d])) < 1e-5, `the pick comes back from the address: ${JSON.stringify([own, found])}`);
  await shared.close();
  await press(page, "Escape");
  check(!(await page.evaluate(() => /pick/.test(location.hash))), "a pick that is forgotten leaves the address");
  // a double click brings a place to the middle, which a key picks
  await page.mouse.click(target.x, target.y, { count: 2 });
  await press(page, "Escape");
  const middle = await page.evaluate(() => {
    const { view } = window.subsolid;
    const p = view.pick(view.canvas.clientWidth / 2, view.canvas.clientHeight / 2);
    return p && { cell: p.cell, position: p.position };
  });
  await press(page, "Enter");
  const entered = await page.evaluate(() => window.subsolid.lastPick && { cell: window.subsolid.lastPick.cell, position: window.subsolid.lastPick.position });
  check(middle && JSON.stringify(middle) === JSON.stringify(entered), `Enter picks the middle: ${JSON.stringify([middle, entered])}`);
  await press(page, "Escape", "0");

  // keys of lines and of cells of one class
  const settings = () => page.evaluate(() => { const { creases, boundary, only, control, singular } = window.subsolid.state; return { creases, boundary, only, control, singular }; });
  const set = await settings();
  await press(page, "h", "b", "k", "s", "o");
  const other = await settings(), shownClasses = await page.evaluate(() => {
    const { view, model } = window.subsolid, classes = model.sections.get("class");
    return [...new Set(view.patches.map((p) => String(classes[p.cell])))];
  });
  check(["creases", "boundary", "control", "singular"].every((name) => other[name] === !set[name]), `keys change lines: ${JSON.stringify(other)}`);
  check(other.only !== "" && shownClasses.join() === other.only, `a key shows one class: ${other.only}, ${shownClasses}`);
  await press(page, "h", "b", "k", "s");
  for (let turn = 0; turn < 5 && (await settings()).only !== ""; turn++) await press(page, "o");

  // colors: the legend and the picture follow
  const before = await page.screenshot();
  await page.select("#color", await page.evaluate(() => window.subsolid.channels.find((c) => c.name === "scaled Jacobian").key));
  await drawn(page);
  check((await page.$eval("#legend", (n) => n.textContent)).startsWith("scaled Jacobian"), "the legend names the array");
  check((await difference(before, await page.screenshot())).share > 0.05, "colors change with the array");
  // a pixel has the color of its cell's value: yellow at the high end of viridis
  const best = await page.evaluate(() => {
    const { view, channel, model } = window.subsolid, values = model.sections.get("scaled");
    for (let y = 5; y < view.canvas.clientHeight; y += 13)
      for (let x = 5; x < view.canvas.clientWidth; x += 13) {
        const p = view.pick(x, y), t = p?.parameters;
        // not on a line
        if (p && values[p.cell] > 0.99 * channel.high && t.filter((s) => s > 0.3 && s < 0.7).length >= 2) return [x, y];
      }
    return null;
  });
  await drawn(page);
  const color = best && (await page.evaluate(([x, y]) => {
    const { view } = window.subsolid, gl = view.renderer.getContext(), ratio = view.renderer.getPixelRatio(), out = new Uint8Array(4);
    view.draw();
    gl.readPixels(Math.floor(x * ratio), gl.drawingBufferHeight - 1 - Math.floor(y * ratio), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return [...out];
  }, best));
  check(color && color[0] > 1.5 * color[2] && color[1] > 1.5 * color[2], `a cell of the highest value is yellow: ${color}`);

  // a cut: caps, nothing above the plane, exact points on it
  await press(page, "x");
  const cut = await picks(page), plane = await page.evaluate(() => window.subsolid.plane());
  const height = (p) => p.local.reduce((sum, x, d) => sum + x * plane.normal[d], 0) - plane.distance;
  check(cut.found.every((p) => height(p) < 1e-5), "nothing is left above the plane");
  const caps = cut.found.filter((p) => p.cap);
  check(caps.length > 0 || (await page.evaluate(() => window.subsolid.view.capCorners.length)) > 100, "the cut has caps");
  check(caps.every((p) => Math.abs(height(p)) < 1e-5), "caps lie on the plane");
  await press(page, "x", "y");
  checkPicks(await picks(page), model, "bracket, cut across y");
  await press(page, "y");

  // cells move apart and keep their points
  const still = await picks(page);
  await press(page, "e", "e");
  const apart = await picks(page);
  checkPicks(apart, model, "bracket, cells apart");
  check((await page.evaluate(() => window.subsolid.view.patches.length)) > 5 * 888, "all sides of cells are there");
  const moved = still.found.filter((p) => !apart.found.some((q) => q.x === p.x && q.y === p.y && q.cell === p.cell));
  check(moved.length > still.found.length / 3, "cells move apart");
  await press(page, "E", "E", "p");
  const layer = await page.evaluate(() => window.subsolid.view.patches.map((p) => window.subsolid.model.layer[p.cell]));
  check(layer.length > 0 && layer.every((l) => l === 1), "a layer is peeled off");
  checkPicks(await picks(page), model, "bracket, peeled");
  await press(page, "P");

  // the handle of a cut: its ball moves the plane, its tip turns it
  await press(page, "x");
  const drag = async (what, dx, dy) => {
    const [x, y] = (await page.evaluate(() => window.subsolid.handle.places()))[what];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + dx / 2, y + dy / 2);
    await page.mouse.move(x + dx, y + dy);
    await page.mouse.up();
    await drawn(page);
  };
  const planeNow = () => page.evaluate(() => ({ ...window.subsolid.plane(), camera: window.subsolid.view.cameraText, places: window.subsolid.handle.places(), at: window.subsolid.state.at, cut: window.subsolid.state.cut }));
  const first = await planeNow(), along = [0, 1].map((d) => first.places.tip[d] - first.places.ball[d]);
  await drag("ball", ...along);
  const movedPlane = await planeNow(), ballWent = [0, 1].map((d) => movedPlane.places.ball[d] - first.places.ball[d]);
  check(movedPlane.cut === "x" && movedPlane.distance > first.distance + 0.01, `the ball moves the plane: ${first.distance} to ${movedPlane.distance}`);
  check(Math.hypot(...ballWent.map((x, d) => x - along[d])) < 6, `the ball follows the pointer: ${ballWent}, ${along}`);
  await drag("tip", 12, -25);
  const turned = await planeNow(), tipWent = [0, 1].map((d) => turned.places.tip[d] - movedPlane.places.tip[d]);
  const cosine = turned.normal.reduce((sum, x, d) => sum + x * movedPlane.normal[d], 0);
  check(turned.cut === "free" && cosine < 0.99 && Math.abs(Math.hypot(...turned.normal) - 1) < 1e-4, `the tip turns the plane: ${turned.normal}`);
  check(Math.hypot(tipWent[0] - 12, tipWent[1] + 25) < 3 && Math.hypot(...[0, 1].map((d) => turned.places.ball[d] - movedPlane.places.ball[d])) < 2, `the tip follows the pointer, the ball stays: ${tipWent}`);
  check(turned.camera === first.camera, "the camera stays while the plane is dragged");
  const free = await picks(page), freeHeight = (p) => p.local.reduce((sum, x, d) => sum + x * turned.normal[d], 0) - turned.distance;
  check(free.found.some((p) => p.cap) && free.found.every((p) => freeHeight(p) < 1e-5), "nothing is left above the turned plane");
  const freeAddress = await page.evaluate(() => location.hash.slice(1)), second = await open(file, { hash: freeAddress });
  const restored = await second.evaluate(() => window.subsolid.plane());
  check(Math.abs(restored.distance - turned.distance) < 1e-5 && restored.normal.every((x, d) => Math.abs(x - turned.normal[d]) < 1e-6), "the turned plane comes back from the address");
  await second.close();
  await press(page, "r");
  const byKey = await planeNow();
  const turn = byKey.normal.reduce((sum, x, d) => sum + x * turned.normal[d], 0);
  check(turn < 0.9999 && turn > 0.98, `a key turns the plane: ${turn}`);
  await press(page, "R", "t", "T");
  const back = (await planeNow()).normal.reduce((sum, x, d) => sum + x * turned.normal[d], 0);
  check(back > 1 - 1e-8, `and back: ${back}`);
  await press(page, "x", "x");

  // classes apart: cells of one class keep together
  await press(page, "v", "e", "e");
  const ways = await page.evaluate(() => {
    const { view, model, state } = window.subsolid, classes = model.sections.get("class"), found = {};
    view.patches.forEach((p, i) => ((found[classes[p.cell]] ??= new Set()).add([76, 77, 78].map((k) => view.data[80 * i + k]).join())));
    return { by: state.by, ways: Object.values(found).map((set) => [...set]), hash: location.hash };
  });
  check(ways.by === "class" && /by=class/.test(ways.hash), "a key takes classes apart");
  check(ways.ways.length > 1 && ways.ways.every((w) => w.length === 1) && new Set(ways.ways.flat()).size === ways.ways.length, `one way a class: ${JSON.stringify(ways.ways)}`);
  checkPicks(await picks(page), model, "bracket, classes apart");
  await press(page, "E", "E", "v");

  // worst cells: a click goes there
  await page.click("#worst button");
  await drawn(page);
  const worst = await page.evaluate(() => {
    const { model, view, lastPick } = window.subsolid, w = model.head.worst[0];
    return { cell: w.cell, picked: lastPick.cell, off: Math.hypot(...model.absolute(view.controls.target.toArray()).map((x, d) => x - w.point[d])), size: model.head.size };
  });
  check(worst.picked === worst.cell && worst.off < 1e-6 * worst.size, `the worst cell is shown: ${JSON.stringify(worst)}`);
  // the address holds the state
  await press(page, "z", "c", "g", "d");
  const address = await page.evaluate(() => location.hash), shown = await page.screenshot();
  check(/cut=z/.test(address) && /camera=/.test(address) && /theme=dark/.test(address), `the address: ${address}`);
  await page.close();
  page = await open(file, { hash: address.slice(1) });
  const again = await page.evaluate(() => ({ ...window.subsolid.state }));
  check(again.cut === "z" && again.cells === false && again.theme === "dark", "the state comes back from the address");
  const clip = { x: 0, y: 0, width: 560, height: 600 };
  const { share } = await difference(await page.screenshot({ clip }), await crop(shown, clip));
  check(share < 0.02, `the picture comes back from the address: ${share} of the pixels differ`);
  await page.close();

  page = await open(file, { ...SMALL, hash: "cut=y&at=0.4&flip=1" });
  await picture(page, "bracket");
  await page.close();

  // a narrow window: the panel below, nothing cut off
  page = await open(file, { width: 400, height: 700 });
  const narrow = await page.evaluate(() => [document.documentElement.scrollWidth, document.getElementById("panel").getBoundingClientRect().top, document.getElementById("stage").clientHeight]);
  check(narrow[0] <= 400 && narrow[1] > 300 && narrow[2] > 300, `400 pixels wide: ${narrow}`);
  const unnamed = await page.$$eval("input, select, button, canvas", (nodes) => nodes.filter((n) => !(n.getAttribute("aria-label") || n.textContent.trim() || n.closest("label")?.textContent.trim())).length);
  check(unnamed === 0, `${unnamed} controls without a name`);
  await page.close();
}

async function crop(png, clip) {
  const data = await desk.evaluate(async (url, { x, y, width, height }) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width, height });
    canvas.getContext("2d").drawImage(image, x, y, width, height, 0, 0, width, height);
    return canvas.toDataURL("image/png").split(",")[1];
  }, `data:image/png;base64,${Buffer.from(png).toString("base64")}`, clip);
  return Buffer.from(data, "base64");
}

async function pictures() {
  for (const [name, model, hash, ...options] of [
    ["tripod", "solids/tripod.vtk", "color=number&iso=4"],
    ["mount", "solids/mount2_hex.vtk", "cut=x&flip=1&color=number"],
    ["creased", "surfaces/helmet.obj", "creases=1"],
  ]) {
    const page = await open(view(path.join(models, model), name, ...options), { ...SMALL, hash });
    await picture(page, name);
    await page.close();
  }
  if (record !== "--record") return;
  // those of the README, made by its commands
  const part = path.resolve(scratch, "part.vtu"), loaded = path.resolve(scratch, "loaded.vtu"), run = (...options) => execFileSync(subsolid, ["--quiet", ...options]);
  run("fit", path.join(models, "bracket.vtk"), "--crease-angle", "40", "-o", part);
  run("solve", part, "--elasticity", "210e3,0.3", "--fix", "where:x<1e-6", "--load", "where:x>9.59=0,0,-10", "--control-mesh", loaded);
  for (const [name, file, hash] of [
    ["view", path.join(models, "bracket.html"), "cut=y&flip=1"],
    ["loaded", view(loaded, "loaded", "--color", "von_mises"), "factor=25&low=0"],
  ]) {
    const page = await open(file, { width: 1000, height: 620, hash });
    await page.screenshot({ path: path.join(models, `${name}.png`) });
    await page.close();
  }
}

function write(name, text) {
  const file = path.join(scratch, name);
  writeFileSync(file, text);
  return file;
}

const CUBE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
const vtk = (points, name) => `# vtk DataFile Version 3.0
a cell
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 8 double
${points.map((p) => p.join(" ")).join("\n")}
CELLS 1 9
8 0 1 2 3 4 5 6 7
CELL_TYPES 1
12
POINT_DATA 8
SCALARS ${name} double 1
LOOKUP_TABLE default
${points.map((_, i) => i).join("\n")}
CELL_DATA 1
SCALARS ${name}2 int 1
LOOKUP_TABLE default
3
`;

async function unusual() {
  // names from files are text
  const evil = "<script>window.evil=1</script><b>bold</b>";
  let page = await open(view(write("evil.vtk", vtk(CUBE, evil)), "evil", "--title", evil, "--color", evil));
  check(await page.evaluate(() => window.evil === undefined && !document.querySelector("#panel b, #legend b")), "names are text");
  check((await page.$eval("#legend", (n) => n.textContent)).startsWith(evil), "the name is shown as it is");
  check((await page.title()) === evil, "the title is text");
  check((await picks(page)).found.length > 3, "a cell alone is shown");
  await press(page, "x", "e", "p", "p", "n", "k", "i");
  await page.close();

  page = await open(view(write("flat.vtk", vtk(CUBE.map(([x, y]) => [x, y, 0]), "flat")), "flat"));
  await press(page, "z", "x", "e", "n");
  await page.close();

  // inverted: red, listed, shown at once
  const turned = CUBE.map((p, i) => (i === 6 ? [-1.5, -1.5, -1.5] : p));
  page = await open(view(write("inverted.vtk", vtk(turned, "a")), "inverted"));
  const state = await page.evaluate(() => ({ color: window.subsolid.channel.name, bad: document.querySelectorAll("#worst button.bad").length }));
  check(state.color === "scaled Jacobian" && state.bad === 1, `an inverted cell is listed: ${JSON.stringify(state)}`);
  const red = await page.evaluate(() => {
    const { view } = window.subsolid, gl = view.renderer.getContext(), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, out = new Uint8Array(4 * w * h);
    view.draw();
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, out);
    let count = 0;
    for (let i = 0; i < out.length; i += 4) count += out[i] > 2 * out[i + 1] && out[i] > 2 * out[i + 2] && out[i] > 60;
    return count;
  });
  check(red > 500, `an inverted cell is red: ${red} pixels`);
  await page.close();

  // nothing left to show is no error
  page = await open(view(path.join(models, "bracket.vtk"), "hollow", "--no-interior"), { hash: "cut=x" });
  await press(page, "p", "e");
  await page.close();
}

// Prisms of six sides, and their figures with units and the upright of the file.
function prisms() {
  const points = [], known = new Map(), cells = [];
  const vertex = (p) => {
    const key = p.map((x) => Math.round(1e6 * x)).join();
    if (!known.has(key)) known.set(key, points.push(p) - 1);
    return known.get(key);
  };
  for (const [r, angle] of [[0, 0], [Math.sqrt(3), 30], [Math.sqrt(3), 90], [Math.sqrt(3), 150]]) {
    const x = r * Math.cos((angle * Math.PI) / 180), y = r * Math.sin((angle * Math.PI) / 180);
    const corner = (k, z) => vertex([x + Math.cos((k * Math.PI) / 3), y + Math.sin((k * Math.PI) / 3), z]);
    const ring = (z) => [0, 1, 2, 3, 4, 5].map((k) => corner(k, z));
    cells.push([ring(0).reverse(), ring(1.5), ...[0, 1, 2, 3, 4, 5].map((k) => [corner(k, 0), corner(k + 1, 0), corner(k + 1, 1.5), corner(k, 1.5)])]);
  }
  const streams = cells.map((faces) => [faces.length, ...faces.flatMap((f) => [f.length, ...f])]);
  const vertices = cells.map((faces) => [...new Set(faces.flat())]);
  let end = 0, faceEnd = 0;
  const array = (name, values, type = "Int64") => `<DataArray type="${type}" Name="${name}" format="ascii">${values.join(" ")}</DataArray>`;
  return `<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64"><UnstructuredGrid><Piece NumberOfPoints="${points.length}" NumberOfCells="${cells.length}">
<Points><DataArray type="Float64" Name="Points" NumberOfComponents="3" format="ascii">${points.flat().join(" ")}</DataArray></Points>
<Cells>${array("connectivity", vertices.flat())}${array("offsets", vertices.map((v) => (end += v.length)))}${array("types", cells.map(() => 42), "UInt8")}
${array("faces", streams.flat())}${array("faceoffsets", streams.map((s) => (faceEnd += s.length)))}</Cells></Piece></UnstructuredGrid></VTKFile>
`;
}

async function polyhedra() {
  const model = write("prisms.vtu", prisms());
  let page = await open(view(model, "prisms", "--unit", "mm", "--up", "y"));
  const all = await picks(page);
  const corners = new Set(all.found.map((p) => p.corner));
  check(corners.size > 4 && !corners.has(null), `corners of prisms of six sides: ${[...corners]}`);
  checkPicks(all, model, "prisms");
  await press(page, "z");
  const cut = await picks(page);
  check(cut.found.some((p) => p.cap && p.corner !== null), "the cut of prisms has caps");
  checkPicks(cut, model, "prisms, cut");
  await press(page, "z", "e", "e");
  checkPicks(await picks(page), model, "prisms, apart");
  await press(page, "E", "E", "n");
  // units: lengths, and their cubes of a Jacobian
  const text = (selector) => page.$eval(selector, (n) => n.textContent);
  check(/position in mm/.test(await text("#picked")) && / mm/.test(await text("#panel table")), "lengths have their unit");
  await page.select("#color", await page.evaluate(() => window.subsolid.channels.find((c) => c.name === "det J").key));
  check((await text("#legend")).startsWith("det J in mm³"), `the legend has the unit: ${await text("#legend")}`);
  // equal but for rounding: one color
  const range = await page.evaluate(() => window.subsolid.view.uniforms.range.value.toArray());
  check(range[1] - range[0] > 1e-3 * Math.abs(range[0]), `the range of equal values is wide: ${range}`);
  await press(page, "0");
  const up = await page.evaluate(() => {
    const { view } = window.subsolid, p = view.controls.target.clone().setY(1).project(view.camera);
    return [p.x, p.y];
  });
  check(Math.abs(up[0]) < 1e-6 && up[1] > 0.3, `y points upwards: ${up}`);
  await page.close();
  // as they are: planar faces stay
  page = await open(view(model, "linear_prisms", "--linear"), { hash: "cut=z" });
  check((await picks(page)).found.some((p) => p.cap), "prisms as they are, cut");
  check((await page.$eval("#panel table", (n) => n.textContent)).includes("extent"), "the extent is told");
  await page.close();
}

// Figures beside the picture.
async function reports() {
  const model = path.join(models, "bracket.vtk"), file = (name) => path.resolve(scratch, `${name}-report.html`);
  const text = execFileSync(subsolid, ["--quiet", "info", model, "--verbose", "--report", file("info")], { encoding: "utf8" });
  let page = await open(file("info"));
  const rows = await page.$$eval(".figures.pairs tr", (trs) => trs.map((tr) => [...tr.children].map((td) => td.textContent.trim())));
  const lines = text.trim().split("\n").map((line) => [line.slice(0, 20).trim(), line.slice(20).trim()]);
  check(rows.length === lines.length && rows.every(([a, b], i) => lines[i].join(" ") === `${a} ${b}` || lines[i].join(" ").trim() === `${a} ${b}`.trim()), `the figures of info stand in its page: ${rows.length} rows of ${lines.length}`);
  check((await picks(page)).found.length > 8, "and its picture beside them");
  await page.close();
  const report = JSON.parse(execFileSync(subsolid, ["--quiet", "compare", model, "--backend", "cpu", "--samples", "4", "--json", "--report", file("compare")], { encoding: "utf8" }));
  page = await open(file("compare"));
  const found = await page.evaluate(() => {
    const { model, channel } = window.subsolid, values = model.sections.get(channel.section), largest = values.reduce((a, b) => Math.max(a, b), 0);
    return { name: channel.name, largest, cell: values.indexOf(largest), header: [...document.querySelectorAll(".figures th")].map((th) => th.textContent), first: [...document.querySelectorAll(".figures tbody tr")][0].textContent };
  });
  const { all } = report.runs[0];
  check(found.name === "error" && Math.abs(found.largest - all.absolute.maximum) <= 1e-6 * all.absolute.maximum && found.cell === all.worst.cell, `cells have their errors: ${JSON.stringify(found)} ${JSON.stringify(all.worst)}`);
  check(found.header[0] === "class" && found.first.startsWith("all888"), `the table: ${found.header} ${found.first}`);
  await page.close();
  execFileSync(subsolid, ["--quiet", "bench", model, "--backend", "cpu", "--samples", "2", "--levels", "0", "--repeats", "1", "--report", file("bench")]);
  page = await browser.newPage();
  page.on("console", (m) => check(false, `the report of bench says ${m.text()}`));
  page.on("request", (r) => check(/^(file|data):/.test(r.url()), `the report of bench requests ${r.url()}`));
  const backs = [];
  for (const value of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
    await page.goto(`file://${file("bench")}`);
    backs.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  }
  check(backs[0] === "rgb(244, 245, 247)" && backs[1] === "rgb(21, 24, 29)", `light and dark: ${backs}`);
  check((await page.$$("svg")).length > 0 && (await page.$$("table tr")).length > 2, "charts and tables");
  await page.screenshot({ path: path.join(scratch, "bench.png") });
  await page.close();
}

async function others() {
  const limit = path.join(scratch, "limit.vtu"), layers = path.join(scratch, "layers"), model = path.join(models, "bracket.vtk");
  execFileSync(subsolid, ["--quiet", "evaluate", model, "--samples", "3", "-o", limit]);
  let page = await open(view(limit, "linear", "--linear"), { hash: "cut=x" });
  const { found } = await picks(page);
  check(found.length > 8, "results are shown as they are");
  await page.close();
  // a wedge and a tetrahedron: caps, peeling and the list of the worst
  const cells = write("cells.vtk", `# vtk DataFile Version 3.0
cells
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 7 double
0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1 0.3 0.3 2
CELLS 2 12
6 0 1 2 3 4 5
4 3 4 5 6
CELL_TYPES 2
13 10
POINT_DATA 7
SCALARS a double 1
LOOKUP_TABLE default
0 1 2 3 4 5 6
`);
  page = await open(view(cells, "cells", "--linear", "--color", "a"));
  const kinds = new Set((await picks(page)).found.map((p) => p.cell));
  check(kinds.has(0) && kinds.has(1), `a wedge and a tetrahedron are shown: ${[...kinds]}`);
  await press(page, "n", "n");
  const listed = await page.evaluate(() => [window.subsolid.lastPick.cell, document.getElementById("picked").textContent]);
  check([0, 1].includes(listed[0]) && !/u, v, w/.test(listed[1]), `a corner among the worst: ${listed}`);
  await press(page, "x");
  const cells2 = await picks(page), capped = await page.evaluate(() => window.subsolid.view.capCorners.length);
  const across = await page.evaluate(() => {
    const plane = window.subsolid.plane(), corners = [...window.subsolid.view.caps.geometry.attributes.position.array];
    return { plane, off: Math.max(...corners.map((_, i) => (i % 3 ? 0 : Math.abs([0, 1, 2].reduce((sum, d) => sum + corners[i + d] * plane.normal[d], 0) - plane.distance)))) };
  });
  const above = (p) => p.local.reduce((sum, x, d) => sum + x * across.plane.normal[d], 0) - across.plane.distance;
  check(capped > 0 && across.off < 1e-5, `the corners of caps lie on the plane: ${across.off}`);
  check(cells2.found.some((p) => !p.cap) && cells2.found.every((p) => p.cap || above(p) < 1e-5), "nothing is left above the plane");
  await page.close();
  // a page with a color of its own: its addresses say so where another is chosen
  const own = view(path.join(models, "graded_bracket.vtu"), "own", "--color", "hardness");
  page = await open(own);
  const color = () => page.evaluate(() => window.subsolid.channel.name);
  check((await color()) === "hardness", "the color of the page");
  await page.evaluate(() => { location.hash = "cut=x"; });
  await page.waitForFunction(() => window.subsolid.state.cut === "x");
  check((await color()) === "hardness", "an address without a color keeps that of the page");
  await page.select("#color", "class");
  const chosen = await page.evaluate(() => location.hash.slice(1));
  await page.close();
  page = await open(own, { hash: chosen });
  check((await color()) === "class of cell", `a link keeps the classes: ${chosen}`);
  await page.close();
  execFileSync(subsolid, ["--quiet", "slice", model, "--png", layers, "--layer-height", "1", "--pixel", "0.5"]);
  page = await open(view(model, "layers", "--slices", layers), { hash: "layer=3&layers=1" });
  await drawn(page);
  const image = await page.evaluate(() => ({ width: document.querySelector("canvas.layer").width, cut: window.subsolid.state.cut }));
  check(image.width > 10 && image.cut === "z", `a layer beside the solid: ${JSON.stringify(image)}`);
  const named = () => page.evaluate(() => document.querySelector("canvas.layer").getAttribute("aria-label"));
  const before = await named();
  await page.evaluate(() => { location.hash = "layer=1"; });
  await page.waitForFunction((text) => document.querySelector("canvas.layer").getAttribute("aria-label") !== text, { timeout: 5000 }, before).catch(() => {});
  check(/^Layer 1 /.test(await named()), `the image follows the address: ${before}, then ${await named()}`);
  await page.close();
  for (const [name, ...options] of [["spot_control_mesh", "--scheme", "loop"], ["nonquads"], ["moebius"], ["cubes_semisharp"], ["nonman_verts"]]) {
    page = await open(view(path.join(models, "surfaces", `${name}.obj`), name, ...options));
    check((await picks(page)).found.length > 3, `${name} is shown`);
    await press(page, "x", "c", "k");
    await page.close();
  }
}

// A bar of cells as .vtk: points, and arrays of its points and cells, all as texts of numbers.
function bar([nx, ny, nz], { scale = 1, origin = 0, pointData = {}, cellData = {} } = {}) {
  const points = [], cells = [], at = (i, j, k) => i + (nx + 1) * (j + (ny + 1) * k);
  for (let k = 0; k <= nz; k++) for (let j = 0; j <= ny; j++) for (let i = 0; i <= nx; i++) points.push([i, j, k]);
  for (let k = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++) cells.push([8, at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k), at(i, j, k + 1), at(i + 1, j, k + 1), at(i + 1, j + 1, k + 1), at(i, j + 1, k + 1)]);
  const arrays = (data, all, kind) => Object.entries(data).map(([name, value]) => `SCALARS ${name} ${kind} 1\nLOOKUP_TABLE default\n${all.map(value).join(" ")}\n`).join("");
  return `# vtk DataFile Version 3.0\nbar\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS ${points.length} double
${points.map((p) => p.map((x) => origin + scale * x).join(" ")).join("\n")}
CELLS ${cells.length} ${9 * cells.length}\n${cells.map((c) => c.join(" ")).join("\n")}\nCELL_TYPES ${cells.length}\n${cells.map(() => 12).join(" ")}
POINT_DATA ${points.length}\n${arrays(pointData, points, "double")}CELL_DATA ${cells.length}\n${arrays(cellData, cells, "long")}`;
}

// A plane through faces of cells shows the cells that are kept, without lines that are none.
async function faces() {
  const file = view(write("faces.vtk", bar([4, 4, 4])), "faces", "--color", "class", "--crease-angle", "40");
  for (const flip of [0, 1]) {
    const page = await open(file, { ...SMALL, hash: `cut=x&at=0.5&flip=${flip}&camera=${flip ? -1.9 : 1.9}_0.3_0.2_0_0_0` });
    const caps = await page.evaluate(() => {
      const { view, handle } = window.subsolid, gl = view.renderer.getContext(), found = [], own = Object.values(handle.places());
      for (let y = 20; y < view.canvas.clientHeight; y += 11)
        for (let x = 20; x < view.canvas.clientWidth; x += 11) {
          if (own.some((p) => Math.hypot(p[0] - x, p[1] - y) < 30)) continue;
          const p = view.pick(x, y);
          if (p?.piece !== undefined && [1, 2].every((d) => p.parameters[d] > 0.15 && p.parameters[d] < 0.85)) found.push({ x, y, cell: p.cell });
        }
      view.draw();
      const ratio = view.renderer.getPixelRatio();
      return found.map(({ x, y, cell }) => {
        const out = new Uint8Array(4);
        gl.readPixels(Math.floor(x * ratio), gl.drawingBufferHeight - 1 - Math.floor(y * ratio), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
        return { cell, color: [...out.subarray(0, 3)] };
      });
    });
    const classes = await page.evaluate(() => [...window.subsolid.model.sections.get("class")]);
    check(caps.length > 100 && caps.every(({ cell }) => cell % 4 === (flip ? 2 : 1)), `the cut shows kept cells: ${[...new Set(caps.map((c) => c.cell % 4))]}, ${caps.length}`);
    const wrong = caps.filter(({ cell, color }) => {
      const own = caps.find((other) => classes[other.cell] === classes[cell]).color;
      return color.some((x, d) => Math.abs(x - own[d]) > 3);
    });
    check(wrong.length === 0, `a cut through faces has no speckles: ${wrong.length} of ${caps.length} places`);
    await page.close();
  }
}

// Facets keep their edges, in one color, in files that repeat the corners, too.
async function facets() {
  const sides = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
  const own = sides.map((side) => side.map((v) => CUBE[v]));
  const shared = `${CUBE.map((p) => `v ${p.join(" ")}`).join("\n")}\n${sides.map((s) => `f ${s.map((v) => v + 1).join(" ")}`).join("\n")}\n`;
  const apart = `${own.flat().map((p) => `v ${p.join(" ")}`).join("\n")}\n${own.map((_, f) => `f ${[1, 2, 3, 4].map((k) => 4 * f + k).join(" ")}`).join("\n")}\n`;
  for (const [name, text] of [["shared", shared], ["apart", apart]]) {
    const page = await open(view(write(`${name}.obj`, text), name, "--linear"), SMALL);
    check((await page.$eval("#color", (n) => n.value)) === "plain" && (await page.$eval("#legend", (n) => n.hidden)), "a part has one color and no legend");
    const spreads = await page.evaluate(() => {
      const { view } = window.subsolid, gl = view.renderer.getContext(), found = [];
      for (let y = 10; y < view.canvas.clientHeight; y += 13)
        for (let x = 10; x < view.canvas.clientWidth; x += 13) {
          const p = view.pick(x, y);
          if (p?.weights.every((w) => w > 0.05)) found.push({ x, y, face: p.cell });
        }
      view.draw();
      const colors = {}, out = new Uint8Array(4);
      for (const { x, y, face } of found) {
        gl.readPixels(x, gl.drawingBufferHeight - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
        (colors[face] ??= []).push(out[0]);
      }
      return Object.values(colors).map((all) => [Math.min(...all), Math.max(...all)]);
    });
    check(spreads.length === 3 && spreads.every(([low, high]) => high - low <= 8), `each side of a box has one shade: ${JSON.stringify(spreads)}`);
    const shades = spreads.map(([low]) => low).sort((a, b) => a - b);
    check(shades[1] - shades[0] > 8 && shades[2] - shades[1] > 8, `the sides differ: ${shades}`);
    await page.close();
  }
}

// Values at picks, colors and legends of arrays that few digits do not hold.
async function values() {
  const last = (_, v, all) => (v === all.length - 1 ? 1e6 : 20 + all[v][0]);
  const pointData = { outlier: last, pressure: (p) => 101325 + 0.09 * p[0], far: (p) => 1e9 + p[0], hole: (p, v) => (v === 0 ? "nan" : p[0]) };
  const model = write("values.vtk", bar([10, 1, 1], { origin: 1e8, pointData, cellData: { id: (_, c) => 100000001 + c } }));
  const page = await open(view(model, "values", "--crease-angle", "40"));
  const found = await page.evaluate(() => {
    const app = window.subsolid, { view, model } = app, out = [];
    for (const cell of [0, 3, 5, 9]) {
      app.showPicked(view.find(`${cell}_0.25_0.5_1`));
      const rows = [...document.querySelectorAll("#picked tr")].map((tr) => [...tr.children].map((td) => td.textContent));
      out.push({ cell, rows: Object.fromEntries(rows), values: Object.fromEntries(app.channels.map((c) => [c.name, view.valueAt(app.lastPick, c)])) });
    }
    return out;
  });
  const table = path.join(scratch, "values.csv"), result = path.join(scratch, "at-values.csv");
  writeFileSync(table, ["cell,u,v,w", ...found.map((f) => `${f.cell},0.25,0.5,1`)].join("\n") + "\n");
  execFileSync(subsolid, ["--quiet", "evaluate", model, "--crease-angle", "40", "--at", table, "-o", result]);
  const [header, ...rows] = readFileSync(result, "utf8").trim().split("\n").map((row) => row.split(","));
  for (const [i, own] of found.entries()) {
    for (const name of ["outlier", "pressure", "far"]) {
      const value = Number(rows[i][header.indexOf(name)]), tolerance = 1e-6 * (name === "outlier" && own.cell > 7 ? 1e6 : 1);
      check(Math.abs(own.values[name] - value) <= tolerance, `${name} in cell ${own.cell}: ${own.values[name]} for ${value}`);
      check(Math.abs(Number(own.rows[name]) - value) <= Math.max(tolerance, 1e-5 * (name === "outlier" ? value : 10)), `${name} in cell ${own.cell} is shown as ${own.rows[name]} for ${value}`);
    }
    check(own.rows.id === String(100000001 + own.cell), `the id of cell ${own.cell} is shown as ${own.rows.id}`);
    const x = own.rows.position.split(", ").map(Number)[0];
    check(Math.abs(x - (1e8 + own.cell + 0.25)) < 1e-3, `the position in cell ${own.cell}: ${own.rows.position}`);
  }
  check(found[0].rows.hole === "none" && found[3].rows.hole !== "none", `no value beside a NaN: ${found[0].rows.hole}, ${found[3].rows.hole}`);
  // colors: from one end of the map to the other, and gray
  const shown = (name) => page.evaluate((name) => {
    const app = window.subsolid, { view } = app;
    app.set({ color: app.channels.find((c) => c.name === name).key });
    const byCell = app.channel.on === "cell", own = view.patches.flatMap((_, i) => (byCell ? [view.data[80 * i + 67]] : [0, 3, 12, 15].map((k) => view.data[80 * i + 4 * k + 3])));
    const finite = own.filter(Number.isFinite);
    return { low: Math.min(...finite), high: Math.max(...finite), count: new Set(finite).size, all: finite.length === own.length, legend: [...document.querySelectorAll("#legend .ends span")].map((n) => n.textContent) };
  }, name);
  for (const [name, ends] of [["pressure", ["101325", "101325.9"]], ["far", ["1000000000", "1000000010"]], ["id", ["100000001", "100000010"]]]) {
    const { low, high, count, legend, all } = await shown(name);
    check(all && Math.abs(low) < 1e-3 && Math.abs(high - 1) < 1e-3 && count >= 10, `${name} has all colors: ${low} to ${high}, ${count}`);
    check(legend.join() === ends.join(), `the legend of ${name}: ${legend}`);
  }
  const hole = await shown("hole");
  check(!hole.all && hole.legend.join() === "0,10", `some of it is gray: ${JSON.stringify(hole)}`);
  await page.close();
}

// The same picture at all sizes; links that name what is not there.
async function sizes() {
  const pictures = [];
  for (const scale of ["1", "1e-60", "1e-20", "1e20", "1e60"]) {
    const name = `size-${scale}`, model = write(`${name}.vtk`, bar([3, 3, 3], { scale: Number(scale), cellData: { id: (_, c) => c } }));
    const page = await open(view(model, name), { ...SMALL, hash: "color=array1" });
    const { found, size } = await picks(page);
    checkPicks({ found, size }, model, name);
    pictures.push(await page.screenshot({ clip: { x: 0, y: 0, width: 440, height: 330 } }));
    const extent = await page.$eval("#panel table", (n) => n.textContent.split("extent")[1]);
    check(Math.abs(parseFloat(extent) / Number(scale) - 3) < 1e-3, `${name}: the extent is ${extent}`);
    await press(page, "x");
    check((await picks(page)).found.some((p) => p.cap), `${name}: the cut has a cap`);
    await page.close();
  }
  for (const picture of pictures.slice(1)) {
    const { share } = await difference(pictures[0], picture);
    check(share < 0.01, `the same picture at all sizes: ${share} of the pixels differ`);
  }
  const file = path.resolve(scratch, "size-1.html");
  let page = await open(file, { hash: "cut=zzz&by=x&theme=pink" });
  check((await page.evaluate(() => window.subsolid.state.cut)) === "off", "a link to no cut");
  await page.close();
  page = await open(file, { hash: "peel=9" });
  check(/No cell is left/.test(await page.$eval("#status", (n) => n.textContent)), "a link to nothing says so");
  await page.close();
  // picks on cells whose corners coincide are found again
  const wedge = write("sliver.vtk", "# vtk DataFile Version 3.0\nsliver\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 7 double\n0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1 0.3 0.3 2\nCELLS 2 12\n6 0 1 2 3 4 5\n4 3 4 5 6\nCELL_TYPES 2\n13 10\n");
  page = await open(view(wedge, "sliver", "--linear"));
  const lost = await page.evaluate(() => {
    const { view } = window.subsolid, lost = [];
    for (let y = 5; y < view.canvas.clientHeight; y += 17)
      for (let x = 5; x < view.canvas.clientWidth; x += 17) {
        const p = view.pick(x, y);
        if (p && (!p.parameters.every((u) => u >= 0 && u <= 1) || !view.find(view.pickText(p)))) lost.push(view.pickText(p));
      }
    return lost;
  });
  check(lost.length === 0, `picks that are not found again: ${lost}`);
  await page.close();
}

// A solved beam: the slider moves it by a multiple of its displacement, as a hand drags it.
async function displacement() {
  const beam = path.resolve(scratch, "beam.vtk"), solved = path.resolve(scratch, "solved.vtu");
  execFileSync(subsolid, ["--quiet", "shape", "box", "8", "2", "2", "-o", beam]);
  execFileSync(subsolid, ["--quiet", "solve", beam, "--crease-angle", "40", "--elasticity", "1000,0.3", "--fix", "side:2", "--total-force", "side:3=0,0,-1", "--control-mesh", solved]);
  const page = await open(view(solved, "solved"), { width: 1000, height: 900 });
  check((await page.evaluate(() => window.subsolid.state.factor)) === 0, "a solved model is shown as it is");
  const still = await page.screenshot(), rest = await picks(page);
  checkPicks(rest, solved, "solved");
  await page.$eval("#displace", (node) => node.scrollIntoView({ block: "center" }));
  const track = await page.$eval("#displace", (node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return { x, y: y + height / 2, width };
  });
  await page.mouse.move(track.x + 8, track.y);
  await page.mouse.down();
  for (const part of [0.2, 0.4, 0.6]) await page.mouse.move(track.x + part * track.width, track.y);
  await page.mouse.up();
  await drawn(page);
  const { factor, most, hash } = await page.evaluate(() => ({ factor: window.subsolid.state.factor, most: window.subsolid.mostFactor, hash: location.hash }));
  check(factor > 0.5 * most && factor < 0.7 * most && /factor=/.test(hash), `the slider displaces: ${factor} of ${most}, ${hash}`);
  check((await difference(still, await page.screenshot())).share > 0.02, "a displacement is seen");
  check((await page.$eval("#legend", (n) => n.textContent)).includes("displacement \u00d7"), "the legend says how far");

  // picked points, also of a cut, are limit points and the factor times their displacement
  await press(page, "y");
  const { found, size } = await picks(page), table = path.join(scratch, "at.csv"), values = path.join(scratch, "values.csv");
  writeFileSync(table, `cell,u,v,w\n${found.map((p) => [p.cell, ...p.parameters.map((x) => Math.min(1, Math.max(0, x)))].join(",")).join("\n")}\n`);
  execFileSync(subsolid, ["--quiet", "evaluate", solved, "--at", table, "-o", values]);
  const [header, ...rows] = readFileSync(values, "utf8").trim().split("\n").map((row) => row.split(","));
  const column = (row, name) => Number(row[header.indexOf(name)]);
  const off = rows.map((row, i) => Math.hypot(...["x", "y", "z"].map((axis, d) => column(row, axis) + factor * column(row, `displacement_${d}`) - found[i].position[d])));
  check(found.length > 8 && found.some((p) => p.cap) && Math.max(...off) < 1e-4 * size, `displaced points are ${Math.max(...off) / size} of the size off`);
  // the panel says where a point is in the model that is not displaced
  const one = found.findIndex((p) => p.cap);
  await page.mouse.click(found[one].x, found[one].y);
  await drawn(page);
  const shown = (await page.$eval("#picked", (n) => n.textContent)).match(/position([^a-z]*)/)[1].split(",").map(Number);
  check(Math.hypot(...["x", "y", "z"].map((axis, d) => column(rows[one], axis) - shown[d])) < 2e-4 * size, `the position of a point is that at rest: ${shown}`);
  const again = await open(path.resolve(scratch, "solved.html"), { hash: "factor=100&low=1" });
  const fields = await again.$$eval("#panel input", (nodes) => nodes.map((n) => n.value));
  check(fields.includes("100") && fields.includes("1") && Number(await again.$eval("#displace", (n) => n.value)) > 0, `the panel shows what the address says: ${fields}`);
  await again.close();
  await press(page, "U", "U", "U", "U", "U", "U", "U", "U", "y");
  check((await page.evaluate(() => window.subsolid.state.factor)) === 0, "keys take the displacement back");
  await page.close();

  // cells as they are, patches and triangles move, too
  const skin = path.resolve(scratch, "skin.vtp");
  execFileSync(subsolid, ["--quiet", "boundary", solved, "-o", skin]);
  for (const [name, model, ...options] of [["cells", solved, "--linear"], ["patches", skin], ["triangles", skin, "--scheme", "loop"]]) {
    const page = await open(view(model, name, ...options), SMALL), before = await page.screenshot(), rest = await picks(page);
    const low = (found) => Math.min(...found.map((p) => p.position[2]));
    await press(page, ..."uuuuuuuuuu");
    const { found, size } = await picks(page), share = (await difference(before, await page.screenshot())).share;
    check(share > 0.02 && found.length > 8, `${name}: the displacement is seen: ${share} of the pixels differ`);
    // the loaded end sinks by a fifth of the size, up to what no pick hits
    const sinks = low(rest.found) - low(found);
    check(sinks > 0.1 * size && sinks < 0.2001 * size, `${name}: the end sinks by ${sinks / size} of the size`);
    await page.close();
  }
}

const slice = (model, ...options) => execFileSync(subsolid, ["--quiet", "slice", model, ...options]);

async function pointers() {
  await byHand({ open, view, check, difference, models, scratch, slice });
}

for (const part of [pointers, faces, facets, bracket, pictures, unusual, polyhedra, reports, others, values, sizes, displacement].filter((part) => !process.env.ONLY || process.env.ONLY.includes(part.name))) {
  const start = Date.now();
  await part().catch((error) => check(false, `${part.name}: ${error.stack}`));
  console.log(`${part.name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
}
await browser.close();
if (failures) process.exit(1);
console.log("pages are right");
