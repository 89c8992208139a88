// The limit in the vertex shader: a grid over (s, t) of a bicubic patch, whose points are texels.
// Texels of a patch: 16 points with an attribute in w; origin in the element's parameters, value
// of the cell in w; the two directions, 1 in the first w for a corner of a cell; center of the
// cell, its number in w. Of what `along` a triangle or patch is 0, no lines are drawn.
export const TEXELS = 20;

const COMMON = `
precision highp float;
precision highp int;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform float explode;
out vec3 vModel, vView, vNormal, vPlace, vId;
out float vValue;
flat out vec3 vAlong;
flat out float vCorner;
`;

export const PATCH_VERTEX = `${COMMON}
in vec2 position;
in float patchIndex;
uniform highp sampler2D points;
uniform bool byCell;
vec4 texel(int k) {
  int at = int(patchIndex) * ${TEXELS} + k, width = textureSize(points, 0).x;
  return texelFetch(points, ivec2(at % width, at / width), 0);
}
vec4 cubic(float t) { float s = 1.0 - t; return vec4(s*s*s, 3.0*s*s*t, 3.0*s*t*t, t*t*t); }
vec4 slope(float t) { float s = 1.0 - t; return vec4(-3.0*s*s, 3.0*s*s - 6.0*s*t, 6.0*s*t - 3.0*t*t, 3.0*t*t); }
// the point, and the normal, unnormalized
vec4 at(vec2 p, out vec3 normal) {
  vec4 a = cubic(p.x), b = cubic(p.y), da = slope(p.x), db = slope(p.y), sum = vec4(0.0);
  vec3 u = vec3(0.0), v = vec3(0.0);
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++) {
      vec4 control = texel(4 * j + i);
      sum += a[i] * b[j] * control;
      u += da[i] * b[j] * control.xyz;
      v += a[i] * db[j] * control.xyz;
    }
  normal = cross(u, v);
  return sum;
}
void main() {
  vec3 normal;
  vec4 point = at(position, normal);
  // where an edge is collapsed or a corner extraordinary, that of a place nearby
  if (dot(normal, normal) < 1e-24) at(mix(position, vec2(0.5), 0.02), normal);
  vec4 place = texel(16), a = texel(17), b = texel(18), center = texel(19);
  vModel = point.xyz;
  vec4 view = modelViewMatrix * vec4(point.xyz + explode * center.xyz, 1.0);
  vView = view.xyz;
  vNormal = mat3(modelViewMatrix) * normal / max(length(normal), 1e-30);
  vPlace = place.xyz + position.x * a.xyz + position.y * b.xyz;
  vAlong = abs(a.xyz) + abs(b.xyz);
  vCorner = a.w;
  vValue = byCell ? place.w : point.w;
  vId = vec3(patchIndex + 1.0, position);
  gl_Position = projectionMatrix * view;
}`;

export const VERTEX = `${COMMON}
in vec3 position, normal, place, along, id, center;
in float value, corner;
void main() {
  vModel = position;
  vec4 view = modelViewMatrix * vec4(position + explode * center, 1.0);
  vView = view.xyz;
  vNormal = mat3(modelViewMatrix) * normal;
  vPlace = place;
  vAlong = along;
  vCorner = corner;
  vValue = value;
  vId = id;
  gl_Position = projectionMatrix * view;
}`;

export const FRAGMENT = `
precision highp float;
in vec3 vModel, vView, vNormal, vPlace, vId;
in float vValue;
flat in vec3 vAlong;
flat in float vCorner;
uniform bool picking, clipping, isCap, cellLines, categories, redBelowZero;
uniform vec4 plane;
uniform float isolines;
uniform vec2 range;
uniform sampler2D colors;
uniform vec3 lineColor;
out vec4 fragment;
float onLine(float p, float count) {
  float x = p * count, width = fwidth(x);
  if (width <= 0.0 || width > 0.5) return 0.0;
  return 1.0 - smoothstep(0.4, 1.0, abs(fract(x - 0.5) - 0.5) / width);
}
void main() {
  if (clipping && !isCap && dot(plane.xyz, vModel) > plane.w) discard;
  if (picking) { fragment = vec4(vId, isCap ? 2.0 : 1.0); return; }
  vec3 base;
  if (!(vValue == vValue) || abs(vValue) > 3e38) base = vec3(0.55);
  else if (redBelowZero && vValue < 0.0) base = vec3(0.85, 0.06, 0.1);
  else if (categories) base = texelFetch(colors, ivec2(int(mod(vValue + 0.5, 8.0)), 0), 0).rgb;
  else base = texture(colors, vec2(clamp((vValue - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
  vec3 normal = vNormal;
  if (dot(normal, normal) < 1e-12) normal = cross(dFdx(vView), dFdy(vView));
  normal = normalize(normal);
  vec3 eye = normalize(-vView);
  if (dot(normal, eye) < 0.0) normal = -normal;
  float light = isCap ? 0.95 : 0.35 + 0.65 * max(dot(normal, normalize(vec3(0.3, 0.5, 1.0))), 0.0);
  float shine = isCap ? 0.0 : 0.12 * pow(max(dot(reflect(-eye, normal), normalize(vec3(0.3, 0.5, 1.0))), 0.0), 30.0);
  vec3 color = base * light + shine;
  for (int d = 0; d < 3; d++) {
    if (vAlong[d] <= 0.0) continue;
    // an element at a corner of a cell ends inside the cell where a parameter is 1
    if (cellLines && (vCorner == 0.0 || vPlace[d] < 0.5)) color = mix(color, lineColor, 0.85 * onLine(vPlace[d], 1.0));
    if (isolines > 0.0) {
      vec3 tint = d == 0 ? vec3(0.8, 0.1, 0.1) : d == 1 ? vec3(0.05, 0.5, 0.1) : vec3(0.1, 0.2, 0.85);
      color = mix(color, tint, 0.8 * onLine(vPlace[d], isolines));
    }
  }
  fragment = vec4(color, 1.0);
}`;
