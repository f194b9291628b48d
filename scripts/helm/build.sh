#!/bin/sh
# Builds helm from the Go module proxy, unless it was built before, and prints its path (scripts/go-program.sh). The first build takes
# about three minutes of processor time. Another release: `go get -tool helm.sh/helm/v4/cmd/helm@RELEASE` in this folder.
set -eu
cd "$(dirname "$0")"
. ../go-program.sh
needs_go 'The chart needs' '1.26 or newer'

release=$(awk '$1 == "helm.sh/helm/v4" { print $2; exit }' go.mod)
toolchain=$(go_toolchain)
key=$( { echo "$toolchain"; cat build.sh go.mod go.sum; } | git hash-object --stdin)
open_cache helm "$PWD/../.."

compile() {
  GOGC=400 CGO_ENABLED=0 nice -n 5 go build -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' -o "$1/program" \
    helm.sh/helm/v4/cmd/helm
}
build_once "$release-$key" "helm $release (once; some minutes)" compile
