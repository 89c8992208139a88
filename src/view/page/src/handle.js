// A handle of the cut: its ball moves the plane along the normal, its tip turns the normal about
// the ball.
import * as THREE from "three";

const REACH = 16; // pixels around ball and tip that take hold of them
const COLOR = 0xff8c1a;

export class Handle {
  // view: the picture; plane(): { normal, distance } or null; changed(plane, fine): takes another.
  constructor(view, plane, changed) {
    Object.assign(this, { view, plane, changed, pivot: new THREE.Vector3(), grip: null });
    const material = new THREE.MeshBasicMaterial({ color: COLOR, depthTest: false, transparent: true });
    this.ball = new THREE.Mesh(new THREE.SphereGeometry(0.07, 20, 14), material);
    this.tip = new THREE.Mesh(new THREE.ConeGeometry(0.07, 0.2, 20), material);
    this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.018, 0.018, 1, 10), material);
    this.tip.position.y = 1;
    this.shaft.position.y = 0.5;
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, z]) => new THREE.Vector3(x, 0, z));
    this.frame = new THREE.LineLoop(new THREE.BufferGeometry().setFromPoints(corners), new THREE.LineBasicMaterial({ color: COLOR }));
    this.group = new THREE.Group().add(this.ball, this.tip, this.shaft);
    for (const object of [this.ball, this.tip, this.shaft]) object.renderOrder = 3;
    this.group.visible = this.frame.visible = false;
    view.scene.add(this.group, this.frame);
    view.handle = this;
    this.listen(view.canvas);
  }

  get objects() {
    return [this.group, this.frame];
  }

  // Where the ball is: the last pivot, on the plane.
  base({ normal, distance }) {
    const n = new THREE.Vector3(...normal);
    return this.pivot.clone().addScaledVector(n, distance - n.dot(this.pivot));
  }

  // Before every drawing: as large on the screen wherever the camera is.
  update() {
    const plane = this.plane();
    this.group.visible = this.frame.visible = Boolean(plane);
    if (!plane) return;
    const base = this.base(plane), normal = new THREE.Vector3(...plane.normal);
    this.length = 0.1 * base.distanceTo(this.view.camera.position);
    for (const object of this.objects) {
      object.position.copy(base);
      object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), normal);
    }
    this.group.scale.setScalar(this.length);
    this.frame.scale.setScalar(0.35);
  }

  // Ball and tip in pixels of the canvas.
  places() {
    const plane = this.plane();
    if (!plane) return null;
    this.update();
    const { camera, canvas } = this.view, base = this.base(plane);
    camera.updateMatrixWorld();
    const pixel = (p) => {
      const q = p.clone().project(camera);
      return [((q.x + 1) / 2) * canvas.clientWidth, ((1 - q.y) / 2) * canvas.clientHeight];
    };
    return { ball: pixel(base), tip: pixel(base.clone().addScaledVector(new THREE.Vector3(...plane.normal), this.length)) };
  }

  listen(canvas) {
    // before the camera's own listeners
    canvas.addEventListener("pointerdown", (e) => this.take(e), true);
    canvas.addEventListener("pointermove", (e) => this.drag(e, false), true);
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (e) => this.drag(e, true), true);
  }

  take(e) {
    const places = e.button === 0 ? this.places() : null;
    if (!places) return;
    const away = ([x, y]) => Math.hypot(x - e.offsetX, y - e.offsetY);
    const nearest = away(places.tip) <= away(places.ball) ? "tip" : "ball";
    if (away(places[nearest]) > REACH) return;
    const { normal, distance } = this.plane();
    this.pivot = this.base({ normal, distance });
    this.grip = { kind: nearest, at: [e.offsetX, e.offsetY], normal: new THREE.Vector3(...normal), distance, ...places, length: this.length };
    this.view.controls.enabled = false;
    this.view.canvas.setPointerCapture(e.pointerId);
    e.stopImmediatePropagation();
  }

  drag(e, last) {
    const { grip, view } = this;
    if (!grip) return;
    e.stopImmediatePropagation();
    this.changed(grip.kind === "ball" ? this.moved(e) : this.turned(e), last);
    if (!last) return;
    this.grip = null;
    view.controls.enabled = true;
  }

  // Along the normal as far as the pointer went along its picture.
  moved(e) {
    const { at, ball, tip, normal, distance, length } = this.grip;
    const along = [tip[0] - ball[0], tip[1] - ball[1]], way = [e.offsetX - at[0], e.offsetY - at[1]];
    // of a normal toward the eye there is no picture: not faster than the pointer
    const square = Math.max(along[0] ** 2 + along[1] ** 2, 100);
    return { normal: normal.toArray(), distance: distance + (length * (along[0] * way[0] + along[1] * way[1])) / square };
  }

  // The tip stays under the pointer, on a sphere around the ball.
  turned(e) {
    const { camera, canvas } = this.view, { normal, length } = this.grip;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * e.offsetX) / canvas.clientWidth - 1, 1 - (2 * e.offsetY) / canvas.clientHeight), camera);
    const { origin, direction } = ray.ray, from = this.pivot.clone().sub(origin);
    const middle = direction.clone().multiplyScalar(from.dot(direction)).sub(from); // from the ball to the ray
    const half = Math.sqrt(Math.max(0, length ** 2 - middle.lengthSq()));
    // a tip behind the ball stays there
    const side = normal.dot(direction) > 0 ? 1 : -1;
    const turned = middle.addScaledVector(direction, side * half).normalize();
    return { normal: turned.toArray(), distance: turned.dot(this.pivot) };
  }
}
