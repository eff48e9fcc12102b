// SPDX-License-Identifier: Apache-2.0
// What the page can do beyond showing: read-out, switches, zoom, files, theme.
(() => {
'use strict';
const SVG = 'http://www.w3.org/2000/svg';
const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const html = document.documentElement;
const {light, figures, tables} = JSON.parse(one('#data').textContent);
const tip = one('#tip'), live = one('#live');

const element = (name, attributes, parent) => {
  const node = document.createElementNS(SVG, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (parent) parent.append(node);
  return node;
};
const clamp = (value, a, b) => Math.max(Math.min(a, b), Math.min(Math.max(a, b), value));

// ---- theme: #dark or #light in the address, else the button, else the system
const dark = matchMedia('(prefers-color-scheme: dark)');
let choice = (location.hash.match(/^#(dark|light)$/) || [0, 'auto'])[1];
const showTheme = () => {
  html.dataset.theme = choice === 'auto' ? (dark.matches ? 'dark' : 'light') : choice;
  one('.theme').textContent = 'Theme: ' + choice;
};
dark.addEventListener('change', showTheme);
one('.theme').addEventListener('click', () => {
  choice = {auto: 'light', light: 'dark', dark: 'auto'}[choice];
  showTheme();
});
addEventListener('beforeprint', () => { html.dataset.theme = 'light'; });
addEventListener('afterprint', showTheme);
showTheme();

// ---- numbers and axes
const raised = text => text.replace(/./g, c => c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c]);
const number = (value, digits = 3) => {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return String(value);
  if (value === 0) return '0';
  const [mantissa, power] = Math.abs(value).toExponential(digits - 1).split('e');
  const e = +power;
  const text = e >= -4 && e < 5 ? Math.abs(value).toFixed(Math.max(0, digits - 1 - e))
                                : mantissa + '×10' + raised(String(e));
  return (value < 0 ? '−' : '') + text;
};
const withUnit = (value, unit) => number(value) + (unit && value !== null ? ' ' + unit : '');
const tickText = (value, powerFrom) => {
  const size = Math.abs(value);
  if (size && (size < 1e-3 * (1 - 1e-9) || size >= powerFrom)) return number(value, 2);
  return String(+value.toPrecision(8)).replace('-', '−');
};
const scale = axis => {
  const map = axis.log ? Math.log : v => v, back = axis.log ? Math.exp : v => v;
  const lo = map(axis.lo), hi = map(axis.hi), [a, b] = axis.r;
  return {px: v => a + (map(v) - lo) / (hi - lo) * (b - a),
          value: p => back(lo + (p - a) / (b - a) * (hi - lo))};
};
const ticks = (axis, distance) => {
  const length = Math.abs(axis.r[1] - axis.r[0]), out = [];
  if (axis.log && axis.hi / axis.lo > 8) {
    const room = length / Math.log10(axis.hi / axis.lo);
    const digits = room > 480 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : room > 75 ? [1, 2, 5] : room > 48 ? [1, 3] : [1];
    for (let e = Math.floor(Math.log10(axis.lo)); e <= Math.log10(axis.hi) + 1; ++e)
      for (let k = 1; k < 10; ++k) {
        const v = k * 10 ** e;
        if (v >= axis.lo * .999999 && v <= axis.hi * 1.000001)
          out.push([v, k === 1, digits.includes(k) ? tickText(v, 1e4) : '']);
      }
    return out;
  }
  const raw = (axis.hi - axis.lo) / Math.max(1, length / distance / (axis.log ? 1.5 : 1));
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5].find(k => k * power >= raw) || 10) * power, parts = 5;
  for (let k = Math.ceil(axis.lo / step * parts - 1e-9); k * step / parts <= axis.hi + 1e-9 * Math.abs(axis.hi); ++k) {
    const major = k % parts === 0;
    out.push([k * step / parts, major, major ? tickText(k * step / parts, 1e5) : '']);
  }
  return out;
};

// ---- one figure
const swatch = series => series.area
  ? `<svg viewBox="0 0 18 9"><rect class="ar ${series.c}" x="2" width="14" height="9"/></svg>`
  : `<svg viewBox="0 0 18 9"><path class="ln ${series.c} ${['', 'dash', 'dot', 'long', 'dashdot', 'dashdots'][series.dash || 0]}" d="M0 4.5H18"/></svg>`;
const safe = text => text.replace(/[&<>]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[c]);

class View {
  constructor(svg) {
    this.svg = svg;
    this.id = svg.dataset.fig;
    this.data = figures[this.id];
    this.columns = this.data.data || [];
    this.figure = svg.closest('figure');
    this.hover = one('.hv', svg);
    this.hidden = new Set();
    this.panels = all('.panel', svg);
    if (this.data.x) {
      this.reset();
      this.listen();
    }
    this.switches();
  }
  get rows() { return (this.data.panels || []).some(panel => panel.series.length) ? this.columns[0].cells : []; }
  reset() {
    this.x = {...this.data.x};
    this.y = this.data.panels.map(axis => ({...axis}));
    this.at = -1;
    this.zoomed = false;
  }
  // pixel of the figure under the pointer
  point(event) {
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [p.x, p.y];
  }
  panelAt(x, y) {
    if (x < this.x.r[0] || x > this.x.r[1]) return -1;
    return this.y.findIndex(axis => y <= axis.r[0] && y >= axis.r[1]);
  }
  clear() {
    this.hover.replaceChildren();
    tip.style.display = 'none';
  }
  place(x, y) {
    tip.style.display = 'block';
    const m = this.svg.getScreenCTM(), left = m.a * x + m.e + scrollX, width = tip.offsetWidth;
    const fits = left + 14 + width <= scrollX + html.clientWidth - 8;
    tip.style.left = Math.max(scrollX + 4, fits ? left + 14 : left - 14 - width) + 'px';
    tip.style.top = m.d * y + m.f + scrollY + 10 + 'px';
  }
  // the values of all series at point `i`
  show(i, speak) {
    const rows = this.rows;
    if (!rows.length) return;
    this.at = clamp(i, 0, rows.length - 1);
    const value = rows[this.at], x = scale(this.x).px(value);
    this.hover.replaceChildren();
    if (!(x >= this.x.r[0] - .5 && x <= this.x.r[1] + .5)) return this.clear();
    let table = '', words = '';
    this.y.forEach((axis, k) => {
      element('path', {class: 'cross', d: `M${x} ${axis.r[1]}V${axis.r[0]}`}, this.hover);
      for (const series of this.data.panels[k].series) {
        const v = this.columns[series.col].cells[this.at];
        if (this.hidden.has(series.id) || v === null || v === '') continue;
        const y = scale(axis).px(v), name = this.columns[series.col].name.replace(/ \[[^\]]*\]$/, '');
        if (!series.area && y <= axis.r[0] && y >= axis.r[1])
          element('circle', {class: 'ringed ' + series.c, cx: x, cy: y, r: 3.4}, this.hover);
        table += `<tr><td>${swatch(series)}${safe(name)}</td><td>${withUnit(v, axis.unit)}</td></tr>`;
        words += `, ${name} ${withUnit(v, axis.unit)}`;
      }
    });
    tip.innerHTML = `<div class="hd">${safe(this.x.name)} = ${withUnit(value, this.x.unit)}</div><table>${table}</table>`;
    this.place(x, this.y[0].r[1]);
    if (speak) live.textContent = `${this.x.name} ${withUnit(value, this.x.unit)}${words}`;
  }
  // the cell of a map under the pointer
  showCell(px, py) {
    const sx = scale(this.x), sy = scale(this.y[0]), [xs, ys, vs] = this.columns.map(c => c.cells);
    let best = -1, least = 1e9;
    xs.forEach((v, i) => {
      const d = Math.abs(sx.px(v) - px) + Math.abs(sy.px(ys[i]) - py);
      if (d < least) { least = d; best = i; }
    });
    if (best < 0) return;
    this.hover.replaceChildren();
    element('circle', {class: 'cellmark', cx: sx.px(xs[best]), cy: sy.px(ys[best]), r: 5}, this.hover);
    const y = this.y[0];
    tip.innerHTML = `<div class="hd">${safe(this.x.name)} = ${withUnit(xs[best], this.x.unit)}, ${safe(y.name)} = ${withUnit(ys[best], y.unit)}</div>${safe(this.data.map.name.replace(/\[.*/, ''))} ${number(vs[best])} ${safe((this.data.map.name.match(/\[(.*)\]/) || [0, ''])[1])}`;
    this.place(px, py);
  }
  // the layer of a drawing that is nearest to the pointer
  showLine(k, px, py) {
    const sx = scale(this.x), sy = scale(this.y[k]), near = 9;
    let best = null, least = near * near;
    for (const line of this.data.panels[k].lines)
      for (let i = 0; i < line.x.length - (line.x.length > 1); ++i) {
        const j = Math.min(i + 1, line.x.length - 1);
        const x0 = sx.px(line.x[i]), y0 = sy.px(line.y[i]);
        const dx = sx.px(line.x[j]) - x0, dy = sy.px(line.y[j]) - y0, length = dx * dx + dy * dy;
        const f = length ? Math.max(0, Math.min(1, ((px - x0) * dx + (py - y0) * dy) / length)) : 0;
        const d = (x0 + f * dx - px) ** 2 + (y0 + f * dy - py) ** 2;
        if (d < least) { least = d; best = line; }
      }
    if (!best) return this.clear();
    this.hover.replaceChildren();
    const cut = v => Math.max(-2e4, Math.min(2e4, v)), g = element('g', {'clip-path': `url(#${this.id}-c${k})`}, this.hover);
    const d = best.x.map((v, i) => `${i ? 'L' : 'M'}${cut(sx.px(v))} ${cut(sy.px(best.y[i]))}`).join('');
    element('path', {class: 'picked', d}, g);
    tip.innerHTML = `<div class="hd"><b>${safe(best.name)}</b></div>${best.words.split('\n').map(safe).join('<br>')}`;
    this.place(px, py);
  }
  nearest(px) {
    const s = scale(this.x);
    let best = 0, least = 1e9;
    this.rows.forEach((v, i) => {
      const d = Math.abs(s.px(v) - px);
      if (d < least) { least = d; best = i; }
    });
    return best;
  }
  // draws axes anew for the window given in pixels of the whole figure
  zoom(k, px0, px1, py0, py1) {
    const sx = scale(this.x), sy = scale(this.y[k]);
    const x = [sx.value(px0), sx.value(px1)], y = [sy.value(py0), sy.value(py1)];
    [this.x.lo, this.x.hi] = x;
    [this.y[k].lo, this.y[k].hi] = y;
    if (!this.zoomed) this.home = this.panels.map(panel => panel.cloneNode(true));
    this.zoomed = true;
    this.panels.forEach((panel, i) => this.redraw(panel, i));
    this.offerReset();
  }
  offerReset() {
    const button = one('[data-k=reset]', this.figure);
    if (button) button.hidden = !this.zoomed;
  }
  redraw(panel, i) {
    const axis = this.y[i], home = this.data.panels[i];
    const hx = scale(this.data.x), hy = scale(home);
    const [X0, X1] = this.x.r, [Y0, Y1] = axis.r;
    const a = hx.px(this.x.lo), b = hx.px(this.x.hi), c = hy.px(axis.lo), d = hy.px(axis.hi);
    const kx = (X1 - X0) / (b - a), ky = (Y1 - Y0) / (d - c);
    for (const g of all('.zm', panel))
      g.setAttribute('transform', `translate(${X0 - kx * a} ${Y0 - ky * c}) scale(${kx} ${ky})`);
    const labels = one('.tl', panel);
    labels.replaceChildren();
    let marks = '', grid = '';
    const put = (x, y, anchor, text) => {
      element('text', {class: 'tx ink2', x, y, 'text-anchor': anchor, 'font-size': 12}, labels).textContent = text;
    };
    const sx = scale(this.x), sy = scale(axis), last = i === this.panels.length - 1;
    for (const [v, major, text] of ticks(this.x, 70)) {
      const p = sx.px(v), n = major ? 6 : 3.2;
      marks += `M${p} ${Y0}v${-n}M${p} ${Y1}v${n}`;
      if (major) grid += `M${p} ${Y0}V${Y1}`;
      if (text && last) put(p, Y0 + 17, 'middle', text);
    }
    for (const [v, major, text] of ticks(axis, axis.r[0] - axis.r[1] < 150 ? 26 : 42)) {
      const p = sy.px(v), n = major ? 6 : 3.2;
      marks += `M${X0} ${p}h${n}M${X1} ${p}h${-n}`;
      if (major) grid += `M${X0} ${p}H${X1}`;
      if (text) put(X0 - 7, p + 4, 'end', text);
    }
    one('.tc', panel).setAttribute('d', marks);
    const gr = one('.gr', panel);
    if (gr) gr.setAttribute('d', grid);
    all('.out', panel).forEach(g => g.classList.add('away'));
  }
  unzoom() {
    if (!this.zoomed) return;
    this.home.forEach((panel, i) => {
      this.panels[i].replaceWith(panel);
      this.panels[i] = panel;
    });
    this.reset();
    this.clear();
    this.applySwitches();
    this.offerReset();
  }
  listen() {
    const svg = this.svg;
    let start = null, box = null;
    svg.addEventListener('pointermove', event => {
      const [x, y] = this.point(event);
      if (start) {
        const axis = this.y[start.panel], px = clamp(x, ...this.x.r), py = clamp(y, ...axis.r);
        box = box || element('rect', {class: 'zoomed'}, this.hover);
        box.setAttribute('x', Math.min(px, start.x));
        box.setAttribute('y', Math.min(py, start.y));
        box.setAttribute('width', Math.abs(px - start.x));
        box.setAttribute('height', Math.abs(py - start.y));
        return;
      }
      const panel = this.panelAt(x, y);
      if (panel < 0) return this.clear();
      if (this.data.panels[panel].lines) this.showLine(panel, x, y);
      else if (this.data.map) this.showCell(x, y);
      else if (this.rows.length) this.show(this.nearest(x), false);
    });
    svg.addEventListener('pointerleave', () => start || this.clear());
    svg.addEventListener('pointerdown', event => {
      const [x, y] = this.point(event), panel = this.panelAt(x, y);
      if (event.button || event.pointerType === 'touch' || panel < 0 || this.x.own) return;
      event.preventDefault();
      svg.focus({preventScroll: true});
      this.clear();
      start = {x, y, panel};
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointerup', event => {
      if (!start) return;
      const [x, y] = this.point(event), axis = this.y[start.panel];
      const px = clamp(x, ...this.x.r), py = clamp(y, ...axis.r), from = start;
      start = box = null;
      this.clear();
      if (Math.abs(px - from.x) < 8 || Math.abs(py - from.y) < 8) return;
      this.zoom(from.panel, Math.min(px, from.x), Math.max(px, from.x), Math.max(py, from.y), Math.min(py, from.y));
    });
    svg.addEventListener('dblclick', () => this.unzoom());
    svg.tabIndex = 0;
    svg.addEventListener('keydown', event => {
      const step = {ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10}[event.key];
      if (step && this.rows.length) {
        this.show((this.at < 0 ? -1 : this.at) + step, true);
        event.preventDefault();
      }
      if (event.key === 'Escape') { this.clear(); this.unzoom(); }
    });
    svg.addEventListener('blur', () => this.clear());
  }
  applySwitches() {
    for (const node of all('[data-s]', this.svg)) node.classList.toggle('off', this.hidden.has(node.dataset.s));
    for (const entry of all('.legend .entry', this.svg)) {
      const ids = entry.dataset.t.split(' ');
      if (ids[0] && ids.every(id => this.hidden.has(id))) entry.setAttribute('display', 'none');
      else entry.removeAttribute('display');
    }
  }
  switches() {
    const buttons = all('.lg button', this.figure);
    const read = () => {
      this.hidden = new Set();
      for (const button of buttons)
        if (button.getAttribute('aria-pressed') === 'false')
          button.dataset.t.split(' ').forEach(id => this.hidden.add(id));
      this.applySwitches();
    };
    for (const button of buttons)
      button.addEventListener('click', () => {
        button.setAttribute('aria-pressed', button.getAttribute('aria-pressed') !== 'true');
        this.clear();
        read();
      });
    if (buttons.length) read();
  }
  // a file of its own: always light, plain colours, with the legend
  file() {
    const copy = this.svg.cloneNode(true), {width, height} = this.svg.viewBox.baseVal;
    one('.hv', copy).remove();
    let above = 0;
    const legend = one('.legend', copy);
    if (legend) {
      above = +legend.dataset.h;
      legend.removeAttribute('display');
    }
    let below = 0;
    const conditions = one('.conditions', copy);
    if (conditions) {
      below = +conditions.dataset.h;
      conditions.removeAttribute('display');
    }
    const border = 8, whole = above + height + below + 2 * border, across = width + 2 * border;
    copy.setAttribute('xmlns', SVG);
    copy.setAttribute('viewBox', `${-border} ${-above - border} ${across} ${whole}`);
    copy.setAttribute('width', across);
    copy.setAttribute('height', whole);
    copy.setAttribute('font-family', "Helvetica, Arial, 'Liberation Sans', sans-serif");
    copy.removeAttribute('tabindex');
    const style = document.createElementNS(SVG, 'style');
    style.textContent = one('#figure-css').textContent;
    copy.prepend(style);
    style.after(element('rect', {x: -border, y: -above - border, width: across, height: whole, fill: '#ffffff'}));
    const text = new XMLSerializer().serializeToString(copy);
    return {width: across, height: whole, text: text.replace(/var\(--([\w-]+)\)/g, (_, name) => light[name] || '#000000')};
  }
}

// ---- files
const save = (name, blob) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 2000);
};
const saveCsv = (id, columns) => {
  const quote = text => /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  const lines = [columns.map(c => quote(c.name)).join(',')];
  for (let i = 0; i < columns[0].cells.length; ++i)
    lines.push(columns.map(c => quote(String(c.cells[i] ?? ''))).join(','));
  save(id + '.csv', new Blob([lines.join('\n') + '\n'], {type: 'text/csv'}));
};
const savePng = view => {
  const file = view.file(), image = new Image(), canvas = document.createElement('canvas');
  image.onload = () => {
    canvas.width = file.width * 3;
    canvas.height = file.height * 3;
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(blob => save(view.id + '.png', blob));
  };
  image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(file.text);
};

for (const svg of all('svg.plot')) {
  const view = new View(svg);
  for (const button of all('.tools button', view.figure))
    button.addEventListener('click', () => {
      if (button.dataset.k === 'reset') view.unzoom();
      if (button.dataset.k === 'csv') saveCsv(view.id, view.columns);
      if (button.dataset.k === 'svg') save(view.id + '.svg', new Blob([view.file().text], {type: 'image/svg+xml'}));
      if (button.dataset.k === 'png') savePng(view);
    });
}
for (const id in tables)
  one(`#${id} .tools [data-k=csv]`).addEventListener('click', () => saveCsv(id, tables[id]));
html.dataset.ready = '1';
})();
