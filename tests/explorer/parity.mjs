// SPDX-License-Identifier: Apache-2.0
// The explorer's module against the program: node parity.mjs PROGRAM SOURCE
//
// Makes the page of every shipped detector, runs its module here, and compares
// scans, budgets and requirements with what the program prints: as described,
// and with changed values, given to the program by --set and by the file that
// the page exports. Ends with 77, the sign of a test left out, where the program was
// built without the module.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import vm from "node:vm";

const [program, source] = process.argv.slice(2);
const tolerance = 1e-9; // relative; what the page promises
const folder = mkdtempSync(join(tmpdir(), "gttf-explorer-"));
let compared = 0, worst = 0;
const failures = [];

// What a verb prints, also if a check fails (1) or no track has a resolution (3).
function run(...args) {
  try {
    return execFileSync(program, args,
      { cwd: source, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    if (error.status === 1 || error.status === 3) return error.stdout;
    throw error;
  }
}
function csv(text) {
  const lines = text.split("\n").filter(l => l && !l.startsWith("#"));
  const cells = line => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .map(m => m[1].replace(/^"|"$/g, "").replace(/""/g, '"'));
  const names = cells(lines[0]).slice(0, -1);
  return lines.slice(1).map(l => Object.fromEntries(cells(l).slice(0, -1).map((c, i) => [names[i], c])));
}

function same(what, mine, theirs) {
  ++compared;
  const b = theirs === "" ? NaN : Number(theirs);
  if (Number.isNaN(mine) && Number.isNaN(b)) return;
  const apart = Math.abs(mine - b) / Math.max(Math.abs(b), 1e-300);
  if (b !== 0 || mine !== 0) worst = Math.max(worst, apart);
  if (!(apart <= tolerance) && mine !== b) failures.push(`${what}: ${mine}, the program has ${theirs}`);
}
function same_text(what, mine, theirs) {
  ++compared;
  if (mine !== theirs) failures.push(`${what}: ${mine}, the program has ${theirs}`);
}

// What a browser would run.
const Engine = vm.runInThisContext(
  readFileSync(join(source, "apps/explorer/page/engine.js"), "utf8") + "\n({ Engine, Design })");

async function open(name, ...args) {
  const page = join(folder, name + ".html");
  run("explore", ...args, "-o", page, "--quiet");
  const html = readFileSync(page, "utf8");
  const part = id => JSON.parse(html.match(
    new RegExp(`<script type="application/json" id="${id}">([^]*?)</script>`))[1]);
  const data = part("data");
  const engine = await Engine.Engine.start(part("module"), data);
  return { data, engine, design: new Engine.Design(data),
    columns: engine.columns().map((c, index) => ({ ...c, index })) };
}

// All columns for a few tracks; `args`: the detector, for the program.
function compare_scan(what, { data, engine, columns }, args) {
  const by_pt = data.momentum.variable === 1;
  const some = list => [0, 0.3, 0.6, 1].map(s => list[Math.round(s * (list.length - 1))]);
  const momenta = some(data.momentum.values), angles = some(data.angles.values);
  const by_eta = data.angles.variable === 1;
  const angle = { variable: data.angles.variable, values: angles };
  const rows = csv(run("scan", ...args, by_pt ? "--pt" : "--p", momenta.map(v => v + "GeV").join(","),
    by_eta ? "--eta" : "--theta", angles.map(v => by_eta ? v : v + "rad").join(","), "--format", "csv", "--no-provenance", "--quiet"));
  const shown = columns.filter(c => c.name in rows[0]);
  const cells = engine.scan({ momentum: { variable: data.momentum.variable, values: momenta }, angle }, shown);
  rows.forEach((row, i) => {
    for (const c of shown)
      if (c.name === "detector") continue;
      else if (c.kind === 2) same_text(`${what} row ${i} ${c.name}`, cells[c.name][i], row[c.name]);
      else same(`${what} row ${i} ${c.name}`, cells[c.name][i], row[c.name]);
  });
}

function compare_budget(what, { data, engine }, args) {
  const parameters = engine.parameters(), { momentum, angle, variable } = data.track;
  const rows = csv(run("budget", ...args, data.momentum.variable === 1 ? "--pt" : "--p", momentum + "GeV",
    variable === 1 ? "--eta" : "--theta", variable === 1 ? String(angle) : angle + "rad",
    "--format", "csv", "--no-provenance", "--quiet"));
  const mine = engine.budget({ momentum: { variable: data.momentum.variable, values: [momentum] },
    angle: { variable, values: [angle] } }, 1, parameters.length);
  same(what + " budget rows", mine.length, rows.length);
  rows.slice(0, mine.length).forEach((row, i) => {
    same_text(`${what} budget ${i}`, mine[i].layer + mine[i].cause, row.layer + row.cause);
    parameters.forEach((p, q) => {
      // shares below a millionth are rounding of larger ones
      if (Number(row["share_" + p.name]) > 1e-6)
        same(`${what} budget ${i} ${p.name}`, mine[i].share[q], row["share_" + p.name]);
    });
  });
}

// A little off, each by another factor, to the side where there is room.
const changed = (design, every) => design.start.map((v, k) =>
  k % every ? v : +(v + design.handles[k].step * (1 + k % 5)).toPrecision(9));

try {
  run("explore", "detectors/barrel.yaml", "-o", join(folder, "page.html"), "--quiet");
} catch (error) {
  if (!error.stderr?.includes("without the module")) throw error;
  console.log("left out: the program has no module (cmake --workflow --preset wasm)");
  process.exit(77);
}

const named = name => [join("detectors", name)];
const runs = readdirSync(join(source, "detectors")).filter(f => f.endsWith(".yaml"))
  // at an azimuth of 0 a track of Belle II passes between two sensors: rounding decides
  .map(f => [f.replace(".yaml", ""), f.includes("modules") ? [...named(f), "--phi", "3deg"] : named(f)]);
runs.push(["its2-loss", [...named("alice_its2.yaml"), "--particle", "proton", "--energy-loss", "straggling"]],
  ["cld-spot", [...named("cld.yaml"), "--beam-spot", "10um,5um,30mm"]],
  ["barrel-set", [...named("barrel.yaml"), "--set", "field.solenoid=3 T"]]);

for (const [name, args] of runs) {
  const page = await open(name, ...args), { data, engine, design } = page;
  if (!data.handles.length) failures.push(name + ": no handles");
  if (!data.pieces.length) failures.push(name + ": the file is not exported");
  compare_scan(name, page, args);
  compare_budget(name, page, args);
  const few = Math.max(1, Math.ceil(design.start.length / 4));
  for (const [kind, every] of [["all", 1], ["some", few]]) {
    const values = changed(design, every);
    if (!engine.set(design.numbers(values))) failures.push(`${name} ${kind}: not taken`);
    for (const fault of engine.faults().concat(engine.coincidences())) failures.push(`${name} ${kind}: ${fault}`);
    const file = join(folder, `${name}-${kind}.yaml`);
    writeFileSync(file, design.file(values));
    run("validate", file, "--quiet");
    const others = args.slice(1).filter((a, i, all) => a !== "--set" && all[i - 1] !== "--set");
    compare_scan(`${name} ${kind}, file`, page, [file, ...others]);
    if (every > 1) {
      const sets = design.overrides(values).flatMap(o => ["--set", o]);
      compare_scan(`${name} ${kind}, --set`, page, [...args, ...sets]);
      compare_budget(`${name} ${kind}, --set`, page, [...args, ...sets]);
    }
  }
}

// Each value of a file with anchors, mirrors and lists by itself.
{
  const args = named("alice_its3.yaml"), page = await open("each", ...args), { engine, design } = page;
  design.handles.forEach((handle, k) => {
    const values = [...design.start];
    values[k] = +(values[k] + 5 * handle.step).toPrecision(9);
    engine.set(design.numbers(values));
    const file = join(folder, "each.yaml");
    writeFileSync(file, design.file(values));
    compare_scan(handle.key, page, [file]);
  });
}

// Requirements, met or not, as check prints them.
for (const name of readdirSync(join(source, "configs/check")).filter(f => f.endsWith(".yaml"))) {
  const file = join("configs/check", name);
  const rows = csv(run("check", file, "--format", "csv", "--no-provenance", "--quiet"))
    .filter(r => r.worst === "true");
  const text = readFileSync(join(source, file), "utf8");
  const detectors = [...new Set(rows.map(r => r.detector))];
  for (const detector of detectors) {
    const path = readdirSync(join(source, "detectors")).filter(f => f.endsWith(".yaml")).map(f => "detectors/" + f)
      .find(f => readFileSync(join(source, f), "utf8").match(/^name: *(.*)$/m)[1].replace(/^"|"$/g, "") === detector);
    if (!path || text.includes("baseline")) continue;
    const { engine, data } = await open("check", path, "--requirements", file);
    const mine = rows.filter(r => r.detector === detector);
    same(name + ": requirements", data.requirements.length, mine.length);
    mine.forEach((row, i) => {
      const check = engine.check(i);
      same_text(`${name} ${i} verdict`, check.passed ? "pass" : "fail", row.verdict);
      // a margin is a difference: as exact as the limit that it is relative to
      if (row.margin_rel !== "") same(`${name} ${i} margin`, 1 + check.margin, 1 + Number(row.margin_rel));
    });
  }
}

rmSync(folder, { recursive: true });
for (const failure of failures.slice(0, 40)) console.log("FAILED", failure);
console.log(`${compared} numbers compared, the largest relative difference is ${worst.toExponential(1)}; ` +
  `${failures.length} failed`);
process.exit(failures.length ? 1 : 0);
