# SPDX-License-Identifier: Apache-2.0
"""Fails if a page of a built site has a link to nowhere, a link to a heading
that is not there, or Markdown left in its text:

    tests/docs/check_site.py SITE
"""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """Links, ids and the text outside of code of one page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids, self.faults = [], set(), []
        self.code = 0
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if attributes.get("id"):
            self.ids.add(attributes["id"])
        for name in ("href", "src"):
            if attributes.get(name):
                self.links.append((self.getpos()[0], attributes[name]))
        if tag in ("code", "pre", "script", "style"):
            self.code += 1

    def handle_endtag(self, tag):
        if tag in ("code", "pre", "script", "style"):
            self.code -= 1

    def handle_data(self, data):
        if not self.code and ("```" in data or "](" in data):
            self.faults.append((self.getpos()[0], "Markdown left over: " + data.strip()[:60]))


def main():
    site = os.path.abspath(sys.argv[1])
    pages = {}
    for folder, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                pages[path] = Page(path)
    # Pages of the theme link to themselves from the root of a server.
    pages.pop(os.path.join(site, "404.html"), None)
    faults = 0
    for path, page in sorted(pages.items()):
        found = list(page.faults)
        for line, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path
            if parts.path:
                target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path)))
            if os.path.isdir(target) and os.path.isfile(os.path.join(target, "index.html")):
                target = os.path.join(target, "index.html")
            if not os.path.exists(target):
                found.append((line, "no such file: " + link))
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                found.append((line, "no such heading: " + link))
        for line, text in found:
            print(f"{os.path.relpath(path, site)}:{line}: {text}")
            faults += 1
    print(f"{len(pages)} pages, {faults} faults")
    sys.exit(1 if faults or len(pages) < 10 else 0)


if __name__ == "__main__":
    main()
