// Drives pages as a hand does: by the mouse, the wheel, fingers and keys alone. The page's own
// objects are only read.
import path from "node:path";

const wait = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));

// What the page says of itself.
const read = (page) =>
  page.evaluate(() => {
    const { view, state, lastPick, channel, model } = window.subsolid, target = view.controls.target.toArray(), eye = view.camera.position.toArray();
    const arm = eye.map((x, d) => x - target[d]), distance = Math.hypot(...arm);
    return {
      state: { ...state }, target, eye, distance, arm: arm.map((x) => x / distance), plane: window.subsolid.plane(), channel: channel.name, hash: location.hash,
      pick: lastPick ? { cell: lastPick.cell, position: lastPick.position } : null, shown: view.patches.length,
      handle: window.subsolid.handle.places(), size: model.head.size, dark: document.documentElement.classList.contains("dark"), status: document.getElementById("status").textContent,
    };
  });

// Where a point of the model is in the picture.
const pixelOf = (page, p) =>
  page.evaluate((p) => {
    const { view } = window.subsolid, q = view.controls.target.clone().set(...p).project(view.camera);
    return [((q.x + 1) / 2) * view.canvas.clientWidth, ((1 - q.y) / 2) * view.canvas.clientHeight];
  }, p);

const off = (a, b) => Math.hypot(...a.map((x, d) => x - b[d]));

// The picture alone, without the panel and the frame of what has the focus.
const picture = async (page) => page.screenshot({ clip: await page.$eval("#stage", (n) => ({ x: 4, y: 4, width: n.clientWidth - 8, height: n.clientHeight - 8 })) });

