// The page: state, history, drawing, figures, tables. Results come from Engine.

const $ = id => document.getElementById(id);
const exploration = JSON.parse($("data").textContent);
const svg_name = "http://www.w3.org/2000/svg";

function make(name, attributes = {}, text) {
  const svg = ["svg", "g", "path", "line", "circle", "text", "rect", "tspan"].includes(name);
  const element = svg ? document.createElementNS(svg_name, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// What differs only: the browser lays out anew what is written, also if it is
// the same as before.
function set_text(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
function set_attribute(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}
// The first `n` children of a box; makes those that are missing, removes others.
function children_of(box, n, make_child) {
  while (box.children.length > n) box.lastElementChild.remove();
  while (box.children.length < n) box.append(make_child());
  return box.children;
}

// Text with *italics*, _{indices} and ^{exponents}, as the program writes it.
function rich(element, text) {
  element.replaceChildren();
  const pattern = /\*([^*]+)\*|_\{([^}]*)\}|\^\{([^}]*)\}/g;
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    element.append(text.slice(at, match.index));
    const name = match[1] !== undefined ? "i" : match[2] !== undefined ? "sub" : "sup";
    element.append(make(name, {}, match[1] ?? match[2] ?? match[3]));
    at = match.index + match[0].length;
  }
  element.append(text.slice(at));
  return element;
}
const plain = text => text.replace(/\*|[_^]\{([^}]*)\}/g, "$1");

// "0.01234", "123.5", "1.2e-7": so many significant digits.
function digits(value, n = 4) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6))
    return value.toExponential(n - 1).replace("-", "−").replace("e+", "e");
  return String(+value.toPrecision(n)).replace("-", "−");
}
function percent(fraction) {
  if (!Number.isFinite(fraction)) return "–";
  const value = 100 * fraction, size = Math.abs(value);
  if (size < 5e-4) return "0 %";
  const text = size < 1 ? size.toPrecision(2) : size < 100 ? size.toFixed(1) : size.toFixed(0);
  return (value < 0 ? "−" : "+") + text + " %";
}
// Units as text; files and --set have them in ASCII.
const shown_unit = unit => unit.replace(/\bum\b/, "µm");
// Without the digits that a sum of decimal numbers leaves behind.
const clean = value => +value.toPrecision(12);
const step_of = size => Math.pow(10, Math.floor(Math.log10(size || 1)) - 2);

class State {
  constructor(design) {
    this.design = design;
    this.values = [...design.start];
    this.past = [];
    this.future = [];
    this.open = null; // what goes on in one gesture is one step
  }
  set(changes, gesture) {
    const different = [...changes].filter(([k, v]) => Number.isFinite(v) && v !== this.values[k]);
    if (!different.length) return false;
    if (!gesture || gesture !== this.open) this.past.push([...this.values]);
    this.open = gesture || null;
    this.future = [];
    for (const [k, v] of different) this.values[k] = v;
    return true;
  }
  end() { this.open = null; }
  move(from, to) {
    if (!from.length) return false;
    to.push([...this.values]);
    this.values = from.pop();
    this.open = null;
    return true;
  }
  undo() { return this.move(this.past, this.future); }
  redo() { return this.move(this.future, this.past); }
  reset() { return this.set(this.design.start.map((v, k) => [k, v])); }
  changed() { return this.values.flatMap((v, k) => v === this.design.start[k] ? [] : [k]); }
}

const design = new Design(exploration);
const state = new State(design);
const momentum_axis = exploration.momentum, angle_axis = exploration.angles;
const by_eta = exploration.track.variable === 1;
const track = { momentum: exploration.track.momentum, angle: exploration.track.angle };
const eta_of = theta => -Math.log(Math.tan(theta / 2));
const theta_of = eta => 2 * Math.atan(Math.exp(-eta));
// The angle of the track on the axis of figures, eta or theta, and back.
const axis_by_eta = angle_axis.variable === 1;
const to_axis = angle => by_eta === axis_by_eta ? angle : by_eta ? theta_of(angle) : eta_of(angle);
const from_axis = value => by_eta === axis_by_eta ? value : by_eta ? eta_of(value) : theta_of(value);
const one = (variable, value) => ({ variable, values: [value] });
const momentum_of = value => ({ variable: momentum_axis.variable, values: value });
const track_axes = () => ({ momentum: momentum_of([track.momentum]),
  angle: one(exploration.track.variable, track.angle) });

let engine, first, columns, parameters, start_outline;
let chosen = "", with_group = false, parameter = 0, grouping = 2;
let figures = [];

// ---- names of columns and values

