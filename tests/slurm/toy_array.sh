#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs toys as a job array on a Slurm of one node, merges the parts and compares
# them bit for bit with a single run. The job is the one of the how-to page.
# Usage: toy_array.sh ROOT PROGRAM; 77: skipped, Slurm or root is missing
set -eu
root=$(cd "${1:?folder of the project}" && pwd)
program=${2:?the program gttf-design}
node=$root/tests/slurm/one_node.sh
PATH=$PATH:/usr/sbin:/sbin
export PATH

skip() {
  echo "skipped: $1"
  exit 77
}
for tool in sbatch squeue slurmctld slurmd munged setpriv unshare; do
  command -v "$tool" > /dev/null || skip "no $tool (Debian: slurm-wlm, munge)"
done
[ "$(id -u)" = 0 ] || skip 'starting Slurm needs root'
unshare --uts true 2> /dev/null || skip 'this container may not unshare'

work=$(mktemp -d)
export SLURM_ONE_NODE_DIR="$work/slurm" SLURM_ONE_NODE_PORT=26817
chmod 755 "$work"
trap 'bash "$node" stop; rm -rf "$work"' EXIT
bash "$node" start > "$work/start.log"
export SLURM_CONF="$SLURM_ONE_NODE_DIR/slurm.conf"
cd "$work"

cat > study.yaml << END
gttf-study: 1
detectors: [$root/detectors/alice_its2.yaml]
momentum: [0.5 GeV, 5 GeV]
theta: [90 deg, 60 deg]
toys: 20000
fits: [general, scattering]
END

# The script of the page, with fewer tasks and the program from the build.
awk '/^`toys.sbatch`/ { found = 1 }
     found && /^```$/ && inside { exit }
     inside { print }
     found && /^```sh norun$/ { inside = 1 }' \
  "$root/docs/howto/toys-on-a-cluster.md" > toys.sbatch
grep -q 'gttf-design toy' toys.sbatch || { echo 'no job in the page'; exit 1; }
mkdir bin
ln -s "$program" bin/gttf-design
PATH=$work/bin:$PATH
# The best of this program, which may be for this processor only.
level=$(gttf-design version | awk '$1 == "simd:" { print $NF }')
grep -q -e '--simd avx2' toys.sbatch || { echo 'no --simd in the page'; exit 1; }
sed -i "s/--simd avx2/--simd $level/" toys.sbatch

job=$(sbatch --parsable --array=1-5 --cpus-per-task=1 --mem=0 toys.sbatch)
waited=0
while [ -n "$(squeue -h -j "$job" 2> /dev/null)" ]; do
  sleep 0.3
  waited=$((waited + 1))
  [ "$waited" -lt 400 ] || { echo 'the array does not end'; exit 1; }
done
cat slurm-*.out
gttf-design toy merge part*.json --no-provenance -o merged.json
# the job requests the vector instructions that all nodes of a cluster have
gttf-design toy study.yaml --simd "$level" --no-provenance --no-progress -o whole.json
cmp merged.json whole.json
echo "5 tasks of array $job, merged: the same as one run"