export async function pointers({ open, view, check, difference, models, scratch, slice }) {
  const model = path.join(models, "bracket.vtk"), file = view(model, "by-hand");
  let page = await open(file, { width: 1280, height: 800 });
  const client = await page.createCDPSession();

  // What an action changes: the page and the picture, both before and after it.
  const change = async (act, { settled = true } = {}) => {
    const before = await read(page), shot = await picture(page);
    await act();
    if (settled) await wait(page);
    return { before, after: await read(page), pixels: await difference(shot, await picture(page)) };
  };
  const drag = async (from, to, { button = "left", keys = [] } = {}) => {
    for (const key of keys) await page.keyboard.down(key);
    await page.mouse.move(...from);
    await page.mouse.down({ button });
    await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
    await page.mouse.move(...to);
    await wait(page);
    const during = await picture(page);
    await page.mouse.up({ button });
    for (const key of keys) await page.keyboard.up(key);
    return during;
  };
  const turns = ({ before, after, pixels }, what) => {
    check(off(before.arm, after.arm) > 0.05 && Math.abs(after.distance - before.distance) < 1e-6 && off(before.target, after.target) < 1e-9, `${what} turns the model: ${JSON.stringify([before.eye, after.eye])}`);
    check(pixels.share > 0.03, `${what} is seen: ${pixels.share} of the pixels differ`);
    check(/camera=/.test(after.hash) && after.state.camera !== before.state.camera, `${what} stands in the address: ${after.hash}`);
  };
  const moves = async ({ before, after, pixels }, way, what) => {
    check(off(before.arm, after.arm) < 1e-4 && off(before.target, after.target) > 0.01, `${what} moves the model: ${JSON.stringify([before.target, after.target])}`);
    const middle = await page.$eval("#canvas", (n) => [n.clientWidth / 2, n.clientHeight / 2]), went = await pixelOf(page, before.target);
    check(off(went, middle.map((x, d) => x + way[d])) < 3, `the model goes as far as ${what}: ${went.map((x, d) => x - middle[d])} for ${way}`);
    check(pixels.share > 0.03 && after.state.camera !== before.state.camera, `${what} is seen and stands in the address`);
  };
  const zooms = ({ before, after, pixels }, low, high, what) => {
    const ratio = after.distance / before.distance;
    check(ratio > low && ratio < high && off(before.arm, after.arm) < 1e-2, `${what} zooms: ${ratio}`);
    check(pixels.share > 0.03 && after.state.camera !== before.state.camera, `${what} is seen and stands in the address: ${pixels.share}`);
  };

  // the mouse
  let during;
  const first = await picture(page);
  turns(await change(async () => (during = await drag([400, 400], [520, 430]))), "a left drag");
  check((await difference(first, during)).share > 0.03, "the picture follows a drag before its end");
  check((await read(page)).pick === null, "a drag picks nothing");
  await moves(await change(() => drag([400, 400], [460, 370], { button: "right" })), [60, -30], "a right drag");
  await moves(await change(() => drag([400, 400], [370, 420], { keys: ["Shift"] })), [-30, 20], "a drag with shift");
  const anchor = (await (async () => {
    await page.mouse.click(600, 600);
    return read(page);
  })()).pick;
  check(anchor !== null, "a click picks");
  const [ax, ay] = anchor ? await pixelOf(page, anchor.position) : [600, 600];
  // in the middle of its pixel
  check(off([ax, ay], [600.5, 600.5]) < 1, `the pick is what is under the pointer: ${[ax, ay]}`);
  zooms(await change(async () => {
    await page.mouse.move(600, 600);
    for (let k = 0; k < 3; k++) await page.mouse.wheel({ deltaY: -100 });
  }), 0.6, 0.85, "the wheel");
  check(!anchor || off(await pixelOf(page, anchor.position), [600, 600]) < 12, "the wheel zooms to the pointer");
  zooms(await change(async () => {
    for (let k = 0; k < 6; k++) await page.mouse.wheel({ deltaY: 100 });
  }), 1.5, 2.2, "the wheel back");
  const address = (await read(page)).hash.slice(1), shared = await open(file, { hash: address });
  const [own, theirs] = [await read(page), await read(shared)];
  check(off(own.eye, theirs.eye) < 1e-4 && off(own.target, theirs.target) < 1e-4, "the camera comes back from the address");
  await shared.close();
  // near the model a small drag is seen at once
  await page.keyboard.press("0");
  await page.mouse.move(600, 600);
  for (let k = 0; k < 26; k++) await page.mouse.wheel({ deltaY: -100 });
  const near = await change(() => drag([500, 400], [512, 405], { button: "right" }));
  check(near.pixels.share > 0.003 && off(near.before.target, near.after.target) > 0, `a small drag near the model is seen: ${near.pixels.share}`);

  // clicks
  await page.keyboard.press("0");
  await page.keyboard.press("Escape");
  const picked = await change(() => page.mouse.click(600, 650));
  check(picked.before.pick === null && picked.after.pick !== null && /pick=/.test(picked.after.hash) && picked.pixels.mean > 0, "a click picks and marks the point");
  const told = await page.$eval("#picked", (n) => ({ text: n.textContent, box: n.getBoundingClientRect().toJSON() }));
  check(told.text.includes(`cell${picked.after.pick?.cell}`) && told.box.bottom <= 800, `the panel shows the cell at once: ${JSON.stringify(told)}`);
  const focused = await change(() => page.mouse.click(600, 650, { count: 2, delay: 20 }));
  check(focused.after.pick && off(focused.after.target, focused.after.pick.position) < 1e-5 && Math.abs(focused.after.distance / focused.before.distance - 0.5) < 0.15, `a double click looks closer at the point: ${JSON.stringify([focused.after.target, focused.after.pick, focused.after.distance])}`);
  check(focused.pixels.share > 0.1, "a double click is seen");
  const gone = await change(() => page.mouse.click(20, 780));
  check(gone.after.pick === null, "a click beside the model forgets the pick");

  // keys, after a click into the picture
  await page.keyboard.press("0");
  turns(await change(() => page.keyboard.press("ArrowLeft")), "an arrow");
  turns(await change(() => page.keyboard.press("ArrowUp")), "an arrow upward");
  const key = async (name) => {
    await page.keyboard.down("Shift");
    await page.keyboard.press(name);
    await page.keyboard.up("Shift");
  };
  const panned = await change(() => key("ArrowRight"));
  check(off(panned.before.target, panned.after.target) > 0.01 && off(panned.before.arm, panned.after.arm) < 1e-4 && panned.pixels.share > 0.02, "shift and an arrow move the model");
  zooms(await change(() => page.keyboard.press("+")), 0.8, 0.9, "plus");
  zooms(await change(() => page.keyboard.press("-")), 1.1, 1.3, "minus");
  const home = await change(() => page.keyboard.press("0"));
  check(off(home.after.target, [0, 0, 0]) < 1e-9 && (await difference(first, await picture(page))).share < 0.002, "0 is the first view again");

  // fingers
  const touch = async (type, ...points) => {
    await client.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    await wait(page);
  };
  turns(await change(async () => {
    await touch("touchStart", [400, 400]);
    await touch("touchMove", [440, 410]);
    await touch("touchMove", [500, 420]);
    await touch("touchEnd");
  }), "a finger");
  zooms(await change(async () => {
    await touch("touchStart", [400, 400], [500, 400]);
    await touch("touchMove", [380, 400], [520, 400]);
    await touch("touchMove", [350, 400], [550, 400]);
    await touch("touchEnd");
  }), 0.4, 0.7, "a pinch");
  const slid = await change(async () => {
    await touch("touchStart", [400, 400], [500, 400]);
    await touch("touchMove", [410, 420], [510, 420]);
    await touch("touchMove", [440, 460], [540, 460]);
    await touch("touchEnd");
  });
  check(off(slid.before.target, slid.after.target) > 0.01 && Math.abs(slid.after.distance / slid.before.distance - 1) < 0.05 && slid.pixels.share > 0.03, `two fingers move the model: ${JSON.stringify([slid.before.target, slid.after.target])}`);
  await page.keyboard.press("0");
  await wait(page);
  await page.touchscreen.tap(600, 650);
  await wait(page);
  check((await read(page)).pick !== null, "a tap picks");
  await page.keyboard.press("Escape");

  // the plane of a cut, by the mouse and by a finger
  await page.keyboard.press("x");
  await wait(page);
  const carried = async (what, way, by, name) => {
    const { handle } = await read(page), from = handle[what], to = from.map((x, d) => x + way[d]);
    const { before, after, pixels } = await change(() => by(from, to));
    check(off(before.eye, after.eye) < 1e-9, `the camera stays while ${name}`);
    check(after.plane.distance !== before.plane.distance && pixels.share > 0.005, `the plane moves while ${name}: ${pixels.share}`);
    return { before, after };
  };
  const byFinger = async (from, to) => {
    await touch("touchStart", from);
    await touch("touchMove", from.map((x, d) => (x + to[d]) / 2));
    await touch("touchMove", to);
    await touch("touchEnd");
  };
  const axis = async () => {
    const { handle } = await read(page);
    return [0, 1].map((d) => handle.tip[d] - handle.ball[d]);
  };
  const ball = await carried("ball", (await axis()).map((x) => -x / 2), drag, "the mouse drags the ball");
  check(ball.after.plane.distance < ball.before.plane.distance && ball.after.state.cut === "x", "the ball goes back along the normal");
  await carried("ball", (await axis()).map((x) => x / 2), byFinger, "a finger drags the ball");
  const tip = await carried("tip", [10, -30], drag, "the mouse drags the tip");
  check(tip.after.state.cut === "free" && off(tip.before.plane.normal, tip.after.plane.normal) > 0.1, "the tip turns the plane");
  check((await read(page)).pick === null, "dragging the plane picks nothing");
  await page.close();

  await controls({ open, view, check, difference, model, file, scratch, slice });
}

