#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fills a folder with Debian's libraries for AArch64, to build against and to
# run in an emulator: root.sh [FOLDER]. Nothing is installed, and no privileges
# are needed: lists and packages stay in that folder.
set -eu
cd -- "$(dirname -- "$0")/../.."
root=${1-build/aarch64-root}

# What `./start setup` installs for this processor, and the C++ library.
libraries=$(sed -n '/^libraries=/,/"$/p; /^test_libraries=/p' start |
  sed 's/^[a-z_]*=//' | tr -d '"\\' | tr '\n' ' ')
packages="libc6-dev libstdc++-12-dev $libraries"

# apt_get ARG...: for a system of AArch64 on which nothing is installed
apt_get() {
  apt-get -q -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
    -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 \
    -o Dir::Cache="$state/cache" -o Dir::State="$state" \
    -o Dir::State::status="$state/status" \
    -o APT::Keep-Downloaded-Packages=true "$@"
}

mkdir -p "$root"
root=$(cd -- "$root" && pwd)
state=$root/.apt
rm -rf "$state"
mkdir -p "$state/cache/archives/partial" "$state/lists/partial"
: > "$state/status"
apt_get update || echo 'root.sh: not all lists are new; trying anyway'
# shellcheck disable=SC2086
apt_get install --download-only --no-install-recommends $packages
for package in "$state"/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$root"
done
rm -rf "$state"
echo "root.sh: libraries for AArch64 are in $root"
