#!/bin/sh
# Builds a program that the chart's tests run, from the Go module proxy: `./build.sh helm` or `./build.sh promtool`. Prints its path
# (scripts/go-program.sh). A first build takes one to three minutes of processor time. Another release: `go get -tool PACKAGE@RELEASE` in
# the program's folder.
set -eu
cd "$(dirname "$0")"
. ../go-program.sh
program=$1
needs_go 'The chart needs' '1.26 or newer'
[ -f "$program/go.mod" ] || missing "a program that $(pwd) has a folder for, not '$program'."
cd "$program"

package=$(awk '$1 == "tool" { print $2 }' go.mod)
release=$(awk -v package="$package/" '/ v/ && index(package, $1 "/") == 1 { print $2; exit }' go.mod)
toolchain=$(go_toolchain)
key=$( { echo "$toolchain"; cat ../build.sh go.mod go.sum; } | git hash-object --stdin)
open_cache "$program" "$PWD/../../.."

# The tag leaves Prometheus' clients of clouds out.
compile() {
  GOGC=400 CGO_ENABLED=0 nice -n 5 go build -mod=readonly -trimpath -buildvcs=false -tags remove_all_sd -ldflags '-s -w' \
    -o "$1/program" "$package"
}
build_once "$release-$key" "$program $release (once; some minutes)" compile
