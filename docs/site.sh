#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the pages as a site: docs/site.sh [FOLDER], build/site of the current
# folder unless given.
#
# Pages link to each other and to sources as they lie in the project, so the
# site has the same folders; sources are files in it. It needs no network:
# formulas are set by KaTeX, copied into it, and stay TeX where the packages for
# that are missing (Debian: python3-pymdownx, libjs-katex).
set -eu
root=$(cd "$(dirname -- "$0")/.." && pwd)
case ${1-} in /*) site=$1 ;; *) site=$PWD/${1:-build/site} ;; esac
if ! command -v mkdocs > /dev/null; then
  echo 'site.sh: mkdocs is missing (Debian: apt-get install mkdocs)' >&2
  exit 77
fi
katex=/usr/share/javascript/katex
if ! python=$(sed -n '1s/^#!//p' "$(command -v mkdocs)") ||
    ! $python -c 'import pymdownx.arithmatex' 2> /dev/null ||
    [ ! -f $katex/katex.min.js ]; then
  echo 'site.sh: formulas stay TeX (Debian: apt-get install python3-pymdownx libjs-katex)' >&2
  katex=
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/pages"
cd "$root"
cp -R README.md CHANGELOG.md LICENSE start docs detectors configs lib apps \
  tests "$work/pages"
[ ! -d .github ] || cp -R .github "$work/pages"
# The marks of tests/docs/run.sh after the language of a block are not Markdown.
find "$work/pages" -name '*.md' -exec \
  sed -i 's/^\( *```[a-z+]\{1,\}\) .*$/\1/' {} +
cat > "$work/pages/page.css" << 'END'
/* Tables of many columns, long commands, boxes that state differences. */
@media (min-width: 1200px) { .container { max-width: 1320px; } }
table { display: block; overflow-x: auto; font-size: 90%; }
td code, td a { white-space: nowrap; }
td:nth-child(2) { min-width: 13em; }
td:last-child code { white-space: normal; overflow-wrap: anywhere; }
pre code { font-size: 85%; }
blockquote { border-left: 4px solid #0072b2; background: #f2f6fa; padding: .6em 1em; }
blockquote p { margin: 0; }
END
cat > "$work/mkdocs.yml" << 'END'
site_name: gttf-design
site_description: Resolution of tracking detectors by the General Triplet Track Fit
docs_dir: pages
use_directory_urls: false
theme: { name: mkdocs, highlightjs: false, nav_style: dark }
END
if [ -n "$katex" ]; then
  mkdir "$work/pages/katex"
  cp -RL $katex/katex.min.css $katex/katex.min.js $katex/fonts \
    "$work/pages/katex"
  cat > "$work/pages/katex/page.js" << 'END'
document.addEventListener("DOMContentLoaded", function () {
  document.querySelectorAll(".arithmatex").forEach(function (formula) {
    const text = formula.textContent.trim();
    katex.render(text.slice(2, -2), formula,
      { displayMode: text.startsWith("\\["), throwOnError: false });
  });
});
END
  cat << 'END'
markdown_extensions:
  - tables
  - fenced_code
  - toc
  - pymdownx.arithmatex: { generic: true }
extra_css: [page.css, katex/katex.min.css]
extra_javascript: [katex/katex.min.js, katex/page.js]
END
else
  echo 'markdown_extensions: [tables, fenced_code, toc]'
  echo 'extra_css: [page.css]'
fi >> "$work/mkdocs.yml"
cat >> "$work/mkdocs.yml" << 'END'
nav:
  - Start: README.md
  - All pages: docs/index.md
END
for part in tutorial howto reference theory developing; do
  echo "  - $part:"
  for page in docs/$part/*.md; do
    echo "    - $page"
  done
done >> "$work/mkdocs.yml"
mkdocs build --strict --quiet -f "$work/mkdocs.yml" -d "$site"
echo "site.sh: $site/index.html"
