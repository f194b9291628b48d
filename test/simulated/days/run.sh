#!/bin/sh
# Bundles the simulated days and plays them: RUNS=20 FIRST_SEED=1 HOURS=24 WORKERS=2 test/simulated/days/run.sh
set -eu
cd "$(dirname "$0")/../../.."
node test/simulated/days/build.js
# What a day allocates is short-lived: with small young generations a fifth of its time is garbage collection.
exec node --max-semi-space-size=64 --enable-source-maps --disable-warning=NodeVersionSupportWarning dist/days.js
