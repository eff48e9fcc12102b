# SPDX-License-Identifier: Apache-2.0
"""Looks at reports in Chromium: check_page.py PROGRAM SOURCE_FOLDER

Ends with 77, the sign of a test left out, where there is no browser.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom

from browser import Browser, find_browser

# Labels may touch by so many pixels before they count as one on the other.
TOUCH_X, TOUCH_Y = 1.5, 3
FAULTS = """
(() => {
  const bad = [];
  for (const svg of document.querySelectorAll('svg.plot')) {
    const frame = svg.getBoundingClientRect();
    if (frame.width < 100 || frame.height < 60) bad.push([svg.dataset.fig, 'not drawn']);
    const marks = svg.querySelectorAll('.ln, .ar, .cells path');
    if (![...marks].some(m => { const b = m.getBoundingClientRect(); return b.width > 2 || b.height > 2; }))
      bad.push([svg.dataset.fig, 'empty']);
    const texts = [...svg.querySelectorAll('text')]
      .filter(t => !(t.getAttribute('transform') || '').includes('rotate') && !t.closest('.off, .legend, .conditions'))
      .map(t => [t.textContent, t.getBoundingClientRect()]);
    for (let i = 0; i < texts.length; ++i) {
      const a = texts[i][1];
      if (a.left < frame.left - 2 || a.right > frame.right + 2 || a.top < frame.top - 2 || a.bottom > frame.bottom + 2)
        bad.push([svg.dataset.fig, 'outside', texts[i][0]]);
      for (let j = i + 1; j < texts.length; ++j) {
        const b = texts[j][1];
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (x > %g && y > %g) bad.push([svg.dataset.fig, 'overlap', texts[i][0], texts[j][0]]);
      }
    }
  }
  return bad;
})()
""" % (TOUCH_X, TOUCH_Y)
CONTRAST = """
(() => {
  const light = colour => {
    const v = colour.match(/[\\d.]+/g).map(Number).slice(0, 3).map(x => {
      x /= 255;
      return x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4;
    });
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2];
  };
  const paper = light(getComputedStyle(document.documentElement).backgroundColor), low = {};
  for (const node of document.querySelectorAll('svg.plot text:not(.on-colour), p, td, th, figcaption, button, dd, dt, a')) {
    const style = getComputedStyle(node), fill = node.namespaceURI.includes('svg') ? style.fill : style.color;
    if (!fill.startsWith('rgb') || !node.textContent.trim()) continue;
    const l = light(fill), ratio = (Math.max(l, paper) + .05) / (Math.min(l, paper) + .05);
    if (ratio < 4.5) low[fill] = [+ratio.toFixed(2), node.textContent.slice(0, 30)];
  }
  return low;
})()
"""


class Checks:
    """Counts what was checked and keeps what failed."""

    def __init__(self):
        self.count, self.failures = 0, []

    def that(self, claim, holds, detail=""):
        self.count += 1
        if not holds:
            self.failures.append(f"{claim}: {detail}" if detail else claim)


def complaints(browser):
    """What the page said on its console, and what it tried to load."""
    found = []
    for event in browser.events:
        kind, p = event.get("method"), event.get("params", {})
        if kind == "Runtime.exceptionThrown":
            found.append(p["exceptionDetails"]["text"])
        if kind == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning"):
            found.append(str(p["args"]))
        if kind == "Log.entryAdded" and p["entry"]["level"] == "error":
            found.append(p["entry"]["text"])
        if kind == "Network.requestWillBeSent":
            url = p["request"]["url"]
            if not url.startswith(("file:", "data:", "blob:")):
                found.append("loads " + url)
    return found


def middle_of(browser, selector):
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView("
                     "{block: 'center', behavior: 'instant'})")
    return browser.evaluate(
        f"(r => [r.left, r.top, r.width, r.height])(document.querySelector("
        f"{json.dumps(selector)}).getBoundingClientRect())")


def click(browser, selector):
    x, y, w, h = middle_of(browser, selector)
    for kind in ("mousePressed", "mouseReleased"):
        browser.mouse(kind, x + w / 2, y + h / 2, button="left", clickCount=1)


# Figures of half the width of a page that must be scrolled to be seen.
CUT_FIGURES = """[...document.querySelectorAll('svg.plot:not([width="1120"])')]
  .filter(s => s.parentElement.scrollWidth > s.parentElement.clientWidth + 1)
  .map(s => s.dataset.fig)"""


def look(browser, page, checks, name):
    for width, dark, font in ((1400, False, ""), (1400, True, ""), (360, False, ""),
                              (1400, False, "DejaVu Sans")):
        browser.open(page, width=width, dark=dark)
        if font:
            browser.evaluate(f"document.documentElement.style.fontFamily = '{font}'")
        what = f"{name}, {width} px{', dark' if dark else ''}{', ' + font if font else ''}"
        faults = browser.evaluate(FAULTS)
        checks.that(what + ": labels are apart and inside", not faults, faults[:6])
        if not font:
            low = browser.evaluate(CONTRAST)
            checks.that(what + ": text has contrast", not low, low)
        wide = browser.evaluate("document.documentElement.scrollWidth")
        checks.that(what + ": no sideways scroll", wide <= width, wide)
        cut = browser.evaluate(CUT_FIGURES)
        checks.that(what + ": figures are not cut", not cut, cut)
        colour = browser.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        checks.that(what + ": paper", (colour == "rgb(255, 255, 255)") != dark, colour)
        checks.that(what + ": nothing on the console", not complaints(browser),
                    complaints(browser))


def save(browser, figure, kind, folder):
    """Presses a button of a figure; the file that it saved, None if none came."""
    path = os.path.join(folder, f"{figure}.{kind}")
    click(browser, f"#{figure} .tools [data-k={kind}]")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        browser.wait(0.1)
        if os.path.exists(path) and os.path.getsize(path) > 0:
            browser.wait(0.2)
            return path
    return None


def check_files(browser, page, checks, folder):
    browser.send("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
    browser.open(page, dark=True)
    figures = browser.evaluate("[...document.querySelectorAll('svg.plot')].map(s => s.dataset.fig)")
    data = json.loads(browser.evaluate("document.querySelector('#data').textContent"))["figures"]
    chosen = [f for f in figures if f in ("sigma-pt", "share-d0", "layout-rz", "map-pt", "tornado",
                                          "correlations", "regimes")]
    for figure in chosen:
        path = save(browser, figure, "csv", folder)
        checks.that(f"{figure}: csv is saved", path)
        if path:
            with open(path, newline="", encoding="utf-8") as file:
                rows = list(csv.reader(file))
            columns = data[figure]["data"]
            checks.that(f"{figure}: csv has the columns", rows[0] == [c["name"] for c in columns],
                        rows[0])
            same = all(str(cell if cell is not None else "") == row[i] or
                       isinstance(cell, (int, float)) and row[i] and float(row[i]) == cell
                       for i, column in enumerate(columns)
                       for cell, row in zip(column["cells"], rows[1:]))
            checks.that(f"{figure}: csv has the numbers", same)
            checks.that(f"{figure}: csv has all rows", len(rows) - 1 == len(columns[0]["cells"]))
        path = save(browser, figure, "svg", folder)
        checks.that(f"{figure}: svg is saved", path)
        if path:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            xml.dom.minidom.parseString(text)
            checks.that(f"{figure}: svg has plain colours", "var(" not in text)
            checks.that(f"{figure}: svg is light", 'fill="#ffffff"' in text)
            checks.that(f"{figure}: svg states detector, particle and model",
                        all(word in text for word in ("CLD", "muon", "Highland")))
    path = save(browser, "sigma-pt", "png", folder)
    checks.that("sigma-pt: png is saved", path)
    if path:
        with open(path, "rb") as file:
            checks.that("sigma-pt: png is one", file.read(8) == b"\x89PNG\r\n\x1a\n")
    checks.that("saving: nothing on the console", not complaints(browser), complaints(browser))


def check_use(browser, page, checks):
    browser.open(page)
    figure = "#sigma-pt svg.plot"
    x, y, w, h = middle_of(browser, figure)
    browser.mouse("mouseMoved", x + 0.5 * w, y + 0.5 * h)
    tip = browser.evaluate("document.querySelector('#tip').innerText")
    checks.that("pointing at a curve shows its value", "GeV" in tip and "%" in tip, tip)
    browser.mouse("mouseMoved", 2, 2)
    checks.that("the read-out goes with the pointer",
                browser.evaluate("document.querySelector('#tip').style.display") == "none")

    browser.evaluate(f"document.querySelector('{figure}').focus()")
    browser.key("ArrowRight", 39)
    first = browser.evaluate("document.querySelector('#live').textContent")
    browser.key("PageDown", 34)
    later = browser.evaluate("document.querySelector('#live').textContent")
    checks.that("arrow keys speak the values", "GeV" in first and first != later, [first, later])

    count = "document.querySelectorAll('#sigma-pt svg.plot [data-s=a0].off').length"
    button = "#sigma-pt .lg button[data-t=a0]"
    click(browser, button)
    checks.that("a legend entry hides its curve", browser.evaluate(count) > 0)
    checks.that("a legend entry says so", browser.evaluate(
        f"document.querySelector('{button}').getAttribute('aria-pressed')") == "false")
    click(browser, button)
    checks.that("it shows it again", browser.evaluate(count) == 0)

    labels = f"document.querySelector('{figure} .tl').textContent"
    before = browser.evaluate(labels)
    x, y, w, h = middle_of(browser, figure)
    browser.drag(x + 0.3 * w, y + 0.2 * h, x + 0.6 * w, y + 0.6 * h)
    zoomed = browser.evaluate(labels)
    checks.that("dragging zooms", zoomed != before and zoomed, zoomed)
    checks.that("a zoomed figure has ticks",
                browser.evaluate(f"document.querySelectorAll('{figure} .tl text').length") >= 3)
    browser.evaluate(f"document.querySelector('{figure}').focus()")
    browser.key("Escape", 27)
    checks.that("Escape returns", browser.evaluate(labels) == before)

    button = "#sigma-pt .tools [data-k=reset]"
    hidden = f"document.querySelector('{button}').hidden"
    checks.that("nothing to reset, no button", browser.evaluate(hidden))
    browser.drag(x + 0.3 * w, y + 0.2 * h, x + 0.6 * w, y + 0.6 * h)
    checks.that("a zoomed figure offers to return", not browser.evaluate(hidden))
    click(browser, button)
    checks.that("the button returns", browser.evaluate(labels) == before)
    checks.that("and goes", browser.evaluate(hidden))

    x, y, w, h = middle_of(browser, "#layout-rz svg.plot .panel .ln.e1")
    browser.mouse("mouseMoved", x + w / 2, y + 0.5)
    tip = browser.evaluate("document.querySelector('#tip').innerText")
    checks.that("pointing at a layer names it", "x/X0" in tip, tip)
    checks.that("the layer is marked", browser.evaluate(
        "document.querySelectorAll('#layout-rz .hv .picked').length") == 1)
    names = browser.evaluate("[...document.querySelectorAll('#layout-vertex text')]"
                             ".map(t => t.textContent)")
    checks.that("the close-up names layers", "VTX1" in names, names)

    theme = "getComputedStyle(document.documentElement).backgroundColor"
    click(browser, ".theme")
    light = browser.evaluate(theme)
    click(browser, ".theme")
    checks.that("the button changes the theme",
                light == "rgb(255, 255, 255)" and browser.evaluate(theme) != light)
    checks.that("use: nothing on the console", not complaints(browser), complaints(browser))


def check_requirements(browser, page, checks, folder, told):
    """`told`: the CSV of check, all points."""
    browser.send("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
    browser.open(page)
    words = browser.evaluate("[...document.querySelectorAll('td.verdict')].map(t => t.textContent)")
    checks.that("four requirements are met, one is not",
                sorted(words) == ["✓ met"] * 4 + ["✗ failed"], words)
    colours = browser.evaluate("[...document.querySelectorAll('td.verdict')]"
                               ".map(t => t.className + getComputedStyle(t).color)")
    checks.that("verdicts have two colours", len(set(colours)) == 2, colours)
    bars = browser.evaluate("[...document.querySelectorAll('td.mb rect.ar')]"
                            ".map(r => r.getAttribute('class') + (+r.getAttribute('width') > 20))")
    checks.that("the failed one has a long bar", bars.count("ar badtrue") == 1, bars)
    outside = browser.evaluate("""
      [...document.querySelectorAll('td.mb')].filter(cell => {
        const c = cell.getBoundingClientRect();
        return [...cell.querySelectorAll('text, rect')].some(t => {
          const r = t.getBoundingClientRect();
          return r.left < c.left - 1 || r.right > c.right + 1;
        });
      }).length""")
    checks.that("margins stay in their cells", outside == 0, outside)
    path = save(browser, "requirements", "csv", folder)
    checks.that("requirements: csv is saved", path)
    if path:
        with open(path, newline="", encoding="utf-8") as file:
            saved = list(csv.DictReader(file))
        worst = [row for row in csv.DictReader(told) if row["worst"] == "true"]
        checks.that("requirements: csv has the rows and columns of check",
                    [list(row) for row in saved] == [list(row) for row in worst], saved[:1])
        same = all(row[key] == other[key] or float(row[key]) == float(other[key])
                   for row, other in zip(saved, worst) for key in row)
        checks.that("requirements: csv has all digits of check", same, saved)
    checks.that("requirements: nothing on the console", not complaints(browser),
                complaints(browser))


def check_without_script(browser, page, checks):
    browser.open(page, script=False)
    sizes = browser.send("Page.getLayoutMetrics")["cssContentSize"]
    checks.that("without script the page has its length", sizes["height"] > 3000, sizes)
    found = browser.send("DOM.getDocument", depth=0)["root"]["nodeId"]
    nodes = browser.send("DOM.querySelectorAll", nodeId=found, selector="svg.plot")["nodeIds"]
    checks.that("without script figures are there", len(nodes) > 8, len(nodes))
    browser.send("Emulation.setScriptExecutionDisabled", value=False)


def check_print(browser, page, checks):
    browser.open(page, dark=True)
    pdf = browser.send("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"]
    checks.that("printing gives a PDF", pdf.startswith("JVBERi") and len(pdf) > 50000, len(pdf))
    browser.send("Emulation.setEmulatedMedia", media="print", features=[
        {"name": "prefers-color-scheme", "value": "dark"}])
    colour = browser.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    ink = browser.evaluate("getComputedStyle(document.querySelector('h1')).color")
    checks.that("paper is white in print", colour == "rgb(255, 255, 255)", colour)
    checks.that("ink is dark in print", ink == "rgb(26, 30, 35)", ink)
    # A4 landscape without margins: 1017 px wide, 711 high
    browser.send("Emulation.setDeviceMetricsOverride", width=1017, height=711,
                 deviceScaleFactor=1, mobile=False)
    high = browser.evaluate(
        "[...document.querySelectorAll('.row.r2')].map(r => r.getBoundingClientRect().height)"
        ".filter(h => h > 711 / 2)")
    checks.that("two rows of figures fit on a page", not high, high)
    browser.send("Emulation.clearDeviceMetricsOverride")
    shown = browser.evaluate("getComputedStyle(document.querySelector('nav')).display")
    checks.that("print has no buttons", shown == "none", shown)


def main():
    program, source = sys.argv[1:3]
    path = find_browser()
    if not path:
        print("left out: no Chromium or Chrome (Debian: apt install chromium)")
        return 77
    checks = Checks()
    changed = ["--set", "layers[VTX1].material=1 %"]
    studies = {
        "cld": ["configs/cld.yaml", "--published", "detectors/published.csv"],
        "its2": ["configs/alice_its2.yaml", "--toys", "300"],
        "compare": ["configs/gaseous-trackers.yaml"],
        "mu3e": ["configs/mu3e.yaml"],
        "faser": ["configs/faser.yaml"],
        "lhcb": ["configs/lhcb.yaml"],
        "telescope": ["configs/datura.yaml", "--at", "dut"],
        "idea": ["configs/idea.yaml"],
        "ild": ["configs/ild.yaml"],
        "requirements": ["configs/cld.yaml", "--requirements", "configs/check/cld.yaml",
                         *changed],
    }
    with tempfile.TemporaryDirectory() as folder, Browser(path) as browser:
        pages = {}
        for name, arguments in studies.items():
            pages[name] = os.path.join(folder, name + ".html")
            subprocess.run([program, "report", *arguments, "-o", pages[name], "--quiet"],
                           cwd=source, check=True)
            look(browser, pages[name], checks, name)
        check_use(browser, pages["cld"], checks)
        told = subprocess.run([program, "check", "configs/check/cld.yaml", *changed,
                               "--format", "csv", "--no-provenance"], cwd=source,
                              capture_output=True, text=True, check=False).stdout
        check_requirements(browser, pages["requirements"], checks, folder, told.splitlines())
        check_files(browser, pages["cld"], checks, folder)
        check_without_script(browser, pages["cld"], checks)
        check_print(browser, pages["cld"], checks)
    for failure in checks.failures:
        print("FAILED", failure)
    print(f"{checks.count - len(checks.failures)} of {checks.count} checks hold in {path}")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