// Every control of the panel, by the mouse and the keyboard.
async function controls({ open, view, check, difference, model, scratch, slice }) {
  const layers = path.join(scratch, "by-hand-layers");
  slice(model, "--layer-height", "1", "--pixel", "0.5", "--png", layers);
  const page = await open(view(model, "controls", "--slices", layers), { width: 1280, height: 800 });
  await page.createCDPSession().then((c) => c.send("Browser.setDownloadBehavior", { behavior: "deny" }));
  // what is used most is seen without scrolling, in the order of its use
  const titles = await page.$$eval("#panel summary", (all) => all.map((n) => n.textContent));
  check(titles.slice(0, 5).join() === "Color,Cut,Layers,Worst cells,Picked point", `the order of the panel: ${titles}`);
  for (const name of ["by", "plane", "position", "layer"]) {
    const bottom = await page.$eval(`[aria-label="${name}"]`, (n) => n.getBoundingClientRect().bottom);
    check(bottom > 0 && bottom < 800, `"${name}" is seen at 1280 × 800: its end is at ${bottom}`);
  }
  check(await page.evaluate(() => [...document.querySelectorAll("#panel details")].every((n) => n.open === !["Model", "Lines", "Page"].includes(n.firstChild.textContent))), "Model, Lines and Page are folded");

  const place = async (node) => {
    await node.evaluate((n) => n.scrollIntoView({ block: "nearest" }));
    return node.boundingBox();
  };
  const labelled = (name) => page.$(`[aria-label="${name}"]`);
  const box = async (text) => {
    const all = await page.$$("#panel label");
    for (const label of all) if ((await label.evaluate((n) => n.textContent)).startsWith(text)) return label.$("input");
    return null;
  };
  const click = async (node) => {
    const { x, y, width, height } = await place(node);
    await page.mouse.click(x + width / 2, y + height / 2);
  };
  const button = async (text) => {
    for (const node of await page.$$("#panel button, #panel summary")) if ((await node.evaluate((n) => n.textContent)).startsWith(text)) return node;
    return null;
  };
  const pull = async (name, part) => {
    const { x, y, width, height } = await place(await labelled(name));
    const from = await page.$eval(`[aria-label="${name}"]`, (n) => (n.value - n.min) / (n.max - n.min)), at = (t) => x + 8 + t * (width - 16);
    await page.mouse.move(at(from), y + height / 2);
    await page.mouse.down();
    await page.mouse.move(at((from + part) / 2), y + height / 2);
    await page.mouse.move(at(part), y + height / 2);
    await page.mouse.up();
  };
  // opens the list and goes down in it
  const choose = async (name, steps) => {
    await click(await labelled(name));
    for (let k = 0; k < Math.abs(steps); k++) await page.keyboard.press(steps > 0 ? "ArrowDown" : "ArrowUp");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
  };
  const type = async (name, text) => {
    await click(await labelled(name));
    await page.keyboard.type(text);
    await page.keyboard.press("Tab");
  };
  for (const title of ["Lines", "Page", "Model"]) await click(await button(title));
  const tried = async (what, act, holds, share = 0.002) => {
    const before = await read(page), shot = await picture(page);
    await act();
    await wait(page);
    const after = await read(page), pixels = (await difference(shot, await picture(page))).share;
    check(holds(before, after), `${what}: ${JSON.stringify(Object.fromEntries(Object.keys(after.state).filter((k) => after.state[k] !== before.state[k]).map((k) => [k, [before.state[k], after.state[k]]])))} ${after.status}`);
    check(pixels >= share, `${what} is seen: ${pixels} of the pixels differ`);
  };
  const changes = (name, to) => (a, b) => a.state[name] !== b.state[name] && (to === undefined || b.state[name] === to);
  await tried("the list of colors", () => choose("by", 1), (a, b) => b.channel === "scaled Jacobian" && /color=/.test(b.hash), 0.05);
  await tried("the list of color maps", () => choose("map", 1), changes("map", "cividis"), 0.02);
  await tried("the least value", () => type("from", "0.9"), changes("low", "0.9"), 0.02);
  await tried("the greatest value", () => type("to", "0.95"), changes("high", "0.95"), 0.005);
  await tried("the list of cuts", () => choose("plane", 2), changes("cut", "y"), 0.02);
  await tried("the position of the cut", () => pull("position", 0.7), (a, b) => Math.abs(b.state.at - 0.7) < 0.05 && b.plane.distance !== a.plane.distance, 0.01);
  await tried("the other side", async () => click(await box("other side")), changes("flip"), 0.02);
  await tried("no cut", () => choose("plane", -2), changes("cut", "off"), 0.02);
  await tried("the layer", () => pull("layer", 0.8), (a, b) => b.state.layer > a.state.layer, 0);
  await tried("the cut at the layer", async () => click(await box("cut the model there")), (a, b) => b.state.layers && b.state.cut === "z", 0.02);
  await tried("no cut again", () => choose("plane", -3), changes("cut", "off"), 0.02);
  await tried("a worst cell", async () => click(await button("cell ")), (a, b) => b.pick !== null && off(a.target, b.target) > 0.01, 0.1);
  await tried("the first view", async () => click(await button("First view")), (a, b) => off(b.target, [0, 0, 0]) < 1e-9 && Math.abs(b.distance - Math.hypot(1, 1.45, 0.82)) < 1e-9, 0.1);
  await tried("peeling", () => pull("peel layers", 1), (a, b) => b.state.peel > 0 && b.shown !== a.shown, 0.02);
  await tried("putting back", () => pull("peel layers", 0), changes("peel", 0), 0.02);
  await tried("moving apart", () => pull("move apart", 0.4), (a, b) => Math.abs(b.state.explode - 0.8) < 0.1, 0.05);
  await tried("classes apart", () => choose("apart are", 1), changes("by", "class"), 0.05);
  await tried("moving together", () => pull("move apart", 0), changes("explode", 0), 0.05);
  await tried("one class", () => choose("show", 1), (a, b) => b.state.only === "0" && b.shown !== a.shown, 0.02);
  await tried("all classes", () => choose("show", -1), changes("only", ""), 0.02);
  for (const [text, name, share] of [["between cells", "cells", 0.01], ["control mesh", "control", 0.002], ["singular edges", "singular", 0.0001], ["irregular edges", "boundary", 0.0001]])
    await tried(`"${text}"`, async () => click(await box(text)), changes(name), share);
  await tried("isolines", () => choose("isolines", 2), changes("iso", 4), 0.02);
  await tried("dark or light", async () => click(await button("Dark or light")), (a, b) => a.dark !== b.dark, 0.2);
  await tried("copying a link", async () => click(await button("Copy link")), (a, b) => /Copied|^file:/.test(b.status), 0);
  // keys go on after a box was ticked
  await tried("a key after a box", async () => {
    await click(await box("between cells"));
    await page.keyboard.press("x");
  }, (a, b) => b.state.cut === "x", 0.02);
  await page.mouse.click(500, 700);
  const copy = await button("Copy cell");
  await tried("copying a row", async () => copy && click(copy), (a, b) => copy !== null && /Copied|^\d/.test(b.status), 0);
  await page.close();
}
