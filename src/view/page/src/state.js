// Everything that a link to a view holds, and the URL fragment that holds it.
export const DEFAULTS = {
  color: "class", map: "viridis", low: "", high: "", cut: "off", at: 0.5, flip: false, normal: "",
  peel: 0, explode: 0, by: "cell", only: "", cells: true, iso: 0, control: false, creases: true, singular: true, boundary: false,
  theme: "", layer: 0, layers: false, deform: "", factor: 0, camera: "", pick: "",
};

const CHOICES = { cut: ["off", "x", "y", "z", "free"], by: ["cell", "class"], theme: ["", "dark", "light"] };

export function parse(fragment) {
  const state = { ...DEFAULTS };
  for (const [name, text] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    if (!Object.hasOwn(DEFAULTS, name)) continue;
    const kind = typeof DEFAULTS[name];
    if (kind === "boolean") state[name] = text === "1";
    else if (kind === "number") state[name] = Number.isFinite(Number(text)) ? Number(text) : DEFAULTS[name];
    else if (!Object.hasOwn(CHOICES, name) || CHOICES[name].includes(text)) state[name] = text;
  }
  state.peel = Math.max(0, Math.round(state.peel));
  return state;
}

export function fragment(state) {
  const parameters = new URLSearchParams();
  for (const name in DEFAULTS) {
    const value = state[name];
    if (value === DEFAULTS[name]) continue;
    parameters.set(name, typeof value === "boolean" ? (value ? "1" : "0") : String(value));
  }
  return parameters.toString();
}
