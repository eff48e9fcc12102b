#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves that each check of the project's shape can fail: creates a small tree without errors, then introduces one error after the other.
# Usage: self_test.sh ROOT
set -u
root=$(cd "${1:?folder of the project}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
tree=$work/tree
status=0
head='// SPDX-License-Identifier: Apache-2.0
// A file of the tree.'

clean_tree() {
  rm -rf "$tree"
  mkdir -p "$tree/lib/gttf/core" "$tree/lib/gttf/fit" "$tree/apps" \
    "$tree/tests/core" "$tree/docs/theory"
  cp "$root/.clang-format" "$tree/"
  printf '%s\n\nint core();  // see [GTTF] Eq. (1)\n' "$head" \
    > "$tree/lib/gttf/core/a.hpp"
  printf '%s\n#include "gttf/core/a.hpp"\n' "$head" > "$tree/lib/gttf/fit/b.hpp"
  printf '%s\n#include "command_line.hpp"\n' "$head" > "$tree/apps/main.cpp"
  printf '%s\n#include <CLI/CLI.hpp>\n' "$head" > "$tree/apps/command_line.cpp"
  printf '%s\n' "$head" > "$tree/tests/core/a_test.cpp"
  printf '%s\n#include "gttf/fit/b.hpp"\n' "$head" > "$tree/lib/gttf/gttf.hpp"
  {
    echo '# SPDX-License-Identifier: Apache-2.0'
    echo 'set(GTTF_HEADERS'
    printf '  gttf/%s.hpp\n' core/a fit/b gttf
    echo ')'
  } > "$tree/lib/CMakeLists.txt"
  printf '# SPDX-License-Identifier: Apache-2.0\ngttf_test(core core/a_test.cpp)\n' \
    > "$tree/tests/CMakeLists.txt"
  printf 'TEST_CASE("core: is\n' >> "$tree/tests/core/a_test.cpp"
  printf 'It labels 1 equations.\n| `eq:a` | says | page | `core/a.hpp` core | `core/a_test.cpp` core: is |\n' \
    > "$tree/docs/theory/equations.md"
  printf '| <a id="e1"></a>E1 | right | `core/a_test.cpp` core: is |\n' \
    > "$tree/docs/theory/errata.md"
  printf -- '- **[GTTF]** the paper\n' > "$tree/docs/references.md"
  printf 'A [link](docs/references.md).\n' > "$tree/README.md"
}

# expect CHECK TEXT: the check finds the error and prints TEXT
expect() {
  if output=$(sh "$root/tests/$1" "$tree" ${3:+"$3"} 2>&1); then
    echo "$1 did not see: $2"
    status=1
  elif ! printf '%s\n' "$output" | grep -qF -- "$2"; then
    printf '%s did not say: %s\nbut:\n%s\n' "$1" "$2" "$output"
    status=1
  fi
}

clean_tree
for check in include_order file_shape citations equations links opened_files public_headers words; do
  sh "$root/tests/structure/$check.sh" "$tree" || {
    echo "$check finds a fault in a tree without faults"
    status=1
  }
done

echo '#include "gttf/fit/b.hpp"' >> "$tree/lib/gttf/core/a.hpp"
expect structure/include_order.sh 'a.hpp:5: core must not include gttf/fit/b.hpp'
clean_tree
echo '#include <yaml-cpp/yaml.h>' >> "$tree/lib/gttf/fit/b.hpp"
expect structure/include_order.sh 'b.hpp:4: yaml-cpp/yaml.h is fenced'
clean_tree
echo '#include <CLI/CLI.hpp>' >> "$tree/lib/gttf/fit/b.hpp"
expect structure/include_order.sh 'b.hpp:4: CLI/CLI.hpp is fenced'
clean_tree
echo '#include <CLI/CLI.hpp>' >> "$tree/apps/main.cpp"
expect structure/include_order.sh 'main.cpp:4: CLI/CLI.hpp is fenced'
clean_tree
echo '#  include <nlohmann/json.hpp>' >> "$tree/apps/main.cpp"
expect structure/include_order.sh 'main.cpp:4: nlohmann/json.hpp is fenced'
clean_tree
mkdir "$tree/lib/gttf/new" && echo "$head" > "$tree/lib/gttf/new/c.hpp"
expect structure/include_order.sh 'unknown stage new'

clean_tree
echo 'int x;' > "$tree/apps/main.cpp"
expect structure/file_shape.sh 'main.cpp:1: needs // SPDX'
clean_tree
echo '// SPDX-License-Identifier: Apache-2.0' > "$tree/lib/gttf/core/a.hpp"
expect structure/file_shape.sh 'a.hpp:1: needs // SPDX'
clean_tree
echo 'exit' > "$tree/tests/x.sh"
expect structure/file_shape.sh 'x.sh:1: the SPDX line is missing'
clean_tree
if git init -q "$tree" 2>/dev/null; then
  echo 'a note' > "$tree/NOTE.md"
  git -C "$tree" add NOTE.md
  expect structure/file_shape.sh 'NOTE.md: does not belong to the top'
fi

clean_tree
echo 'std::ifstream in("a");' >> "$tree/apps/main.cpp"
expect structure/opened_files.sh 'main.cpp:4: open files by open_input()'
clean_tree
echo 'auto f = std::fopen("a", "r");' >> "$tree/lib/gttf/core/a.hpp"
expect structure/opened_files.sh 'a.hpp:5: open files by open_input()'
clean_tree
echo 'std::rename("a", "b");' >> "$tree/lib/gttf/core/a.hpp"
expect structure/opened_files.sh 'a.hpp:5: write files by AtomicFile'

clean_tree
echo '/// Source: [Nobody99] Eq. (2)' >> "$tree/lib/gttf/core/a.hpp"
expect structure/citations.sh 'a.hpp:5: [Nobody99] is not in docs/references.md'
clean_tree
echo 'As [ALICE-TDR-017] says.' > "$tree/docs/page.md"
expect structure/citations.sh 'page.md:1: [ALICE-TDR-017] is not in'
clean_tree
rm "$tree/docs/references.md"
expect structure/citations.sh 'references.md: missing'

clean_tree
echo '/// Source: [GTTF] eq:gone' >> "$tree/lib/gttf/core/a.hpp"
expect structure/equations.sh 'a.hpp:5: eq:gone is not in docs/theory/equations.md'
clean_tree
sed -i 's/ core |/ shell |/' "$tree/docs/theory/equations.md"
expect structure/equations.sh 'equations.md:2: not in lib/gttf/core/a.hpp: shell'
clean_tree
sed -i 's/core: is/core: was/' "$tree/docs/theory/errata.md"
expect structure/equations.sh 'errata.md:1: not in tests/core/a_test.cpp: core: was'
clean_tree
sed -i 's/labels 1/labels 2/' "$tree/docs/theory/equations.md"
expect structure/equations.sh 'equations.md: lists 1 labels of 2 equations'
clean_tree
sed -i 's/a.hpp/b.hpp/' "$tree/docs/theory/equations.md"
expect structure/equations.sh 'no such file: lib/gttf/core/b.hpp'

clean_tree
echo "$head" > "$tree/lib/gttf/fit/c.hpp"
sed -i '/fit.b/s/$/\n  gttf\/fit\/c.hpp/' "$tree/lib/CMakeLists.txt"
expect structure/public_headers.sh 'gttf/gttf.hpp does not include gttf/fit/c.hpp'
clean_tree
echo '#include "gttf/fit/c.hpp"' >> "$tree/lib/gttf/core/a.hpp"
echo "$head" > "$tree/lib/gttf/fit/c.hpp"
expect structure/public_headers.sh 'GTTF_HEADERS lacks gttf/fit/c.hpp'
clean_tree
for i in $(seq 251); do echo "void f$i();"; done >> "$tree/lib/gttf/core/a.hpp"
expect structure/public_headers.sh '252 names in public headers, more than 250'

clean_tree
echo 'A [link](gone.md#part).' > "$tree/docs/page.md"
expect structure/links.sh 'page.md:1: gone.md: no such file'

clean_tree
echo 'It tells how. `It tells how.`' > "$tree/docs/page.md"
expect structure/words.sh 'page.md:1: "tells": write: prints'
clean_tree
echo 'const char* message = "give it by --from";' >> "$tree/apps/main.cpp"
expect structure/words.sh 'main.cpp:4: "give it by --from": write: give ... with --'
clean_tree
echo 'int x = 1;  // one track per lane' >> "$tree/lib/gttf/core/a.hpp"
expect structure/words.sh 'a.hpp:5: "lane": write: element of a vector; track'

# The pages of a site, where there is Python.
site_says() {
  output=$(python3 "$root/tests/docs/check_site.py" "$work/site" 2>&1) &&
    [ "$1" != '10 pages, 0 faults' ] && { echo "check_site.py did not see: $1"; status=1; }
  printf '%s\n' "$output" | grep -qF -- "$1" || {
    printf 'check_site.py did not say: %s\nbut:\n%s\n' "$1" "$output"
    status=1
  }
}
if command -v python3 > /dev/null; then
  mkdir "$work/site"
  for i in 0 1 2 3 4 5 6 7 8 9; do
    echo '<h1 id="top">A</h1><a href="1.html#top">b</a><code>```</code>' \
      > "$work/site/$i.html"
  done
  site_says '10 pages, 0 faults'
  echo '<a href="gone.html">b</a>' > "$work/site/0.html"
  site_says '0.html:1: no such file: gone.html'
  echo '<a href="1.html#gone">b</a>' > "$work/site/0.html"
  site_says '0.html:1: no such heading: 1.html#gone'
  echo '<p>```sh run</p>' > "$work/site/0.html"
  site_says '0.html:1: Markdown left over: ```sh run'
fi

# The runner of the pages, with `echo` instead of the program.
page() {
  clean_tree
  cat > "$tree/README.md"
}
page << 'END'
```yaml file=a/b.yaml
x: 1
```
```sh run
cat a/b.yaml; build/release/gttf-design one two three; gttf-design 4
```
```text
x: 1
one ... three
...
```
```sh run exit=3
exit 3
```
```sh run needs=no-such-program
no-such-program
```
```text
nothing is compared
```
```cpp from=lib/gttf/core/a.hpp
    int core();  // see [GTTF] Eq. (1)
```
END
sh "$root/tests/docs/run.sh" "$tree" /bin/echo > "$work/log" 2>&1 ||
  { cat "$work/log"; echo 'the runner fails on a good page'; status=1; }
printf '```sh run\nfalse\n```\n' | page
expect docs/run.sh 'README.md:1: ended with status 1, not 0' /bin/echo
printf '```sh run exit=2\ntrue\n```\n' | page
expect docs/run.sh 'README.md:1: ended with status 0, not 2' /bin/echo
printf '```sh run\necho one; echo two\n```\n```text\none\n```\n' | page
expect docs/run.sh 'README.md:4: prints something else' /bin/echo
printf '```sh run\necho one two\n```\n```text\none ... three\n```\n' | page
expect docs/run.sh '  expected: one ... three' /bin/echo
printf '```sh run needs=sh\nfalse\n```\n' | page
expect docs/run.sh 'README.md:1: ended with status 1, not 0' /bin/echo
printf '```sh run\necho new > a.svg\n```\n' | page
mkdir "$tree/docs/images" && echo old > "$tree/docs/images/a.svg"
expect docs/run.sh 'README.md: docs/images/a.svg is not what its commands draw' /bin/echo
printf '```sh\ntrue\n```\n' | page
expect docs/run.sh 'README.md:1: a block of sh needs a mark' /bin/echo
printf '```cpp from=lib/gttf/core/a.hpp\nint gone();\n```\n' | page
expect docs/run.sh 'README.md:1: differs from lib/gttf/core/a.hpp' /bin/echo
printf '```sh run\ntrue\n' | page
expect docs/run.sh 'README.md:1: this block does not end' /bin/echo

# The stable interface: the tree has one option, one column and one name less.
if command -v python3 > /dev/null; then
  whole=$work/interface
  mkdir -p "$whole/apps/python/gttf" "$whole/tests/structure" "$whole/lib"
  cp -r "$root/docs" "$whole/"
  cp "$root/tests/structure/public_headers.sh" "$root/tests/structure/interface.txt" \
    "$whole/tests/structure/"
  cp -r "$root/lib/gttf" "$root/lib/CMakeLists.txt" "$whole/lib/"
  cp "$root/apps/python/gttf/__init__.pyi" "$whole/apps/python/gttf/"
  interface() { python3 "$root/tests/structure/interface.py" "$whole"; }
  interface > /dev/null || { echo 'interface fails in a tree without faults'; status=1; }
  # renamed NAME FILE PATTERN: with an x before PATTERN the check misses NAME
  renamed() {
    cp "$whole/$2" "$work/kept"
    sed "s/$3/x&/" "$work/kept" > "$whole/$2"
    interface > "$work/said" 2>&1
    grep -qxF "interface: no longer there: $1" "$work/said" || {
      echo "interface did not see: $1"
      status=1
    }
    cp "$work/kept" "$whole/$2"
  }
  renamed 'option scan --pt' docs/reference/verbs.md '^  --pt VALUES'
  renamed 'exit 3' docs/reference/exit-codes.md '^| 3 |'
  renamed 'column scan n_triplets' docs/reference/columns.md 'n_triplets` |'
  renamed 'key detector#layer.repeat' docs/reference/schema/detector.json 'repeat":'
  renamed 'c++ StateAtLayer' lib/gttf/resolution/resolution.hpp 'StateAtLayer {'
  renamed 'python resolve' apps/python/gttf/__init__.pyi 'resolve('
fi

exit $status
