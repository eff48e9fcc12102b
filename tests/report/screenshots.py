# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of the README and of the pages, in docs/images:

    tests/report/screenshots.py PROGRAM SOURCE_FOLDER [OUTPUT_FOLDER]

Needs Chromium and rsvg-convert.
"""
import os
import subprocess
import sys
import tempfile

from browser import Browser, find_browser

# name, page, what is shown, dark
PICTURES = [
    ("report.png", "cld", None, False),
    ("report-layout.png", "cld", "#layout-rz", False),
    ("report-limits.png", "cld", "#share-pt", True),
    ("report-requirements.png", "requirements", "section:has(td.verdict)", False),
    ("report-compare.png", "compare", "#compare-pt", False),
]

# one of them is not met
REQUIREMENTS = ["configs/cld.yaml", "--requirements", "configs/check/cld.yaml", "--set",
                "layers[VTX1].material=1 %"]


def main():
    program, source = sys.argv[1:3]
    target = sys.argv[3] if len(sys.argv) > 3 else os.path.join(source, "docs", "images")
    path = find_browser()
    if not path:
        sys.exit("screenshots.py: no Chromium or Chrome (Debian: apt install chromium)")
    os.makedirs(target, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser(path) as browser:
        pages = {}
        for name, arguments in (("cld", ["configs/cld.yaml"]),
                                ("compare", ["configs/gaseous-trackers.yaml"]),
                                ("requirements", REQUIREMENTS)):
            pages[name] = os.path.join(folder, name + ".html")
            subprocess.run([program, "report", *arguments, "-o", pages[name], "--quiet"],
                           cwd=source, check=True)
        for name, page, shown, dark in PICTURES:
            browser.open(pages[page], width=1240, dark=dark)
            if shown:
                clip = browser.evaluate(
                    f"(r => [r.left - 8, r.top + scrollY - 4, r.width + 16, r.height + 8])"
                    f"(document.querySelector('{shown}').getBoundingClientRect())")
            else:  # the first figure of the resolutions and what is next to it
                top, bottom = browser.evaluate(
                    "[document.querySelector('#resolution').getBoundingClientRect().top,"
                    " document.querySelector('#sigma-pt').getBoundingClientRect().bottom]"
                    ".map(y => y + scrollY)")
                clip = [30, top, 1180, bottom - top + 8]
            browser.screenshot(os.path.join(target, name), clip)
    figure = os.path.join(target, "first-figure.svg")
    subprocess.run([program, "plot", "configs/barrel.yaml", "--figure", "sigma-pt", "-o", figure,
                    "--quiet"], cwd=source, check=True)


if __name__ == "__main__":
    main()