function described(name) {
  const q = exploration.quantities.find(q => q.column === name);
  if (q) return { text: q.symbol, unit: q.unit, factor: q.factor, title: q.title };
  const column = columns.find(c => c.name === name), at = name.match(/^sigma_(.+)_at_(\w+)$/);
  if (at)
    return { text: `*σ*(*${at[1]}*)${at[2] === "rel" ? `/*${at[1]}*` : ""} at the layer`,
      unit: at[2] === "rel" ? "%" : shown_unit(at[2]), factor: at[2] === "rel" ? 100 : 1, title: "" };
  if (/_rel$|_rel_/.test(name) || name.startsWith("x_over_x0")) {
    const text = { x_over_x0: "*x*/*X*_{0}", x_over_x0_tracker: "*x*/*X*_{0} to the last hit",
      sigma_p_rel: "*σ*(*p*)/*p*", sigma_p_rel_hit_only: "*σ*(*p*)/*p*, hits only",
      sigma_p_rel_ms_only: "*σ*(*p*)/*p*, scattering only" }[name] || name.replace(/_rel$/, "");
    return { text, unit: "%", factor: 100, title: "" };
  }
  const unit = column.unit === "1" ? "" : shown_unit(column.unit);
  const bare = column.unit && name.endsWith("_" + column.unit) ?
    name.slice(0, -column.unit.length - 1) : name;
  return { text: bare.replace(/_/g, " "), unit, factor: 1, title: "" };
}
// Columns of the track at a layer are there if the study asks for one.
const has_column = c => !/_at_|^at_|^p_at/.test(c.name) || exploration.columns.includes("at_status");
const is_error = name => name.startsWith("sigma_");
const momentum_text = p => digits(p * momentum_axis.factor) + " " + momentum_axis.unit;
const angle_text = a => by_eta ? digits(a, 3) : digits(a * 180 / Math.PI, 4) + "°";

// ---- history, link, files

function say(text) {
  $("said").textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { $("said").textContent = ""; }, 4000);
}

function link() {
  const values = {};
  for (const k of state.changed()) values[design.handles[k].key] = state.values[k];
  const kept = { v: values, t: [track.momentum, track.angle], f: figures.map(f => [f.column, f.axis]) };
  if (chosen) kept.c = chosen;
  return "#" + encodeURIComponent(JSON.stringify(kept));
}
function keep_link() {
  clearTimeout(keep_link.timer);
  keep_link.timer = setTimeout(() => {
    if (location.hash !== link()) history.replaceState(null, "", link());
  }, 250);
}
function read_link() {
  let kept;
  try {
    kept = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return;
  }
  const values = [...design.start];
  design.handles.forEach((h, k) => {
    const value = kept.v?.[h.key];
    if (Number.isFinite(value)) values[k] = value;
  });
  state.set(values.map((v, k) => [k, v]));
  if (kept.t?.every(Number.isFinite) && kept.t[0] > 0) [track.momentum, track.angle] = kept.t;
  if (Array.isArray(kept.f)) {
    const good = kept.f.filter(([c, a]) => columns.some(k => k.name === c && k.kind < 2) &&
      (a === "p" || a === "eta"));
    if (good.length) figures = good.map(([column, axis]) => ({ column, axis }));
  }
  if (entries().includes(kept.c)) chosen = kept.c;
}

function save(name, text) {
  const anchor = make("a", { href: URL.createObjectURL(new Blob([text])), download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
}
async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(what + " copied");
  } catch { // not every browser lets a file do this
    const area = make("textarea", { class: "vh" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    say(done ? what + " copied" : "the browser does not allow copying");
  }
}
const quoted = text => "'" + text.replace(/'/g, "'\\''") + "'";
const sets = () => exploration.overrides.concat(design.overrides(state.values))
  .map(o => "--set " + quoted(o)).join(" \\\n");

// ---- entries and sliders

const entries = () => [...new Set(design.handles.map(h => h.entry))];
const handles_of = entry => design.handles.flatMap((h, k) => h.entry === entry ? [k] : []);
const group_of_entry = new Map();

// The same change for all entries of the group: lengths are moved by as much,
// material, errors and pitches multiplied.
function spread(k, value) {
  const changes = [[k, value]];
  const handle = design.handles[k], group = group_of_entry.get(handle.entry);
  if (!with_group || !group) return changes;
  const factor = value / state.values[k], shift = (value - state.values[k]) * handle.factor;
  const scaled = /^(x\/X0|thickness|error|pitch)/.test(handle.label);
  design.handles.forEach((h, i) => {
    if (i === k || h.label !== handle.label || group_of_entry.get(h.entry) !== group) return;
    const now = state.values[i];
    changes.push([i, clean(scaled && Number.isFinite(factor) ? now * factor : now + shift / h.factor)]);
  });
  return changes;
}

function change(changes, gesture) {
  if (state.set(changes, gesture)) update();
}

function fill_entries() {
  const select = $("entry");
  select.replaceChildren(make("option", { value: "" }, "choose one, or click in the drawing"));
  for (const entry of entries())
    select.append(make("option", { value: entry || " " },
      entry ? entry + (group_of_entry.get(entry) ? " · " + group_of_entry.get(entry) : "") : "field"));
  select.value = chosen === "" ? "" : chosen;
}

function fill_sliders() {
  const box = $("sliders");
  box.replaceChildren();
  sliders = [];
  const shown = handles_of("").concat(chosen ? handles_of(chosen) : []);
  if (chosen && group_of_entry.get(chosen)) {
    const label = make("label", { class: "whole" });
    const check = make("input", { type: "checkbox", id: "with-group" });
    check.checked = with_group;
    check.addEventListener("change", () => { with_group = check.checked; });
    label.append(check, "change all of " + group_of_entry.get(chosen) + " together");
    box.append(label);
  }
  for (const k of shown) {
    const handle = design.handles[k], start = design.start[k];
    const size = Math.abs(start), step = step_of(size || 10);
    const reach = step * Math.floor((size ? size / 2 : 10) / step); // whole steps around the start
    const row = make("div", { class: "slider", "data-key": handle.key });
    const name = make("span", {}, handle.entry || handle.label === "field" ? handle.label : "field " + handle.label);
    const range = make("input", { type: "range", "aria-label": handle.key, step,
      min: clean(start - reach), max: clean(start + reach) });
    const number = make("input", { type: "number", "aria-label": handle.key + " as a number", step: "any" });
    const value = make("span", { class: "value" });
    value.append(number, shown_unit(handle.unit.trim()));
    row.append(name, range, value);
    range.addEventListener("input", () => change(spread(k, clean(+range.value)), "slider " + k));
    range.addEventListener("change", () => state.end());
    number.addEventListener("change", () => {
      if (number.value !== "") change(spread(k, +number.value));
      state.end();
    });
    box.append(row);
    sliders.push({ k, row, range, number });
  }
  show_sliders();
}

let sliders = [];
function show_sliders() {
  for (const { k, row, range, number } of sliders) {
    const value = state.values[k];
    if (value < +range.min) range.min = value;
    if (value > +range.max) range.max = value;
    if (+range.value !== value) range.value = value;
    if (number.value === "" || +number.value !== value) number.value = value;
    row.classList.toggle("changed", value !== design.start[k]);
  }
}

function choose(entry) {
  chosen = entry;
  $("entry").value = entry === "" ? "" : entry;
  fill_sliders();
  drawing.mark();
  keep_link();
}

// ---- the drawing

const drawing = {
  margin: { left: 52, right: 14, top: 12, bottom: 36 },
  lines: [],
  path: [],

  begin() {
    this.svg = $("rz");
    this.entry_of = start_outline.map(line => this.find_entry(line.name));
    this.fit();
    this.resize();
    this.svg.addEventListener("pointerdown", event => this.press(event));
    this.svg.addEventListener("keydown", event => this.key(event));
    this.svg.addEventListener("wheel", event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const [z, r] = this.at(event);
      this.zoom(event.deltaY < 0 ? 0.8 : 1.25, z, r);
    }, { passive: false });
    const around = () => {
      const i = this.entry_of.indexOf(chosen);
      const line = i >= 0 && this.outline[i];
      return line ? [(line.z[0] + line.z[1]) / 2, (line.r[0] + line.r[1]) / 2] :
        [Math.max(this.view.z[0], 0), 0];
    };
    $("closer").addEventListener("click", () => this.zoom(0.6, ...around()));
    $("wider").addEventListener("click", () => this.zoom(1 / 0.6, ...around()));
    $("whole").addEventListener("click", () => { this.fit(); this.resize(); });
    const legend = $("legend"), used = new Set(exploration.paint);
    exploration.systems.forEach((system, i) => {
      if (!used.has(i)) return;
      const item = make("span");
      const passive = start_outline.every(l => exploration.paint[l.layer] !== i || !l.measured);
      item.append(make("i", { class: "e" + system.index + (passive ? " e" : "") }), system.name);
      item.firstChild.style.color = `var(--e${system.index % 8})`;
      legend.append(item);
    });
  },

  find_entry(name) {
    const known = this.known ||= new Set(entries());
    if (known.has(name)) return name;
    const sideless = name.replace(/ \([+-]z\)$/, "");
    if (known.has(sideless)) return sideless;
    const single = sideless.replace(/(\[\d+\])+$/, "");
    return known.has(single) ? single : "";
  },

  fit() {
    const inside = start_outline.filter(l => l.measured), all = inside.length ? inside : start_outline;
    let z = [Infinity, -Infinity], r = 0;
    for (const line of all) {
      z = [Math.min(z[0], ...line.z), Math.max(z[1], ...line.z)];
      r = Math.max(r, ...line.r);
    }
    const symmetric = Math.abs(z[0] + z[1]) < 1e-3 * (z[1] - z[0]);
    const width = symmetric ? z[1] : z[1] - z[0] || 1;
    this.view = { z: [symmetric ? -0.02 * width : z[0] - 0.05 * width, z[1] + 0.08 * width],
      r: [-0.02 * r, 1.08 * r] };
  },

  zoom(factor, z, r) {
    const v = this.view;
    v.z = v.z.map(x => z + (x - z) * factor);
    v.r = v.r.map(x => r + (x - r) * factor);
    this.resize();
  },

  x(z) {
    const { left, right } = this.margin, [a, b] = this.view.z;
    return left + (z - a) / (b - a) * (this.width - left - right);
  },
  y(r) {
    const { top, bottom } = this.margin, [a, b] = this.view.r;
    return this.height - bottom - (r - a) / (b - a) * (this.height - top - bottom);
  },
  at(event) {
    const box = this.svg.getBoundingClientRect(), { left, right, top, bottom } = this.margin;
    const x = (event.clientX - box.left) * this.width / box.width;
    const y = (event.clientY - box.top) * this.height / box.height;
    const [z0, z1] = this.view.z, [r0, r1] = this.view.r;
    return [z0 + (x - left) / (this.width - left - right) * (z1 - z0),
      r0 + (this.height - bottom - y) / (this.height - top - bottom) * (r1 - r0)];
  },
  per_pixel() {
    const { left, right, top, bottom } = this.margin;
    return [(this.view.z[1] - this.view.z[0]) / (this.width - left - right),
      (this.view.r[1] - this.view.r[0]) / (this.height - top - bottom)];
  },

  resize() {
    this.width = Math.max(280, Math.round(this.svg.parentNode.clientWidth));
    this.height = Math.round(Math.min(430, Math.max(250, 0.52 * this.width)));
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.frame();
    this.lines = [];
    this.draw(this.outline || start_outline);
    this.show_path(this.path);
  },

  frame() {
    const { left, right, top, bottom } = this.margin, w = this.width, h = this.height;
    const box = make("g"), clip = document.createElementNS(svg_name, "clipPath");
    clip.id = "inside";
    clip.append(make("rect", { x: left, y: top, width: w - left - right, height: h - top - bottom }));
    box.append(clip);
    for (const t of linear_ticks(...this.view.z, (w - left - right) / 90)) {
      box.append(make("path", { class: "grid", d: `M${this.x(t)} ${top}V${h - bottom}` }));
      box.append(make("text", { x: this.x(t), y: h - bottom + 16, "text-anchor": "middle" }, digits(t)));
    }
    for (const t of linear_ticks(...this.view.r, (h - top - bottom) / 45)) {
      box.append(make("path", { class: "grid", d: `M${left} ${this.y(t)}H${w - right}` }));
      box.append(make("text", { x: left - 6, y: this.y(t) + 4, "text-anchor": "end" }, digits(t)));
    }
    box.append(make("text", { x: w - right, y: h - 3, "text-anchor": "end" }, "z [mm]"));
    box.append(make("text", { transform: `translate(12 ${top + 4}) rotate(-90)`, "text-anchor": "end" }, "r [mm]"));
    this.old = make("g", { "clip-path": "url(#inside)" });
    // sensors lie above the supports next to them, and are what a drag means
    this.supports = make("g", { "clip-path": "url(#inside)" });
    this.layers = make("g", { "clip-path": "url(#inside)" });
    this.over = make("g", { "clip-path": "url(#inside)" });
    this.over.append(make("path", { class: "path" }));
    this.knobs = make("g");
    this.marked = null;
    box.append(this.old, this.supports, this.layers, this.over, this.knobs);
    box.append(make("path", { class: "frame", d: `M${left} ${top}H${w - right}V${h - bottom}H${left}Z` }));
    this.svg.replaceChildren(box);
  },

  d(line) {
    const far = 1e6, near = x => Math.min(far, Math.max(-far, x)).toFixed(2);
    return `M${near(this.x(line.z[0]))} ${near(this.y(line.r[0]))}L${near(this.x(line.z[1]))} ${near(this.y(line.r[1]))}`;
  },

  draw(outline) {
    this.outline = outline;
    const seen = new Set(), reachable = new Set();
    outline.forEach((line, i) => {
      const d = this.d(line);
      let item = this.lines[i];
      if (!item) {
        const system = exploration.systems[exploration.paint[line.layer]], entry = this.entry_of[i];
        const double = seen.has(d + entry); // modules of a ring
        seen.add(d + entry);
        item = this.lines[i] = { d: "", double };
        if (!double) {
          item.hit = make("path", { class: "hit" + (entry ? " movable" : ""), "data-i": i });
          item.line = make("path", { class: "layer" + (line.measured ? "" : " passive") });
          item.line.style.color = `var(--e${system.index % 8})`;
          item.hit.append(document.createElementNS(svg_name, "title"));
          item.hit.firstChild.textContent = line.name + (line.group ? " · " + line.group : "") +
            ", x/X0 = " + digits(100 * line.material) + " %";
          if (entry && !reachable.has(entry)) {
            reachable.add(entry);
            item.hit.setAttribute("tabindex", "0");
            item.hit.setAttribute("role", "button");
            item.hit.setAttribute("aria-label", entry);
          }
          (line.measured ? this.layers : this.supports).append(item.hit, item.line);
        }
      }
      if (item.d === d || item.double) return;
      item.d = d;
      item.hit.setAttribute("d", d);
      item.line.setAttribute("d", d);
      const before = this.d(start_outline[i]);
      if (before !== d && !item.old) this.old.append(item.old = make("path", { class: "old" }));
      if (item.old) {
        item.old.setAttribute("d", before);
        item.old.style.display = before === d ? "none" : "";
      }
    });
    this.mark();
  },

  // The chosen layer, its ends, its name.
  mark() {
    if (this.marked !== chosen) {
      this.marked = chosen;
      this.lines.forEach((item, i) => item.line?.classList.toggle("chosen",
        chosen !== "" && this.entry_of[i] === chosen));
      this.knobs.replaceChildren();
    }
    const i = this.lines.findIndex((item, k) => !item.double && this.entry_of[k] === chosen);
    if (chosen === "" || i < 0) return;
    if (!this.knobs.children.length)
      this.knobs.append(make("circle", { class: "knob", r: 6, "data-i": i, "data-end": 0 }),
        make("circle", { class: "knob", r: 6, "data-i": i, "data-end": 1 }),
        make("text", { class: "name" }, chosen));
    const line = this.outline[i], { left, right, top, bottom } = this.margin;
    const inside = (x, y) => x >= left && x <= this.width - right && y >= top && y <= this.height - bottom;
    const [...ends] = this.knobs.children, name = ends.pop();
    ends.forEach((knob, end) => {
      const x = this.x(line.z[end]), y = this.y(line.r[end]), is_inside = inside(x, y);
      set_attribute(knob, "display", is_inside ? "inline" : "none");
      if (!is_inside) return;
      set_attribute(knob, "cx", x);
      set_attribute(knob, "cy", y);
    });
    const x = Math.min(this.width - right - 6, Math.max(left + 6, this.x((Math.max(this.view.z[0], line.z[0]) + line.z[1]) / 2)));
    const y = Math.min(this.height - bottom - 8, Math.max(top + 16, this.y((line.r[0] + line.r[1]) / 2) - 9));
    set_attribute(name, "x", x);
    set_attribute(name, "y", y);
    set_attribute(name, "text-anchor", x > this.width * 0.75 ? "end" : "start");
  },

  show_path(path) {
    this.path = path;
    const [line, ...dots] = this.over.children;
    const place = p => `${this.x(p.z).toFixed(1)} ${this.y(p.r).toFixed(1)}`;
    set_attribute(line, "d", path.length ?
      `M${this.x(0)} ${this.y(0)}L` + path.map(place).join("L") : "");
    const hits = path.filter(p => p.measured);
    for (const dot of dots.splice(hits.length)) dot.remove();
    hits.forEach((p, i) => {
      if (!dots[i]) this.over.append(dots[i] = make("circle", { class: "cross", r: 2.2 }));
      set_attribute(dots[i], "cx", this.x(p.z));
      set_attribute(dots[i], "cy", this.y(p.r));
    });
  },

  // How the ends of a line move with the values of its layer.
  motions(i) {
    const list = [], [dz, dr] = this.per_pixel();
    for (const k of handles_of(this.entry_of[i])) {
      const values = [...state.values], handle = design.handles[k];
      const step = Math.max(Math.abs(values[k]) * 1e-3, 1e-6);
      values[k] += step;
      if (!engine.set(design.numbers(values))) continue;
      const moved = engine.outline()[i], line = this.outline[i];
      const ends = [0, 1].map(e => [(moved.z[e] - line.z[e]) / step, (moved.r[e] - line.r[e]) / step]);
      const size = ends.map(e => Math.hypot(...e));
      if (Math.max(...size) * step < 1e-9) continue;
      const rigid = Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]) < 1e-6 * Math.max(...size);
      list.push({ k, ends, size, rigid });
    }
    engine.set(design.numbers(state.values));
    return list;
  },

  // Of these motions one along z and one along r at most.
  choice(motions, end) {
    const rigid = motions.filter(m => m.rigid), other = motions.filter(m => !m.rigid);
    let usable = end === null ? rigid : other.filter(m => m.size[end] > 1e-9);
    if (!usable.length) usable = end === null ? other : rigid;
    const best = {};
    for (const m of usable) {
      const at = end === null ? [0, 1].map(c => (m.ends[0][c] + m.ends[1][c]) / 2) : m.ends[end];
      const [z, r] = at.map(Math.abs), axis = z > r ? 0 : 1;
      if (Math.max(z, r) > 1e-9 && !best[axis]) best[axis] = { k: m.k, slope: at[axis], axis };
    }
    return Object.values(best);
  },

  press(event) {
    const target = event.target, i = +(target.dataset?.i ?? -1);
    if (event.button !== 0) return;
    event.preventDefault();
    const from = this.at(event), gesture = "drag " + event.timeStamp;
    this.svg.setPointerCapture(event.pointerId);
    let move;
    if (i < 0 || !this.entry_of[i]) {
      const view = { z: [...this.view.z], r: [...this.view.r] };
      const x = event.clientX, y = event.clientY;
      move = e => {
        const [dz, dr] = this.per_pixel();
        this.view = { z: view.z.map(v => v - (e.clientX - x) * dz), r: view.r.map(v => v + (e.clientY - y) * dr) };
        this.resize();
      };
    } else {
      choose(this.entry_of[i]);
      const end = target.dataset.end === undefined ? this.near_end(i, event) : +target.dataset.end;
      const values = [...state.values];
      let motions;
      move = e => {
        motions ||= this.choice(this.motions(i), end);
        const to = this.at(e), pixel = this.per_pixel();
        const changes = [];
        for (const { k, slope, axis } of motions) {
          const unit = Math.abs(pixel[axis] / slope);
          const step = Math.pow(10, Math.floor(Math.log10(unit * 1.0001)));
          const value = values[k] + (to[axis] - from[axis]) / slope;
          changes.push(...spread(k, clean(Math.round(value / step) * step)));
        }
        change(changes, gesture);
      };
    }
    const away = e => Math.hypot(e.clientX - event.clientX, e.clientY - event.clientY) > 2;
    let moved = false;
    const on_move = e => { if (moved ||= away(e)) move(e); };
    const stop = () => {
      this.svg.removeEventListener("pointermove", on_move);
      this.svg.removeEventListener("pointerup", stop);
      this.svg.removeEventListener("pointercancel", stop);
      state.end();
    };
    this.svg.addEventListener("pointermove", on_move);
    this.svg.addEventListener("pointerup", stop);
    this.svg.addEventListener("pointercancel", stop);
  },

  near_end(i, event) {
    const box = this.svg.getBoundingClientRect(), scale = box.width / this.width, line = this.outline[i];
    const length = Math.hypot(this.x(line.z[1]) - this.x(line.z[0]), this.y(line.r[1]) - this.y(line.r[0]));
    const reach = Math.min(10, length / 4);
    for (const end of [0, 1]) {
      const x = box.left + this.x(line.z[end]) * scale, y = box.top + this.y(line.r[end]) * scale;
      if (Math.hypot(event.clientX - x, event.clientY - y) < reach) return end;
    }
    return null;
  },

  key(event) {
    const i = +(event.target.dataset?.i ?? -1);
    if (i < 0 || !this.entry_of[i]) return;
    const arrows = { ArrowUp: [1, 1], ArrowDown: [1, -1], ArrowRight: [0, 1], ArrowLeft: [0, -1] };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(this.entry_of[i]);
    } else if (arrows[event.key]) {
      event.preventDefault();
      const [axis, sign] = arrows[event.key];
      if (chosen !== this.entry_of[i]) choose(this.entry_of[i]);
      const motion = this.choice(this.motions(i), event.shiftKey ? 1 : null).find(m => m.axis === axis);
      if (!motion) return;
      const { k, slope } = motion;
      const step = step_of(Math.abs(design.start[k]) || 10);
      change(spread(k, clean(state.values[k] + sign * Math.sign(slope) * step)), "key " + k);
      $("live").textContent = design.handles[k].key + " " + design.text(k, state.values[k]);
    }
  },
};

// ---- axes

function linear_ticks(from, to, most) {
  const raw = (to - from) / Math.max(2, most), power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map(s => s * power).find(s => s >= raw * 0.999);
  const list = [];
  for (let t = Math.ceil(from / step - 1e-9) * step; t <= to + 1e-9 * step; t += step)
    list.push(clean(Math.abs(t) < step / 1e6 ? 0 : t));
  return list;
}
// As many digits as tell neighbouring ticks apart.
function tick_text(t, ticks) {
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : 0;
  const n = step && t ? Math.ceil(Math.log10(Math.abs(t) / step)) + 1 : 4;
  return digits(t, Math.min(12, Math.max(4, n)));
}
function log_ticks(from, to, most) {
  const decades = Math.log10(to / from);
  const steps = decades < most / 3 ? [1, 2, 5] : decades < most / 2 ? [1, 3] : [1];
  const list = [];
  for (let e = Math.floor(Math.log10(from)) - 1; e <= Math.ceil(Math.log10(to)); ++e)
    for (const s of steps) {
      const t = clean(s * Math.pow(10, e));
      if (t >= from * 0.999 && t <= to * 1.001) list.push(t);
    }
  return list;
}
// The next 1, 2, 5 outside, or for a linear axis round numbers.
function outer(from, to, log) {
  if (log) {
    const next = (v, up) => {
      const power = Math.pow(10, Math.floor(Math.log10(v)));
      const all = [1, 2, 5, 10].map(s => s * power);
      return up ? all.find(s => s >= v * 0.9999) : [...all].reverse().find(s => s <= v * 1.0001);
    };
    return [next(from * 0.97, false), next(to * 1.03, true)];
  }
  if (!(to > from)) return [from - 1, to + 1];
  const ticks = linear_ticks(from, to, 4), step = ticks.length > 1 ? ticks[1] - ticks[0] : to - from;
  return [Math.floor(from / step) * step, Math.ceil(to / step) * step];
}

// ---- figures

const axis_of = name => name === "p" ?
  { values: momentum_axis.values.map(v => v * momentum_axis.factor),
    title: momentum_axis.symbol + " [" + momentum_axis.unit + "]",
    log: momentum_axis.values.at(-1) / momentum_axis.values[0] >= 6 } :
  axis_by_eta ? { values: angle_axis.values, title: "*η*", log: false } :
  { values: angle_axis.values.map(v => v * 180 / Math.PI), title: "*θ* [°]", log: false };

// The points of an axis in an order in which few already show the curve.
function passes(n) {
  const list = [];
  for (let stride = 16; stride >= 1; stride >>= 1) {
    const now = [];
    for (let i = 0; i < n; ++i)
      if (i % stride === 0 && (stride === 16 || i % (2 * stride) !== 0)) now.push(i);
    if (stride === 16 && (n - 1) % 16 !== 0) now.push(n - 1);
    list.push(now);
  }
  return list;
}

class Plot {
  constructor(figure) {
    this.figure = figure;
    this.element = make("figure", { "data-axis": figure.axis });
    const head = make("div", { class: "head" });
    this.column = make("select", { "aria-label": "Quantity" });
    for (const c of columns) {
      if (c.kind === 2 || ["p_GeV", "pt_GeV", "theta_deg", "eta", "phi_deg"].includes(c.name)) continue;
      if (!has_column(c)) continue;
      const { text, unit } = described(c.name);
      this.column.append(make("option", { value: c.name, title: plain(c.definition) },
        plain(text) + (unit ? " [" + unit + "]" : "")));
    }
    this.column.value = figure.column;
    this.axis = make("select", { "aria-label": "Axis" });
    this.axis.append(make("option", { value: "p" }, plain(momentum_axis.symbol)), make("option", { value: "eta" }, axis_by_eta ? "η" : "θ"));
    this.axis.value = figure.axis;
    for (const select of [this.column, this.axis])
      select.addEventListener("change", () => {
        figure.column = this.column.value;
        figure.axis = this.axis.value;
        this.element.dataset.axis = figure.axis;
        update(true);
      });
    head.append(this.column, "against", this.axis);
    this.svg = make("svg", { class: "plot", role: "img" });
    this.svg.addEventListener("click", event => this.put_track(event));
    this.element.append(head, this.svg);
    this.axes_drawn = null;
  }

  // Reads the width, for which the browser has to lay out the page: not in
  // every frame.
  measure() {
    const width = Math.max(240, Math.round(this.element.clientWidth));
    if (width === this.width) return false;
    this.width = width;
    return true;
  }

  put_track(event) {
    const box = this.svg.getBoundingClientRect();
    const share = ((event.clientX - box.left) * this.width / box.width - this.left) / (this.width - this.left - 12);
    if (!(share >= 0 && share <= 1) || !this.axes) return;
    const { values, log } = this.axes, a = values[0], b = values.at(-1);
    const x = log ? a * Math.pow(b / a, share) : a + (b - a) * share;
    if (this.figure.axis === "p") track.momentum = +(x / momentum_axis.factor).toPrecision(3);
    else track.angle = from_axis(axis_by_eta ? +x.toFixed(2) : +x.toFixed(2) * Math.PI / 180);
    update(true);
  }

  draw(now, start) {
    const { column, axis } = this.figure, { factor } = described(column);
    const axes = this.axes = axis_of(axis), width = this.width, height = 214;
    const left = this.left = 50, right = 12, top = 10, bottom = 34;
    let low = Infinity, high = -Infinity;
    for (const cells of [now, start])
      for (const v of cells || []) {
        if (!Number.isFinite(v)) continue;
        low = Math.min(low, v * factor);
        high = Math.max(high, v * factor);
      }
    if (!(high >= low)) {
      this.draw_axes(null, width, height);
      return;
    }
    const least = 0.01 * Math.max(Math.abs(high), Math.abs(low)); // rounding is no structure
    if (high - low < least) [low, high] = [low - least / 2, high + least / 2];
    const log = low > 0 && high / low > (is_error(column) ? 4 : 20);
    let [y0, y1] = outer(low, high, log);
    if (!log && low >= 0 && low < 0.4 * high) y0 = 0;
    const x0 = axes.values[0], x1 = axes.values.at(-1);
    const px = v => left + (axes.log ? Math.log(v / x0) / Math.log(x1 / x0) : (v - x0) / (x1 - x0)) * (width - left - right);
    const py = v => height - bottom - (log ? Math.log(v / y0) / Math.log(y1 / y0) : (v - y0) / (y1 - y0)) * (height - top - bottom);
    this.draw_axes({ x0, x1, y0, y1, log, px, py, left, right, top, bottom }, width, height);
    const path = cells => {
      let d = "", pen = false;
      for (let i = 0; i < axes.values.length; ++i) {
        if (cells[i] === undefined) continue; // not yet
        const v = cells[i] * factor;
        if (!Number.isFinite(v) || (log && v <= 0)) { pen = false; continue; }
        d += `${pen ? "L" : "M"}${px(axes.values[i]).toFixed(1)} ${py(v).toFixed(1)}`;
        pen = true;
      }
      return d;
    };
    const put = (element, is_shown, attributes) => {
      set_attribute(element, "display", is_shown ? "inline" : "none");
      if (!is_shown) return;
      for (const [name, value] of Object.entries(attributes())) set_attribute(element, name, value);
    };
    put(this.start, start && state.changed().length > 0, () => ({ d: path(start) }));
    put(this.line, Boolean(now), () => ({ d: path(now) }));
    const here = axis === "p" ? track.momentum * momentum_axis.factor :
      to_axis(track.angle) * (axis_by_eta ? 1 : 180 / Math.PI);
    const is_inside = here >= x0 && here <= x1, spot = results.track?.[column]?.[0] * factor;
    put(this.here, is_inside, () => ({ d: `M${px(here).toFixed(1)} ${top}V${height - bottom}` }));
    put(this.spot, is_inside && spot >= y0 && spot <= y1,
      () => ({ cx: px(here).toFixed(1), cy: py(spot).toFixed(1) }));
  }

  // The frame with its labels, if it is not the one that is there; without a
  // scale a sentence.
  draw_axes(scale, width, height) {
    const { column, axis } = this.figure, { text, unit } = described(column), axes = this.axes;
    const key = JSON.stringify([column, axis, width, scale && [scale.x0, scale.x1, scale.y0, scale.y1, scale.log]]);
    if (key === this.axes_drawn) return;
    this.axes_drawn = key;
    const svg = this.svg, g = make("g");
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", `${plain(text)}${unit ? " in " + unit : ""} against ${plain(axes.title)}`);
    svg.replaceChildren(g);
    if (!scale) {
      g.append(make("text", { class: "off", x: width / 2, y: height / 2 }, "no value for these tracks"));
      return;
    }
    const { x0, x1, y0, y1, log, px, py, left, right, top, bottom } = scale;
    for (const t of axes.log ? log_ticks(x0, x1, (width - left) / 40) : linear_ticks(x0, x1, (width - left) / 60)) {
      g.append(make("path", { class: "grid", d: `M${px(t)} ${top}V${height - bottom}` }));
      g.append(make("text", { x: px(t), y: height - bottom + 15, "text-anchor": "middle" }, digits(t)));
    }
    const y_ticks = log ? log_ticks(y0, y1, (height - top - bottom) / 22) : linear_ticks(y0, y1, 5);
    for (const t of y_ticks) {
      g.append(make("path", { class: "grid", d: `M${left} ${py(t)}H${width - right}` }));
      g.append(make("text", { x: left - 5, y: py(t) + 4, "text-anchor": "end" }, tick_text(t, y_ticks)));
    }
    g.append(make("text", { x: width - right, y: height - 4, "text-anchor": "end" }, plain(axes.title)));
    g.append(make("path", { class: "frame", d: `M${left} ${top}H${width - right}V${height - bottom}H${left}Z` }));
    this.start = make("path", { class: "start" });
    this.line = make("path", { class: "line" });
    this.here = make("path", { class: "here" });
    this.spot = make("circle", { class: "spot", r: 4.5 });
    g.append(this.start, this.line, this.here, this.spot);
  }
}

let plots = [];
function make_plots() {
  plots = figures.map(figure => new Plot(figure));
  $("figures").replaceChildren(...plots.map(p => p.element));
  for (const plot of plots) plot.measure();
}
function draw_plot(plot) {
  const { column, axis } = plot.figure;
  plot.draw(results.curves[axis]?.[column], results.start_curves[axis]?.[column]);
}

// ---- computing, a little in every frame

const results = { track: null, start_track: null, checks: [], start_checks: [], curves: {}, start_curves: {} };
let jobs = [], start_budget = null, scheduled = false, track_changed = true, dirty = false, faulty = false;
// Milliseconds of a frame of 60 Hz for computing; the others are for drawing.
const frame_time = 8;
const least_time = 4; // the same if the frame is late: for large detectors
// How long the jobs of a name take at least, in milliseconds: others were
// interrupted.
const durations = new Map();
const job = (name, run) => ({ name, run });

function update(of_track = false) {
  track_changed ||= of_track;
  dirty = true;
  delete document.documentElement.dataset.done;
  if (!scheduled) requestAnimationFrame(frame);
  scheduled = true;
}

// The columns that are drawn against an axis.
const drawn = axis => [...new Set(figures.filter(f => f.axis === axis).map(f => f.column))]
  .map(name => columns.find(c => c.name === name));

function curve_jobs(which, kept) {
  const list = [];
  for (const axis of ["p", "eta"]) {
    const shown = drawn(axis);
    if (!shown.length) continue;
    const all = axis === "p" ? momentum_axis.values : angle_axis.values;
    const cells = {};
    for (const c of shown) cells[c.name] = new Array(all.length);
    // the curve before stays until all of the new one's first points are there
    const add = indices => {
      const tracks = axis === "p" ?
        { momentum: momentum_of(indices.map(i => all[i])), angle: one(exploration.track.variable, track.angle) } :
        { momentum: momentum_of([track.momentum]), angle: { variable: angle_axis.variable, values: indices.map(i => all[i]) } };
      const found = which().scan(tracks, shown);
      for (const c of shown)
        indices.forEach((i, row) => { cells[c.name][i] = found[c.name][row]; });
      kept[axis] = cells;
    };
    const piece = 16;
    for (const pass of passes(all.length))
      for (let i = 0; i < pass.length; i += piece)
        list.push(job("points", () => add(pass.slice(i, i + piece))));
  }
  return list;
}

function interleaved(a, b) {
  const list = [];
  for (let i = 0; i < Math.max(a.length, b.length); ++i) {
    if (i < a.length) list.push(a[i]);
    if (i < b.length) list.push(b[i]);
  }
  return list;
}

function plan() {
  const real = columns.filter(c => c.kind < 2 || exploration.columns.includes(c.name))
    .filter(has_column);
  const at_track = which => which().scan(track_axes(), real);
  jobs = [job("track", () => { results.track = at_track(() => engine); show_numbers(); }),
    job("path", () => drawing.show_path(engine.path(track_axes())))];
  const now = curve_jobs(() => engine, results.curves);
  if (track_changed) {
    jobs.push(job("start", () => { results.start_track = at_track(() => first); show_numbers(); }));
    jobs.push(...interleaved(now, curve_jobs(() => first, results.start_curves)));
  } else {
    jobs.push(...now);
  }
  if (finds_coincidences_later()) jobs.push(job("coincidences", find_coincidences));
  jobs.push(job("budget", show_budget));
  exploration.requirements.forEach((_, i) => {
    if (!results.start_checks[i])
      jobs.push(job("check " + i, () => { results.start_checks[i] = first.check(i); }));
    jobs.push(job("check " + i, () => { results.checks[i] = engine.check(i); show_check(i); }));
  });
  track_changed = false;
}

function timed(name, run) {
  const begin = performance.now();
  run();
  durations.set(name, Math.min(performance.now() - begin, durations.get(name) ?? Infinity));
}

function show_faults(faults) {
  faulty = faults.length > 0;
  $("fault").hidden = !faulty;
  set_text($("fault"), faulty ? "Not a detector: " + faults.slice(0, 3).join("; ") +
    (faults.length > 3 ? ` and ${faults.length - 3} more` : "") : "");
  for (const id of ["figures", "numbers", "bars", "checks"]) $(id).classList.toggle("stale", faulty);
  if (faulty) jobs = [];
}
const find_coincidences = () => show_faults(engine.coincidences());
// With thousands of surfaces only when the pointer rests.
const finds_coincidences_later = () => (durations.get("coincidences") ?? 0) > frame_time / 4;

// Runs jobs until this time. A long one, a coverage for example, waits for a
// frame of its own: while a layer is dragged it is left out, and made up for
// when the pointer rests.
function run_jobs(end, is_frame_of_its_own) {
  let now = performance.now(), may_be_long = is_frame_of_its_own;
  while (jobs.length && (may_be_long || now + (durations.get(jobs[0].name) || 0) < end)) {
    const { name, run } = jobs.shift();
    timed(name, run);
    now = performance.now();
    may_be_long = false;
  }
}

function frame() {
  scheduled = false;
  const begin = performance.now();
  const is_new = dirty;
  if (is_new) {
    dirty = false;
    engine.set(design.numbers(state.values));
    show_faults(engine.faults());
    if (!faulty && !finds_coincidences_later()) timed("coincidences", find_coincidences);
    drawing.draw(engine.outline());
    show_sliders();
    show_changes();
    show_track();
    keep_link();
    if (!faulty) plan();
  }
  run_jobs(Math.max(begin + frame_time, performance.now() + least_time), !is_new);
  plots.forEach(draw_plot);
  if (jobs.length && !scheduled) {
    scheduled = true;
    requestAnimationFrame(frame);
  }
  if (!jobs.length && !dirty) document.documentElement.dataset.done = "1";
}

// ---- tables

function cell(text, kind = "td", name = "") {
  return make(kind, { ...(name && { class: name }), ...(kind === "th" && { scope: "row" }) }, text);
}

function number_row(name) {
  const column = columns.find(c => c.name === name);
  const { text, unit } = described(name), row = make("tr", { "data-column": name });
  const head = rich(cell("", "th"), text + (unit ? " [" + unit + "]" : ""));
  head.title = plain(column.definition);
  row.append(head, cell(""), cell(""), cell(""));
  return row;
}

function show_numbers() {
  const skip = ["detector", "p_GeV", "pt_GeV", "theta_deg", "eta"];
  const names = exploration.columns.filter(name => !skip.includes(name));
  let made = 0;
  const rows = children_of($("numbers").tBodies[0], names.length, () => number_row(names[made++]));
  names.forEach((name, i) => {
    const [, at_start, at_present, change] = rows[i].cells, { factor } = described(name);
    const now = results.track[name]?.[0], start = results.start_track?.[name]?.[0];
    const is_text = columns.find(c => c.name === name).kind === 2;
    const shown = value => value === undefined ? "" : is_text ? value : digits(value * factor);
    set_text(at_start, shown(start));
    set_text(at_present, shown(now));
    if (is_text) {
      set_text(change, start === undefined || start === now ? "" : "changed");
      return;
    }
    const ratio = now / start - 1;
    const same = now === start || Math.abs(ratio) < 5e-6 || (Number.isNaN(now) && Number.isNaN(start));
    const worse = is_error(name) || name.startsWith("x_over_x0") ? ratio > 0 : ratio < 0;
    set_text(change, start === undefined || same ? "" : (ratio > 0 ? "▲ " : "▼ ") + percent(ratio));
    set_attribute(change, "class", same ? "" : worse ? "worse" : "better");
  });
}

function check_row() {
  const row = make("tr"), name = cell("", "th");
  name.className = "wrap";
  row.append(cell(""), name, cell(""), cell(""), cell(""), cell(""));
  return row;
}

// A tolerance is relative, as requirements have it.
function limit_text(lower, upper, unit) {
  if (!Number.isFinite(lower)) return Number.isFinite(upper) ? "≤ " + digits(upper) + unit : "";
  if (!Number.isFinite(upper)) return "≥ " + digits(lower) + unit;
  const middle = (lower + upper) / 2, tolerance = (upper - lower) / 2 / Math.abs(middle);
  if (!(tolerance < 0.05)) return digits(lower) + " – " + digits(upper) + unit;
  const text = digits(middle) + unit;
  return tolerance < 1e-9 ? text : text + " (± " + digits(100 * tolerance, 3) + " %)";
}

function show_check(i) {
  const check = results.checks[i], before = results.start_checks[i];
  const row = children_of($("checks").tBodies[0], exploration.requirements.length, check_row)[i];
  const [verdict, name, worst, limit, margin, at_start] = row.cells;
  const unit = check.unit ? " " + shown_unit(check.unit) : "";
  set_attribute(row, "data-check", i);
  set_text(verdict, check.passed ? "✓ met" : "✗ failed");
  set_attribute(verdict, "class", "l " + (check.passed ? "ok" : "wrong"));
  set_text(name, check.name);
  set_attribute(name, "title", check.quantity);
  set_text(worst, check.text || (Number.isFinite(check.value) ? digits(check.value) + unit : check.status));
  set_text(limit, limit_text(check.lower, check.upper, unit));
  set_text(margin, percent(check.margin));
  set_attribute(margin, "class", check.passed ? "" : "worse");
  set_text(at_start, before ? percent(before.margin) : "");
}

function show_budget() {
  const key = JSON.stringify([track, grouping, parameter]);
  if (start_budget?.key !== key)
    start_budget = { key, rows: new Map(budget_rows(first).map(r => [r.layer, r])) };
  const rows = budget_rows(engine), before = start_budget.rows, box = $("bars");
  if (!rows.length) {
    box.replaceChildren(make("span", {}, "no budget: the track has no resolution"));
    return;
  }
  const size = row => row.scattering + row.hits;
  const longest = Math.max(...rows.map(size), ...[...before.values()].map(size), 1e-9);
  const width = share => (Math.max(0, 100 * share / longest)).toFixed(2) + "%";
  const is_changed = state.changed().length > 0;
  if (box.children.length !== 3 * rows.length + 1) {
    const legend = make("span", { class: "note" }, "solid: scattering (and straggling), hatched: hits; the line marks the start");
    legend.style.gridColumn = "1 / -1";
    box.replaceChildren(...rows.flatMap(() => {
      const bar = make("div", { class: "b", role: "img" });
      bar.append(make("i"), make("u"), make("em"));
      return [make("span"), bar, make("span", { class: "n" })];
    }), legend);
  }
  rows.forEach((row, i) => {
    const [name, bar, value] = [0, 1, 2].map(k => box.children[3 * i + k]);
    const [scattering, hits, mark] = bar.children, old = before.get(row.layer);
    set_attribute(name, "data-layer", row.layer);
    set_text(name, row.layer);
    set_attribute(bar, "aria-label",
      `${row.layer}: scattering ${digits(100 * row.scattering, 3)} %, hits ${digits(100 * row.hits, 3)} %`);
    scattering.style.width = hits.style.left = width(row.scattering);
    hits.style.width = width(row.hits);
    mark.hidden = !old || !is_changed;
    if (old) mark.style.left = width(size(old));
    set_text(value, digits(100 * size(row), 3) + " %");
  });
}

function budget_rows(which) {
  const parts = which.budget(track_axes(), grouping, parameters.length), sums = new Map();
  for (const part of parts) {
    if (part.cause === "total") continue;
    const layer = part.layer || part.cause;
    const sum = sums.get(layer) || { layer, scattering: 0, hits: 0 };
    sum[part.cause === "hit" ? "hits" : "scattering"] += part.share[parameter];
    sums.set(layer, sum);
  }
  const rows = [...sums.values()], most = 16;
  if (rows.length <= most) return rows;
  // the largest ones, in their order; the others as one
  const large = new Set([...rows].sort((a, b) => b.scattering + b.hits - a.scattering - a.hits).slice(0, most - 1));
  const others = { layer: "others", scattering: 0, hits: 0 };
  for (const row of rows)
    if (!large.has(row)) {
      others.scattering += row.scattering;
      others.hits += row.hits;
    }
  return rows.filter(r => large.has(r)).concat(others);
}

function change_row() {
  const row = make("tr"), back = make("button", { type: "button" }, "Reset"), last = cell("", "td", "l");
  back.addEventListener("click", () => {
    const k = design.handles.findIndex(h => h.key === row.dataset.key);
    change([[k, design.start[k]]]);
  });
  last.append(back);
  row.append(cell("", "th"), cell("", "td", "l"), cell(""), cell(""), cell(""), last);
  return row;
}

function show_changes() {
  const changed = state.changed();
  set_text($("count"), changed.length ? `${changed.length} ${changed.length === 1 ? "value" : "values"}` : "nothing yet");
  const rows = children_of($("changed").tBodies[0], changed.length, change_row);
  changed.forEach((k, i) => {
    const handle = design.handles[k], [layer, label, start, now, ratio, last] = rows[i].cells;
    set_attribute(rows[i], "data-key", handle.key);
    set_attribute(last.firstChild, "aria-label", "Reset " + handle.key);
    set_text(layer, handle.entry || "field");
    set_text(label, handle.label);
    set_text(start, design.text(k, design.start[k]));
    set_text(now, design.text(k, state.values[k]));
    set_text(ratio, percent(state.values[k] / design.start[k] - 1));
  });
  $("changed").hidden = !changed.length;
  $("sets").hidden = !changed.length && !exploration.overrides.length;
  set_text($("sets"), sets());
  $("undo").disabled = !state.past.length;
  $("redo").disabled = !state.future.length;
  $("reset").disabled = !changed.length;
}

// ---- the track

const momentum_range = [momentum_axis.values[0], momentum_axis.values.at(-1)];
const angle_range = [angle_axis.values[0], angle_axis.values.at(-1)];

function show_track() {
  const [a, b] = momentum_range, [e0, e1] = angle_range;
  $("momentum").value = Math.log(track.momentum / a) / Math.log(b / a) * 300;
  set_text($("momentum-text"), momentum_text(track.momentum));
  $("angle").value = (to_axis(track.angle) - e0) / (e1 - e0) * 300;
  set_text($("angle-text"), angle_text(track.angle));
  set_attribute($("momentum"), "aria-valuetext", momentum_text(track.momentum));
  set_attribute($("angle"), "aria-valuetext", angle_text(track.angle));
  set_text($("where"), `${plain(momentum_axis.symbol)} = ${momentum_text(track.momentum)}, ` +
    `${by_eta ? "η" : "θ"} = ${angle_text(track.angle)}`);
}

function begin_track() {
  rich($("momentum-name"), momentum_axis.symbol);
  $("angle-name").textContent = by_eta ? "η" : "θ";
  $("particle").textContent = exploration.particle;
  for (const id of ["momentum", "angle"]) Object.assign($(id), { min: 0, max: 300, step: 1 });
  $("momentum").addEventListener("input", () => {
    const [a, b] = momentum_range;
    track.momentum = +(a * Math.pow(b / a, $("momentum").value / 300)).toPrecision(3);
    update(true);
  });
  $("angle").addEventListener("input", () => {
    const [a, b] = angle_range, angle = from_axis(a + (b - a) * $("angle").value / 300);
    track.angle = by_eta ? +angle.toFixed(3) : +(angle * 180 / Math.PI).toFixed(2) * Math.PI / 180;
    update(true);
  });
}

// ---- begin

function begin_buttons() {
  const step = done => { if (done) update(); };
  $("undo").addEventListener("click", () => step(state.undo()));
  $("redo").addEventListener("click", () => step(state.redo()));
  $("reset").addEventListener("click", () => step(state.reset()));
  const file = exploration.file.replace(/^.*[\\/]/, "").replace(/\.ya?ml$/i, "") || "detector";
  if (!exploration.pieces.length) {
    $("save").disabled = true;
    $("save").title = "the file cannot hold these values in place; use Copy --set";
  }
  $("save").addEventListener("click", () => save(file + "-explored.yaml", design.file(state.values)));
  $("copy-set").addEventListener("click", () => copy(sets(), "--set options"));
  $("copy-link").addEventListener("click", () => {
    history.replaceState(null, "", link());
    copy(location.href, "link");
  });
  const themes = ["auto", "light", "dark"];
  $("theme").addEventListener("click", () => {
    const root = document.documentElement, now = root.dataset.theme || "auto";
    const next = themes[(themes.indexOf(now) + 1) % themes.length];
    if (next === "auto") delete root.dataset.theme;
    else root.dataset.theme = next;
    $("theme").textContent = "Theme: " + next;
  });
  addEventListener("keydown", event => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    if (event.target.type === "number" && event.target.value !== String(state.values[
      design.handles.findIndex(h => h.key === event.target.closest(".slider")?.dataset.key)])) return;
    event.preventDefault();
    step(key === "y" || event.shiftKey ? state.redo() : state.undo());
  });
  $("entry").addEventListener("change", () => choose($("entry").value.trim()));
  $("parameter").addEventListener("change", () => { parameter = +$("parameter").value; update(); });
  $("grouping").addEventListener("change", () => { grouping = +$("grouping").value; update(); });
  addEventListener("hashchange", () => {
    if (location.hash === link()) return;
    read_link();
    make_plots();
    choose(chosen);
    update(true);
  });
  addEventListener("resize", () => drawing.resize());
  new ResizeObserver(() => {
    for (const plot of plots) if (plot.measure()) draw_plot(plot);
  }).observe($("figures"));
}

function show_provenance() {
  for (const [name, text] of exploration.provenance)
    $("provenance").append(make("dt", {}, name), make("dd", {}, text));
}

async function begin() {
  const packed = JSON.parse($("module").textContent);
  engine = await Engine.start(packed, exploration);
  first = new Engine(engine.compiled);
  first.whole = Float64Array.from(exploration.numbers, Number);
  first.texts = exploration.texts;
  await first.restart();
  columns = engine.columns().map((c, index) => ({ ...c, index }));
  parameters = engine.parameters();
  start_outline = engine.outline();
  for (const line of start_outline) {
    const entry = drawing.find_entry(line.name);
    if (entry && line.group) group_of_entry.set(entry, line.group);
  }
  $("name").textContent = exploration.name;
  $("conditions").textContent = [exploration.file, exploration.particle, exploration.model].join(" · ");
  const at_start = first.scan(track_axes(), columns.filter(has_column));
  const measured = name => Number.isFinite(at_start[name]?.[0]);
  const errors = exploration.columns.filter(c => /_at_/.test(c))
    .concat(exploration.quantities.map(q => q.column)).filter(measured);
  while (errors.length < 3) errors.push("x_over_x0_tracker", "n_hits");
  figures = [[errors[0], "p"], [errors[1], "p"], [errors[2], "p"],
    [errors[0], "eta"], [errors[1], "eta"], ["x_over_x0_tracker", "eta"]]
    .map(([column, axis]) => ({ column, axis }));
  read_link();
  state.past = [];
  parameters.forEach((p, i) => $("parameter").append(make("option", { value: i }, p.name)));
  parameter = Math.max(0, parameters.findIndex(p => p.column === errors.find(e => !/_at_/.test(e))));
  $("parameter").value = parameter;
  $("margins").hidden = !exploration.requirements.length && !exploration.left_out.length;
  document.querySelector(".results").classList.toggle("single", $("margins").hidden);
  if (exploration.left_out.length) {
    $("left-out").hidden = false;
    $("left-out").textContent = "Not evaluated, because they need a baseline or averages: " + exploration.left_out.join(", ");
  }
  show_provenance();
  begin_buttons();
  begin_track();
  drawing.begin();
  make_plots();
  fill_entries();
  choose(chosen);
  update(true);
  document.documentElement.dataset.ready = "1";
}

begin().catch(error => {
  $("fault").hidden = false;
  $("fault").textContent = "The page cannot compute here: " + error.message;
  console.error(error);
});
