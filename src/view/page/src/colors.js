// Color maps as textures.
import { interpolateCividis, interpolateTurbo, interpolateViridis } from "d3-scale-chromatic";
import * as THREE from "three";

export const MAPS = { viridis: interpolateViridis, cividis: interpolateCividis, turbo: interpolateTurbo };
// distinct for color-blind readers, too
export const CATEGORIES = ["#4477aa", "#ccbb44", "#ee6677", "#66ccee", "#228833", "#aa3377", "#bbbbbb", "#ee8866"];
// The category that says nothing.
export const NEUTRAL = 6;

function texture(colors) {
  const data = new Uint8Array(4 * colors.length);
  colors.forEach((color, i) => {
    const { r, g, b } = new THREE.Color().setStyle(color, THREE.LinearSRGBColorSpace);
    data.set([r * 255, g * 255, b * 255, 255], 4 * i);
  });
  const texture = new THREE.DataTexture(data, colors.length, 1);
  const filter = colors.length > 8 ? THREE.LinearFilter : THREE.NearestFilter;
  Object.assign(texture, { minFilter: filter, magFilter: filter, needsUpdate: true });
  return texture;
}

const textures = {};
export function mapTexture(name) {
  return (textures[name] ??= name === "categories" ? texture(CATEGORIES) : texture(Array.from({ length: 256 }, (_, i) => MAPS[name](i / 255))));
}

export function gradient(name) {
  return `linear-gradient(to right, ${Array.from({ length: 17 }, (_, i) => MAPS[name](i / 16)).join(", ")})`;
}
