#!/bin/sh
# Runs the cluster tests against each Kubernetes minor in turn, or against the one that KUBERNETES names. Arguments go to
# jest; --outputFile=NAME.json is NAME.<minor>.json, or one such file for each part of a minor's suites. Exit code 3: something that the tests need is missing, and
# one line says what.
set -eu
cd "$(dirname "$0")/../.."

# suites MINOR PART ARGUMENTS...
suites() {
  minor=$1
  part=$2
  shift 2
  for argument in "$@"; do
    shift
    case $argument in
    --outputFile=*.json) argument=${argument%.json}.$minor$part.json ;;
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

# Go collects its garbage when the heap has grown by so many percent. With 100, its default, a control plane takes a quarter more
# processor time. Set here, since benches measure Go programs as they are shipped.
export GOGC="${GOGC:-400}"

minors=${KUBERNETES:-1.36 1.34}
newest=${minors%% *}
for minor in $minors; do
  test/controlplane/server/build.sh "$minor" >/dev/null
done

# What runs is what the source says; built here, since suites that run beside each other share it.
node esbuild.config.js

if [ -z "$whole" ]; then
  for each in $minors; do suites "$each" '' "$@"; done
  exit
fi

# Suites wait more than they work, so several parts run beside each other, each one file at a time: both halves of the newest
# minor's, the other minors', and, once, the test that waits five minutes for kube-scheduler's flush, and mishaps, in which
# Berth is away most of the time. Bursts measure how soon pods land, so they go first, beside nothing but that test. What is
# about Berth more than about Kubernetes runs once: suite/fidelity, suite/documents, a node's life, handing over from Karpenter and
# back, examples, the chart's installation and upgrade, rights, several replicas and schedulers, and the commands that look after
# one; so does what is about this suite or our simulated API server. KUBERNETES=1.34 runs all of it there. Scenarios start five
# clusters at a time, so they are left to a run of their own (make scenarios).
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
jobs=
# beside NAME MINOR PART ARGUMENTS...: what it says comes when all have ended
beside() {
  name=$1
  shift
  suites "$@" >"$scratch/$name" 2>&1 &
  jobs="$jobs $name:$!"
}
status=0
apart='extender-flush|suite/fidelity|suite/scenarios'
once='suite/(documents|life|adopt|observe|examples|doctor-and-uninstall|rights|simulated-kubectl)'
once="$once|suite/(chart/(install|upgrade)|control-plane/(interrupted|workloads)|extender/(second-scheduler|two-replicas))"
beside flush "$newest" -flush suite/extender/extender-flush "$@"
suites "$newest" -fidelity 'suite/fidelity/(bursts|pressure)' "$@" || status=1
beside mishaps "$newest" -mishaps suite/fidelity/mishaps "$@"
beside half "$newest" -half --shard=2/2 "--testPathIgnorePatterns=$apart" "$@"
for each in $minors; do
  [ "$each" = "$newest" ] || beside "$each" "$each" '' "--testPathIgnorePatterns=$apart|$once" "$@"
done
suites "$newest" '' --shard=1/2 "--testPathIgnorePatterns=$apart" "$@" || status=1
for job in $jobs; do
  wait "${job#*:}" || status=1
  cat "$scratch/${job%%:*}"
done
exit "$status"
