#!/bin/sh
# Lints and renders charts/berth with helm, from each file of charts/berth/ci, compares manifests/ with what the chart renders, and tests its
# alerts with promtool.
# Arguments go to jest. Exit code 3: there is no Go to build them with, and one line says so.
set -eu
cd "$(dirname "$0")/../.."
scripts/go-tools/build.sh helm >/dev/null
scripts/go-tools/build.sh promtool >/dev/null
exec node --experimental-vm-modules --disable-warning=ExperimentalWarning \
  node_modules/jest/bin/jest.js --config test/chart/jest.config.js "$@"
