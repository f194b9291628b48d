#!/bin/sh
# Lints and renders charts/berth with helm, from each file of charts/berth/ci, and compares manifests/ with what the chart renders.
# Arguments go to jest. Exit code 3: there is no Go to build helm with, and one line says so.
set -eu
cd "$(dirname "$0")/../.."
scripts/helm/build.sh >/dev/null
exec node --experimental-vm-modules --disable-warning=ExperimentalWarning \
  node_modules/jest/bin/jest.js --config test/chart/jest.config.js "$@"
