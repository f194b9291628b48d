#!/bin/sh
# Bundles the simulated days and plays them: RUNS=20 FIRST_SEED=1 HOURS=24 WORKERS=2 test/simulated/days/run.sh
set -eu
cd "$(dirname "$0")/../../.."
node test/simulated/days/build.js
# What a day allocates is short-lived: larger young generations save about a fifth of its processor time.
exec node --max-semi-space-size=64 --enable-source-maps --disable-warning=NodeVersionSupportWarning dist/days.js
