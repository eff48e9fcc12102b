// SPDX-License-Identifier: Apache-2.0
// Engine: the module and how to talk to it, in a browser or in Node.
"use strict";

class Engine {
  // `packed`: the module, gzip and base64. `exploration`: the page's data.
  static async start(packed, exploration) {
    const text = atob(packed.trim()), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    const unpacked = new Response(
      new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
    const engine = new Engine(await WebAssembly.compile(await unpacked.arrayBuffer()));
    engine.whole = Float64Array.from(exploration.numbers, Number);
    engine.texts = exploration.texts;
    await engine.restart();
    return engine;
  }

  constructor(compiled) {
    this.compiled = compiled;
    this.decoder = new TextDecoder();
  }

  // The module has no system: it reads the environment, which is empty, and
  // nothing else.
  system() {
    const view = () => new DataView(this.run.memory.buffer);
    const known = {
      environ_sizes_get: (count, size) => {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
      proc_exit: code => { throw new Error("the module has ended: " + code); },
    };
    const imports = {};
    for (const { name } of WebAssembly.Module.imports(this.compiled))
      imports[name] = known[name] || (() => 52); // not supported
    return { wasi_snapshot_preview1: imports };
  }

  async restart() {
    this.run = (await WebAssembly.instantiate(this.compiled, this.system())).exports;
    this.begin();
  }

  begin() {
    this.run._initialize();
    this.write(this.whole);
    const bytes = new TextEncoder().encode(this.texts.map(t => t + "\0").join(""));
    const at = this.run.input_texts(bytes.length);
    new Uint8Array(this.run.memory.buffer, at, bytes.length).set(bytes);
    if (!this.run.load()) throw new Error("the data of this page are damaged");
  }

  // Calls a function of the module. One that has failed has left it in an
  // unknown state: another one is made.
  call(name, ...values) {
    try {
      return this.run[name](...values);
    } catch (error) {
      this.run = new WebAssembly.Instance(this.compiled, this.system()).exports;
      this.begin();
      throw error;
    }
  }

  write(numbers) {
    const at = this.run.input_numbers(numbers.length);
    new Float64Array(this.run.memory.buffer, at, numbers.length).set(numbers);
  }

  read() {
    const run = this.run, memory = run.memory.buffer;
    const numbers = new Float64Array(memory, run.output_numbers(), run.output_size());
    const bytes = new Uint8Array(memory, run.output_texts(), run.output_bytes());
    const texts = bytes.length ? this.decoder.decode(bytes).split("\0") : [];
    texts.pop();
    return { numbers: Float64Array.from(numbers), texts };
  }

  // Other numbers of the detector, from the first on.
  set(numbers) {
    this.whole.set(numbers);
    this.write(numbers);
    return this.call("load") === 1;
  }

  // Why no such detector can be, as a list of texts; empty: it can be, if no
  // layers are at one place.
  faults() {
    this.call("faults");
    return this.read().texts;
  }

  coincidences() {
    this.call("coincident_layers");
    return this.read().texts;
  }

  columns() {
    this.call("columns");
    const { numbers, texts } = this.read();
    return Array.from(numbers, (kind, i) => ({
      kind, name: texts[4 * i], unit: texts[4 * i + 1], definition: texts[4 * i + 2],
      empty: texts[4 * i + 3] }));
  }

  parameters() {
    this.call("parameters");
    const { texts } = this.read(), list = [];
    for (let i = 0; i < texts.length; i += 2)
      list.push({ name: texts[i], column: texts[i + 1] });
    return list;
  }

  outline() {
    this.call("outline");
    const { numbers: n, texts } = this.read(), list = [];
    for (let i = 0; i < texts.length / 2; ++i) {
      const [layer, z0, r0, z1, r1, material, measured] = n.subarray(7 * i, 7 * i + 7);
      list.push({ name: texts[2 * i], group: texts[2 * i + 1], layer, z: [z0, z1], r: [r0, r1],
        material, measured });
    }
    return list;
  }

  // `tracks`: { momentum: { variable, values }, angle: { variable, values } }.
  write_axes(tracks, ...more) {
    const { momentum, angle } = tracks;
    this.write([momentum.variable, momentum.values.length, ...momentum.values,
      angle.variable, angle.values.length, ...angle.values, ...more]);
  }

  // Rows `from` to `to` of a scan, the last one excluded: for each of these
  // columns its cells.
  scan(tracks, columns, from = 0,
       to = tracks.momentum.values.length * tracks.angle.values.length) {
    this.write_axes(tracks, columns.length, ...columns.map(c => c.index), from, to);
    this.call("scan_rows");
    const { numbers, texts } = this.read(), rows = to - from, cells = {};
    let n = 0, t = 0;
    for (const column of columns) {
      if (column.kind === 2) {
        cells[column.name] = texts.slice(t, t + rows);
        t += rows;
      } else {
        cells[column.name] = numbers.subarray(n, n + rows);
        n += rows;
      }
    }
    return cells;
  }

  path(track) {
    this.write_axes(track);
    this.call("track_path");
    const { numbers: n } = this.read(), list = [];
    for (let i = 0; i < n.length; i += 5)
      list.push({ z: n[i], r: n[i + 1], layer: n[i + 2], material: n[i + 3], measured: n[i + 4] });
    return list;
  }

  // `grouping`: 0 surface, 1 layer, 2 group, 3 large.
  budget(track, grouping, n_parameters) {
    this.write_axes(track, grouping);
    this.call("budget_of_track");
    const { numbers: n, texts } = this.read(), list = [], width = 1 + 2 * n_parameters;
    for (let i = 0; i * width < n.length; ++i)
      list.push({ material: n[i * width],
        share: n.subarray(i * width + 1, i * width + 1 + n_parameters),
        variance: n.subarray(i * width + 1 + n_parameters, (i + 1) * width),
        layer: texts[4 * i], group: texts[4 * i + 1], cause: texts[4 * i + 2],
        coordinate: texts[4 * i + 3] });
    return list;
  }

  check(index) {
    this.call("check_requirement", index);
    const { numbers: n, texts: t } = this.read();
    return { passed: n[0] === 1, failed: n[1], points: n[2], value: n[3], lower: n[4],
      upper: n[5], margin: n[6], momentum: n[7], angle: n[8], by_pt: n[9] === 1,
      by_eta: n[10] === 1, name: t[0], quantity: t[1], unit: t[2], text: t[3], status: t[4] };
  }
}

// A design: the values of all handles, and what they make of the detector.
class Design {
  constructor(exploration) {
    this.handles = exploration.handles;
    this.pieces = exploration.pieces;
    this.in_file = exploration.in_file.map(Number);
    this.start = this.handles.map(h => h.number);
    // of the detector: what the handles can reach
    let end = 0;
    for (const { slopes } of this.handles)
      for (let i = 0; i < slopes.length; i += 2) end = Math.max(end, slopes[i] + 1);
    this.base = Float64Array.from(exploration.numbers.slice(0, end), Number);
  }

  numbers(values) {
    const list = Float64Array.from(this.base);
    this.handles.forEach((h, k) => {
      if (values[k] === this.start[k]) return;
      const step = values[k] * h.factor - this.start[k] * h.factor;
      for (let i = 0; i < h.slopes.length; i += 2) list[h.slopes[i]] += h.slopes[i + 1] * step;
    });
    return list;
  }

  text(handle, value) { return value + this.handles[handle].unit; }

  // The user's file with these values.
  file(values) {
    return this.pieces.map(piece => {
      if (typeof piece === "string") return piece;
      if (piece.on.every(h => values[h] === this.in_file[h])) return piece.text;
      return piece.changed.map(p => typeof p === "string" ? p : this.text(p, values[p])).join("");
    }).join("");
  }

  // The values that differ from the start, as --set takes them.
  overrides(values) {
    const list = [];
    this.handles.forEach((h, k) => {
      if (values[k] !== this.start[k]) list.push(h.key + "=" + this.text(k, values[k]));
    });
    return list;
  }
}
