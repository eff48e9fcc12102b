#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the pages as a site: docs/site.sh [FOLDER], build/site of the current folder unless given.
#
# Pages link to each other and to sources as they lie in the project, so the
# site has the same folders; sources are files in it.
set -eu
root=$(cd "$(dirname -- "$0")/.." && pwd)
case ${1-} in /*) site=$1 ;; *) site=$PWD/${1:-build/site} ;; esac
if ! command -v mkdocs > /dev/null; then
  echo 'site.sh: mkdocs is missing (Debian: apt-get install mkdocs)' >&2
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/pages"
cd "$root"
cp -R README.md CHANGELOG.md LICENSE start docs detectors configs lib apps \
  tests "$work/pages"
[ ! -d .github ] || cp -R .github "$work/pages"
cat > "$work/mkdocs.yml" << 'END'
site_name: gttf-design
site_description: Resolution of tracking detectors by the General Triplet Track Fit
docs_dir: pages
use_directory_urls: false
theme: { name: mkdocs, highlightjs: false, nav_style: dark }
markdown_extensions: [tables, fenced_code, toc]
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
