#!/bin/sh
# Runs the cluster tests against each Kubernetes minor in turn, or against the one that KUBERNETES names. Arguments go to
# jest. Exit code 3: something that the tests need is missing, and one line says what.
set -eu
cd "$(dirname "$0")/../.."

for minor in ${KUBERNETES:-1.36 1.34}; do
  test/controlplane/server/build.sh "$minor" >/dev/null
  KUBERNETES=$minor node --experimental-vm-modules --disable-warning=ExperimentalWarning \
    node_modules/jest/bin/jest.js --config test/controlplane/jest.config.js "$@"
done
