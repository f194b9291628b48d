#!/bin/sh
# Bundles the differential fuzz and runs it: SEEDS=300 FIRST_SEED=1 SHRINK=3 test/fuzz/run.sh
set -eu
cd "$(dirname "$0")/../.."
node test/fuzz/build.js
exec node --enable-source-maps dist/fuzz.js
