#!/bin/sh
# Runs the cluster tests against each Kubernetes minor in turn, or against the one that KUBERNETES names. Arguments go to
# jest; each minor's --outputFile=NAME.json is NAME.<minor>.json. Exit code 3: something that the tests need is missing, and
# one line says what.
set -eu
cd "$(dirname "$0")/../.."

# suites MINOR ARGUMENTS...
suites() {
  minor=$1
  shift
  for argument in "$@"; do
    shift
    case $argument in
    --outputFile=*.json) argument=${argument%.json}.$minor.json ;;
    esac
    set -- "$@" "$argument"
  done
  KUBERNETES=$minor node --experimental-vm-modules --disable-warning=ExperimentalWarning \
    node_modules/jest/bin/jest.js --config test/controlplane/jest.config.js "$@"
}

whole=yes
for argument in "$@"; do
  case $argument in
  -*) ;;
  *) whole= ;;
  esac
done

minors=${KUBERNETES:-1.36 1.34}
newest=${minors%% *}
for minor in $minors; do
  test/controlplane/server/build.sh "$minor" >/dev/null
done

if [ -z "$whole" ]; then
  for minor in $minors; do suites "$minor" "$@"; done
  exit
fi

# One test waits five minutes for kube-scheduler's flush: it runs beside all others, once.
flushed=$(mktemp)
trap 'rm -f "$flushed"' EXIT
suites "$newest" suite/extender-flush >"$flushed" 2>&1 &
flush=$!
status=0
for minor in $minors; do
  # Fidelity is about Berth more than about Kubernetes: once is enough.
  ignored=extender-flush
  [ "$minor" = 1.34 ] && [ "$newest" != 1.34 ] && ignored='extender-flush|fidelity'
  suites "$minor" "--testPathIgnorePatterns=$ignored" "$@" || status=1
done
wait "$flush" || status=1
cat "$flushed"
exit "$status"
