#!/bin/sh
# Builds the Karpenter driver unless it was built before, and prints the path of the binary (scripts/go-program.sh). A first
# build downloads the modules and takes some minutes.
set -eu
cd "$(dirname "$0")"
. ../../scripts/go-program.sh
needs_go "Karpenter's part of the benchmark needs"
toolchain=$(go_toolchain)
release=$(awk '$1 == "sigs.k8s.io/karpenter" { print $2; exit }' go.mod)
key=$( { echo "$toolchain"; cat build.sh ./*.go go.mod go.sum; } | cksum | tr ' ' '-')
open_cache bench "$PWD/../.."

compile() (
  cp ./*.go go.mod go.sum "$1"
  cd "$1"
  CGO_ENABLED=0 nice -n 10 go build -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' -o program .
)
build_once "$release-$key" "Karpenter $release's scheduler (once; some minutes)" compile
