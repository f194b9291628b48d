#!/bin/sh
# Builds the synthetic API server unless it was built before, and prints the path of the binary (scripts/go-program.sh). It uses
# Go's standard library alone, so nothing is downloaded.
set -eu
cd "$(dirname "$0")"
. ../../../scripts/go-program.sh
needs_go 'The scale bench needs' '1.24 or newer'
toolchain=$(go_toolchain)
key=$( { echo "$toolchain"; cat build.sh ./*.go go.mod; } | cksum | tr ' ' '-')
open_cache bench "$PWD/../../.."

compile() {
  CGO_ENABLED=0 nice -n 10 go build -trimpath -buildvcs=false -ldflags '-s -w' -o "$1/program" .
}
build_once "api-$key" 'the synthetic API server' compile
