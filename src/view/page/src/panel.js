// The controls beside the picture. Names from files are text nodes only.
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name in node && name !== "list") node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function section(title, open, ...children) {
  return element("details", { open }, element("summary", {}, title), ...children);
}

export function field(label, control) {
  control.setAttribute("aria-label", label);
  return element("label", {}, element("span", {}, label), control);
}

export function table(rows) {
  return element("table", {}, element("tbody", {}, ...rows.map(([name, value]) => element("tr", {}, element("td", {}, name), element("td", {}, value)))));
}

// Figures of a report; without a header rows of a name and what belongs to it.
export function figureTable(header, rows) {
  const line = (cells, tag) => element("tr", {}, ...cells.map((cell) => element(tag, {}, cell)));
  const head = header.length ? element("thead", {}, line(header, "th")) : null;
  const className = header.length ? "figures" : "figures pairs";
  return element("div", { className, tabIndex: 0 }, element("table", {}, head, element("tbody", {}, ...rows.map((row) => line(row, "td")))));
}

export function select(options, value, change) {
  const node = element("select", { onchange: () => change(node.value) }, ...options.map(([key, name]) => element("option", { value: key }, name)));
  node.value = value;
  return node;
}

export function slider(low, high, step, value, change) {
  const node = element("input", { type: "range", min: low, max: high, step, oninput: () => change(Number(node.value), false), onchange: () => change(Number(node.value), true) });
  node.value = value;
  return node;
}

export function checkbox(label, value, change) {
  const node = element("input", { type: "checkbox", checked: value, onchange: () => change(node.checked) });
  return element("label", {}, node, label);
}

// Six digits; of a value among others that span less than it is large, six of the span.
export function number(value, span = 0) {
  if (value === null || value === undefined) return "";
  if (Number.isNaN(value)) return "none";
  if (Number.isSafeInteger(value)) return String(value);
  const more = span > 0 ? Math.ceil(Math.log10(Math.abs(value) / span)) : 0;
  if (Math.abs(value) < 1e-3) {
    const digits = span > 0 ? Math.min(17, Math.max(3, 6 + more)) : 3;
    return value.toExponential(digits - 1).replace(/\.?0+e/, "e");
  }
  return String(+value.toPrecision(Math.min(17, Math.max(6, 6 + more))));
}
