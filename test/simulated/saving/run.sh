#!/bin/sh
# Bundles the comparison of observed and real savings and runs it: RUNS=10 FIRST_SEED=1 HOURS=24 WORKERS=2 test/simulated/saving/run.sh
set -eu
cd "$(dirname "$0")/../../.."
node test/simulated/days/build.js dist/saving.js test/simulated/saving/main.ts
exec node --enable-source-maps --disable-warning=NodeVersionSupportWarning dist/saving.js
