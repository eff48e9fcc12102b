# SPDX-License-Identifier: Apache-2.0
"""Uses explorer pages in Chromium: check_explorer.py PROGRAM SOURCE_FOLDER

Ends with 77, the sign of a test left out, where there is no browser or the
program was built without the module.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from browser import Browser, find_browser  # noqa: E402
from check_page import CONTRAST, Checks, click, complaints, middle_of  # noqa: E402

TOLERANCE = 1e-9  # relative; what the page promises
PAGES = {
    "cld": ["detectors/cld.yaml", "--requirements", "configs/check/cld.yaml"],
    "its2": ["configs/alice_its2.yaml"],
    "datura": ["configs/datura.yaml"],
    "lhcb": ["configs/lhcb.yaml"],
    "idea": ["configs/idea.yaml"],
}


class Page:
    """An explorer in the browser."""

    def __init__(self, browser, checks, path):
        self.browser, self.checks, self.path = browser, checks, path

    def open(self, fragment="", **how):
        self.browser.send("Page.navigate", url="about:blank")
        self.browser.open(self.path, **how)
        if fragment:
            self.js(f"void (location.hash = {json.dumps(fragment)})")
        self.settle()

    def js(self, expression):
        return self.browser.evaluate(expression)

    def settle(self):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.js("document.documentElement.dataset.done === '1' && !scheduled && !dirty"):
                return
            time.sleep(0.03)
        raise RuntimeError("the page does not come to an end")

    def value(self, key):
        return self.js(f"state.values[design.handles.findIndex(h => h.key === {json.dumps(key)})]")

    def number(self, column):
        return self.js(f"results.track[{json.dumps(column)}][0]")

    def set_number(self, key, value):
        """Types into the field of a slider."""
        self.js(f"(() => {{ const n = document.querySelector("
                f"'.slider[data-key=' + CSS.escape({json.dumps(key)}) + '] input[type=number]');"
                f"n.value = {value}; n.dispatchEvent(new Event('change', {{bubbles: true}})); }})()")
        self.settle()

    def press(self, key, code, modifiers=0):
        for kind in ("keyDown", "keyUp"):
            self.browser.send("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                              windowsVirtualKeyCode=code, modifiers=modifiers)
        self.settle()

    def place(self, layer, part):
        """Where the first line of a layer is on the screen: an end, or its middle."""
        self.js("document.querySelector('#rz').scrollIntoView({block: 'center', behavior: 'instant'})")
        return self.js(
            "(() => { const i = drawing.lines.findIndex((l, k) => !l.double && "
            f"drawing.entry_of[k] === {json.dumps(layer)}), line = drawing.outline[i];"
            "const box = document.querySelector('#rz').getBoundingClientRect(), s = box.width / drawing.width;"
            "const z = [Math.max(line.z[0], drawing.view.z[0]), Math.min(line.z[1], drawing.view.z[1])];"
            f"const at = {json.dumps(part)};"
            "const p = at === 'middle' ? [(0.6 * z[0] + 0.4 * z[1]), 0.6 * line.r[0] + 0.4 * line.r[1]] : [line.z[at], line.r[at]];"
            "return [box.left + drawing.x(p[0]) * s, box.top + drawing.y(p[1]) * s]; })()")


def program_numbers(program, source, arguments):
    out = subprocess.run([program, *arguments, "--format", "csv", "--no-provenance", "--quiet"],
                         cwd=source, capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(out.splitlines()))


def is_near(a, b):
    if b in ("", None):
        return a is None
    return a is not None and abs(a - float(b)) <= TOLERANCE * max(abs(float(b)), 1e-300)


def check_looks(page, name):
    for width, dark in ((1400, False), (1400, True), (760, False), (360, False), (360, True)):
        page.open(width=width, dark=dark)
        what = f"{name}, {width} px{', dark' if dark else ''}"
        that = page.checks.that
        that(what + ": nothing on the console", not complaints(page.browser), complaints(page.browser))
        wide = page.js("document.documentElement.scrollWidth")
        that(what + ": no sideways scroll", wide <= width, wide)
        low = page.js(CONTRAST)
        that(what + ": text has contrast", not low, low)
        lines = page.js("[...document.querySelectorAll('.plot')].map(s => [s.querySelectorAll('.line').length,"
                        " s.querySelectorAll('.off').length])")
        that(what + ": figures are drawn", len(lines) == 6 and all(a + b == 1 for a, b in lines), lines)
        small = page.js("[...document.querySelectorAll('svg text')].filter(t => "
                        "t.getBoundingClientRect().height < 11).length")
        that(what + ": letters are large enough", small == 0, small)
        outside = page.js("""[...document.querySelectorAll('svg.plot')].flatMap(s => {
          const f = s.getBoundingClientRect();
          return [...s.querySelectorAll('text')].filter(t => { const r = t.getBoundingClientRect();
            return r.left < f.left - 2 || r.right > f.right + 3 || r.top < f.top - 2 || r.bottom > f.bottom + 2;
          }).map(t => t.textContent); })""")
        that(what + ": labels stay in their figures", not outside, outside[:5])
        touching = page.js("""[...document.querySelectorAll('svg')].flatMap(s => {
          const all = [...s.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
          return all.flatMap(([text, a], i) => all.slice(i + 1).filter(([, b]) =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3).map(([other]) => text + ' | ' + other)); })""")
        that(what + ": labels are apart", not touching, touching[:5])
        colour = page.js("getComputedStyle(document.documentElement).backgroundColor")
        that(what + ": paper", (colour == "rgb(255, 255, 255)") != dark, colour)


def check_numbers(page, name, program, source, arguments):
    """The track of the page, as the program computes it."""
    page.open()
    track = page.js("({p: track.momentum, a: track.angle, eta: by_eta, pt: momentum_axis.variable === 1})")
    tracks = ["--pt" if track["pt"] else "--p", f"{track['p']}GeV",
              "--eta" if track["eta"] else "--theta",
              repr(track["a"]) if track["eta"] else f"{track['a']!r}rad"]
    detector = [a for a in arguments if a.endswith(".yaml")][:1]
    row = program_numbers(program, source, ["scan", *detector, *tracks])[0]
    for column in page.js("columns.filter(c => c.kind < 2).map(c => c.name)"):
        if column in row:
            page.checks.that(f"{name}: {column} is that of the program",
                             is_near(page.number(column), row[column]), [page.number(column), row[column]])


def check_cld(page, program, source, folder):
    that = page.checks.that
    page.open()
    radius = "layers[VTX1].cylinder.radius"

    # selecting and typing
    before = page.number("sigma_d0_um")
    page.js("choose('VTX1')")
    that("a chosen layer has sliders", page.js("document.querySelectorAll('#sliders .slider').length") >= 5)
    that("the field has one, too", page.js("!!document.querySelector('.slider[data-key=\"field.solenoid\"]')"))
    page.set_number(radius, 16)
    that("typing a number changes it", page.value(radius) == 16, page.value(radius))
    after = page.number("sigma_d0_um")
    that("a smaller radius improves d0", after < before, [before, after])
    row = program_numbers(program, source, [
        "scan", "detectors/cld.yaml", "--set", radius + "=16 mm", "--pt",
        f"{page.js('track.momentum')}GeV", "--theta", "90deg"])[0]
    for column in ("sigma_pt_rel", "sigma_d0_um", "sigma_z0_um", "sigma_phi0_mrad", "sigma_theta_mrad",
                   "x_over_x0", "sigma_p_rel_hit_only", "sigma_p_rel_ms_only"):
        that(f"{column} is that of --set", is_near(page.number(column), row[column]),
             [page.number(column), row[column]])
    changed = page.js("[...document.querySelectorAll('#changed tbody tr')].map(r => r.textContent)")
    that("what changed is listed", len(changed) == 1 and "17.5 mm" in changed[0] and "16 mm" in changed[0], changed)
    that("the curve of the start is there", page.js("document.querySelectorAll('.plot .start').length") == 6)
    that("its --set is shown", page.js("document.querySelector('#sets').textContent") ==
         "--set 'layers[VTX1].cylinder.radius=16 mm'", page.js("document.querySelector('#sets').textContent"))
    that("the old place is drawn", page.js("document.querySelectorAll('#rz .old').length") >= 1)
    table = page.js("[...document.querySelectorAll('#numbers tr[data-column=sigma_d0_um] td')].map(t => t.textContent)")
    that("a change has a sign and a percentage", table[2].startswith("▼ −"), table)

    # undo, redo, reset
    click(page.browser, "#undo")
    page.settle()
    that("undo", page.value(radius) == 17.5 and page.number("sigma_d0_um") == before)
    click(page.browser, "#redo")
    page.settle()
    that("redo", page.value(radius) == 16 and page.number("sigma_d0_um") == after)
    page.js("document.activeElement.blur()")
    page.press("z", 90, 2)
    that("Ctrl Z undoes", page.value(radius) == 17.5, page.value(radius))
    page.press("Z", 90, 10)
    that("Ctrl Shift Z redoes", page.value(radius) == 16, page.value(radius))
    page.set_number("field.solenoid", 3)
    page.set_number("layers[VTX1].material.thickness", 30)
    that("three values changed", page.js("state.changed().length") == 3)
    click(page.browser, "#changed button")
    page.settle()
    that("a row resets its value", page.js("state.changed().length") == 2)
    click(page.browser, "#reset")
    page.settle()
    that("reset", page.js("state.changed().length") == 0)
    that("reset gives the first numbers", page.number("sigma_d0_um") == before)
    that("reset can be undone", page.js("!document.querySelector('#undo').disabled"))
    click(page.browser, "#undo")
    page.settle()
    that("undo of reset", page.js("state.changed().length") == 2)
    page.js("state.reset(); update()")
    page.settle()

    # sliders
    slider = ".slider[data-key='layers[VTX1].cylinder.radius'] input[type=range]"
    x, y, w, h = middle_of(page.browser, slider)
    page.browser.drag(x + w / 2, y + h / 2, x + 0.8 * w, y + h / 2)
    page.settle()
    that("a slider moves its value", page.value(radius) > 20, page.value(radius))
    past = page.js("state.past.length")
    click(page.browser, "#undo")
    page.settle()
    that("one gesture is one step", page.value(radius) == 17.5 and past == page.js("state.past.length") + 1,
         page.value(radius))
    page.js(f"document.querySelector(\"{slider}\").focus()")
    page.press("ArrowRight", 39)
    that("arrow keys move a slider by a step", abs(page.value(radius) - 17.6) < 1e-9, page.value(radius))
    page.js("state.reset(); update()")
    page.settle()

    # dragging in the drawing
    x, y = page.place("OTK1", "middle")
    page.browser.drag(x, y, x, y - 40)
    page.settle()
    moved = page.value("layers[OTK1].cylinder.radius")
    that("dragging moves a barrel layer outwards", moved > 1010, moved)
    that("dragging chooses the layer", page.js("chosen") == "OTK1")
    that("only its radius changes", page.js("state.changed().length") == 1)
    x, y = page.place("OTK1", 1)
    page.browser.drag(x, y, x - 50, y)
    page.settle()
    length = page.value("layers[OTK1].cylinder.half_length")
    that("dragging an end changes the length", length < 1250, length)
    that("and not the radius", page.value("layers[OTK1].cylinder.radius") == moved)
    x, y = page.place("OTK2", "middle")
    page.browser.mouse("mouseMoved", x, y)
    page.browser.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    page.browser.mouse("mouseReleased", x, y, button="left", clickCount=1)
    page.settle()
    that("a click chooses and moves nothing", page.js("chosen") == "OTK2" and page.js("state.changed().length") == 2)
    page.js("state.reset(); update()")
    page.settle()
    disk = page.js("design.handles.find(h => h.label === 'outer radius' && h.entry.startsWith('OTKD')).entry")
    z = page.js(f"design.handles.find(h => h.entry === '{disk}' && h.label === 'z').key")
    start = page.value(z)
    x, y = page.place(disk, "middle")
    page.browser.drag(x, y, x + 30, y)
    page.settle()
    that("dragging moves a disk along z", page.value(z) > start, [start, page.value(z)])
    mirrored = page.js(f"drawing.outline.filter((l, i) => drawing.entry_of[i] === '{disk}').map(l => l.z[0])")
    that("its mirror image follows", len(mirrored) == 2 and abs(sum(mirrored)) < 1e-9, mirrored)
    page.js("state.reset(); update()")
    page.settle()

    # the view
    path = "document.querySelector('#rz .path').getAttribute('d')"
    seen = page.js(path)
    click(page.browser, "#closer")
    closer = page.js(path)
    that("zooming keeps the path of the track", len(closer) > 20 and closer != seen, [seen, closer])
    that("and its crossings", page.js("document.querySelectorAll('#rz .cross').length") > 10)
    click(page.browser, "#whole")
    that("All shows the whole detector again", page.js(path) == seen)

    # keyboard in the drawing
    page.js("document.querySelector('#rz .hit[aria-label=OTK3]').focus()")
    page.press("Enter", 13)
    that("Enter chooses a layer", page.js("chosen") == "OTK3")
    page.press("ArrowUp", 38)
    that("the up key moves it outwards", page.value("layers[OTK3].cylinder.radius") > 2136)
    page.press("ArrowRight", 39, 8)
    that("Shift and right key move its end", page.value("layers[OTK3].cylinder.half_length") > 1264.2,
         page.value("layers[OTK3].cylinder.half_length"))
    that("the change is spoken", "half_length" in page.js("document.querySelector('#live').textContent"))
    that("layers can be reached by Tab", page.js("document.querySelectorAll('#rz .hit[tabindex]').length") > 40)
    page.js("state.reset(); update()")
    page.settle()

    # a whole group
    page.js("choose('VTX2'); document.querySelector('#with-group').click()")
    page.set_number("layers[VTX2].material.thickness", 90)
    that("the group follows", page.value("layers[VTX5].material.thickness") == 90 and
         page.value("layers[ITK1].material.thickness") == 956)
    page.js("document.querySelector('#with-group').click(); state.reset(); update()")
    page.settle()

    # what is no detector
    page.js("choose('VTX1')")
    page.set_number(radius, 18)
    that("two layers at one place are refused", page.js("!document.querySelector('#fault').hidden") and
         "VTXSUP1" in page.js("document.querySelector('#fault').textContent"),
         page.js("document.querySelector('#fault').textContent"))
    page.set_number(radius, -4)
    that("a negative radius is refused", "not positive" in page.js("document.querySelector('#fault').textContent"))
    page.set_number(radius, 17)
    that("and the page goes on", page.js("document.querySelector('#fault').hidden"))
    that("with right numbers", page.number("sigma_d0_um") < before)
    page.js("state.reset(); update()")
    page.settle()

    # requirements
    rows = page.js("[...document.querySelectorAll('#checks tbody tr')].map(r => r.cells[0].textContent)")
    that("requirements are listed", len(rows) == page.js("exploration.requirements.length") and len(rows) > 2, rows)
    that("and met at the start", all(r == "✓ met" for r in rows), rows)
    limits = page.js("[...document.querySelectorAll('#checks tbody tr')].map(r => r.cells[3].textContent)")
    that("a value with a tolerance, a limit and a fixed value",
         limits[0] == "0.2376 % (± 0.01 %)" and limits[3] == "≤ 5.478 µm" and limits[4] == "100 %", limits)
    page.js("choose('VTX1')")
    page.set_number("field.solenoid", 1)
    rows = page.js("[...document.querySelectorAll('#checks tbody tr')].map(r => r.cells[0].textContent)")
    that("half the field fails some", any(r == "✗ failed" for r in rows), rows)
    told = subprocess.run([program, "check", "configs/check/cld.yaml", "--set", "field.solenoid=1 T",
                           "--format", "csv", "--no-provenance", "--quiet"], cwd=source,
                          capture_output=True, text=True, check=False).stdout
    worst = [r for r in csv.DictReader(told.splitlines()) if r["worst"] == "true"]
    margins = page.js("results.checks.map(c => c.margin)")
    for mine, theirs in zip(margins, worst):
        that("margin of " + theirs["requirement"], abs(mine - float(theirs["margin_rel"])) <= TOLERANCE *
             max(1, abs(mine)), [mine, theirs["margin_rel"]])
    page.js("state.reset(); update()")
    page.settle()

    # the track
    page.js("(() => { const m = document.querySelector('#momentum'); m.value = 30; m.dispatchEvent(new Event('input')); })()")
    page.settle()
    that("the track has another momentum", page.js("track.momentum") < 1, page.js("track.momentum"))
    page.js("(() => { const m = document.querySelector('#angle'); m.value = 150; m.dispatchEvent(new Event('input')); })()")
    page.settle()
    theta = page.js("track.angle")
    row = program_numbers(program, source, ["scan", "detectors/cld.yaml", "--pt",
                                            f"{page.js('track.momentum')!r}GeV", "--theta", f"{theta!r}rad"])[0]
    for column in ("sigma_pt_rel", "sigma_d0_um", "x_over_x0_tracker"):
        that(f"{column} of the other track", is_near(page.number(column), row[column]))
    x, y, w, h = middle_of(page.browser, "figure[data-axis=p] .plot")
    for kind in ("mousePressed", "mouseReleased"):
        page.browser.mouse(kind, x + 0.7 * w, y + h / 2, button="left", clickCount=1)
    page.settle()
    that("a click into a figure puts the track there", page.js("track.momentum") > 5, page.js("track.momentum"))

    # figures
    page.js("(() => { const s = document.querySelector('#figures select'); s.value = 'n_hits'; s.dispatchEvent(new Event('change')); })()")
    page.settle()
    that("a figure shows any column", page.js("figures[0].column") == "n_hits" and
         page.js("document.querySelector('.plot .line').getAttribute('d').length") > 100)
    offered = page.js("[...document.querySelector('#figures select').options].map(o => o.value)")
    listed = [c for c in page.js("columns.filter(c => c.kind < 2).map(c => c.name)")
              if c not in ("p_GeV", "pt_GeV", "theta_deg", "eta", "phi_deg") and "_at" not in c]
    that("every number of scan is offered", offered == listed, [offered, listed])

    # the link
    page.js("choose('VTX1')")
    page.set_number(radius, 16.5)
    time.sleep(0.5)
    fragment = page.js("location.hash")
    that("the address keeps the state", len(fragment) > 10 and page.js("link()") == fragment)
    numbers = [page.number("sigma_d0_um"), page.js("track.momentum"), page.js("chosen"), page.js("figures[0].column")]
    page.open(fragment)
    again = [page.number("sigma_d0_um"), page.js("track.momentum"), page.js("chosen"), page.js("figures[0].column")]
    that("the link opens it again", numbers == again, [numbers, again])
    page.open("#" + "%7Bbroken")
    that("a broken link is the start", page.js("state.changed().length") == 0)
    that("without an error", not complaints(page.browser), complaints(page.browser))

    # the file
    page.open()
    page.browser.send("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
    page.js("choose('VTX1')")
    page.set_number("layers[VTX1].material.thickness", 30)
    page.js("choose('VTX3')")
    page.set_number("layers[VTX3].cylinder.radius", 36.2)
    page.js("choose('ITKD1')")
    click(page.browser, "#save")
    file = os.path.join(folder, "cld-explored.yaml")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not (os.path.exists(file) and os.path.getsize(file)):
        page.browser.wait(0.1)
    that("the file is saved", os.path.exists(file))
    valid = subprocess.run([program, "validate", file, "--quiet"], capture_output=True, text=True, check=False)
    that("it is valid", valid.returncode == 0, valid.stderr)
    with open(file, encoding="utf-8") as saved, \
            open(os.path.join(source, "detectors", "cld.yaml"), encoding="utf-8") as original:
        mine, theirs = saved.read().splitlines(), original.read().splitlines()
    comments = [line for line in theirs if line.lstrip().startswith("#")]
    that("comments stay", all(line in mine for line in comments))
    that("few lines differ", sum(a not in theirs for a in mine) <= 8, [a for a in mine if a not in theirs])
    row = program_numbers(program, source, ["scan", file, "--pt", f"{page.js('track.momentum')}GeV", "--theta", "90deg"])[0]
    for column in ("sigma_pt_rel", "sigma_d0_um", "sigma_z0_um", "x_over_x0"):
        that(f"the file gives the same {column}", is_near(page.number(column), row[column]),
             [page.number(column), row[column]])
    that("nothing on the console", not complaints(page.browser), complaints(page.browser))


def check_frames(page):
    """What a frame costs while a layer is dragged, in numbers that do not depend on the machine."""
    frames = 60
    page.browser.send("Performance.enable", timeDomain="threadTicks")
    page.open()
    page.js("choose('VTX1')")
    page.js("""window.dragged = async n => {
      const k = design.handles.findIndex(h => h.key === 'layers[VTX1].cylinder.radius');
      let made = 0;
      const observer = new MutationObserver(list => { for (const m of list) made += m.addedNodes.length; });
      observer.observe(document.body, { childList: true, subtree: true });
      for (let i = 0; i < n; ++i) {
        state.set([[k, clean(17.5 - 0.005 * (i + 1))]], 'drag');
        update();
        await new Promise(requestAnimationFrame);
      }
      observer.disconnect();
      return made / n;
    }; void 0""")
    page.js("dragged(20)")  # what changed gets its rows

    def metrics():
        return {m["name"]: m["value"] for m in page.browser.send("Performance.getMetrics")["metrics"]}

    before = metrics()
    made = page.js(f"dragged({frames})")
    cost = {name: (value - before[name]) / frames for name, value in metrics().items()}
    that = page.checks.that
    # a table that is read between two that are written costs one more each
    that("a frame is laid out once", cost["LayoutCount"] < 1.5, cost["LayoutCount"])
    that("and styled once", cost["RecalcStyleCount"] < 1.5, cost["RecalcStyleCount"])
    # scales of figures change now and then, about 25 elements each
    that("elements are kept", made < 60, made)
    print(f"frames of CLD: {1000 * cost['ThreadTime']:.1f} ms of the page's thread, "
          f"{1000 * cost['ScriptDuration']:.1f} ms of them in script and module")
    page.settle()

    that("a long check waits for a frame of its own", page.js("""(() => {
      const order = [];
      durations.set('long', 1e3).delete('short');
      jobs = [job('short', () => order.push('short')), job('long', () => order.push('long'))];
      const end = performance.now() + 500;
      run_jobs(end, false);
      const first = order.join();
      run_jobs(end, true);
      return first + ' ' + order.join();
    })()""") == "short short,long")
    # as in a large detector
    page.js("durations.set('coincidences', 1e3); choose('VTX1')")
    page.set_number("layers[VTX1].cylinder.radius", 18)
    that("layers at one place are found when the pointer rests",
         "VTXSUP1" in page.js("document.querySelector('#fault').textContent"))
    page.js("durations.delete('coincidences'); state.reset(); update(true)")
    page.settle()
    that("and the page goes on", page.js("document.querySelector('#fault').hidden"))


def check_print(page):
    page.open(dark=True)
    pdf = page.browser.send("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"]
    page.checks.that("printing gives a PDF", pdf.startswith("JVBERi") and len(pdf) > 20000, len(pdf))
    page.browser.send("Emulation.setEmulatedMedia", media="print", features=[
        {"name": "prefers-color-scheme", "value": "dark"}])
    page.checks.that("paper is white in print", page.js(
        "getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)")
    page.checks.that("print has no buttons", page.js(
        "getComputedStyle(document.querySelector('.bar')).display") == "none")
    page.browser.send("Emulation.setEmulatedMedia", media="")


def check_theme(page):
    page.open()
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    seen = [page.js(colour)]
    for _ in range(3):
        click(page.browser, "#theme")
        seen.append(page.js(colour))
    page.checks.that("the button goes through the themes", seen[0] == seen[1] == seen[3] != seen[2], seen)


def main():
    program, source = sys.argv[1:3]
    path = find_browser()
    if not path:
        print("left out: no Chromium or Chrome (Debian: apt install chromium)")
        return 77
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder, Browser(path, timeout=120) as browser:
        pages = {}
        for name, arguments in PAGES.items():
            file = os.path.join(folder, name + ".html")
            made = subprocess.run([program, "explore", *arguments, "-o", file, "--quiet"], cwd=source,
                                  capture_output=True, text=True, check=False)
            if "without the module" in made.stderr:
                print("left out: the program has no module (cmake --workflow --preset wasm)")
                return 77
            checks.that(name + ": the page is made", made.returncode == 0, made.stderr)
            pages[name] = Page(browser, checks, file)
        for name, page in pages.items():
            check_numbers(page, name, program, source, PAGES[name])
        for name in ("cld", "its2", "datura", "lhcb"):
            check_looks(pages[name], name)
        check_cld(pages["cld"], program, source, folder)
        check_frames(pages["cld"])
        check_print(pages["cld"])
        check_theme(pages["its2"])
    for failure in checks.failures:
        print("FAILED", failure)
    print(f"{checks.count - len(checks.failures)} of {checks.count} checks hold in {path}")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
