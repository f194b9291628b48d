#!/bin/sh
# Builds the control plane of one Kubernetes minor (./build.sh 1.36) unless it was built before, and prints the path
# of the binary (scripts/go-program.sh). A first build downloads about 90 MB of modules, takes some ten minutes of processor
# time and 2.3 GiB of memory.
set -eu
cd "$(dirname "$0")"
. ../../../scripts/go-program.sh
minor=$1
needs_go 'The cluster tests need' '1.24 or newer'
[ -f "$minor/go.mod" ] || missing "a Kubernetes minor that $(pwd) has a folder for, not '$minor'."

release=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$minor/go.mod")
toolchain=$(cd "$minor" && go_toolchain)
key=$( { echo "$toolchain"; cat build.sh ./*.go "$minor/go.mod" "$minor/go.sum"; } | git hash-object --stdin)
open_cache controlplane "$PWD/../../.."

compile() (
  cp ./*.go "$minor/go.mod" "$minor/go.sum" "$1"
  cd "$1"
  version=k8s.io/component-base/version
  # The compiler collects its garbage less often than it would by itself: a tenth faster.
  GOGC=400 CGO_ENABLED=0 nice -n 10 go build -mod=readonly -trimpath -buildvcs=false -ldflags "-s -w \
    -X $version.gitVersion=$release -X $version.gitMajor=1 -X $version.gitMinor=${minor#*.} \
    -X $version.gitTreeState=clean" -o program .
)
build_once "$release-$key" "the control plane of Kubernetes $release (once; some ten minutes of processor time)" compile
