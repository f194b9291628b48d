#!/bin/sh
# Builds Karpenter with its KWOK provider, and KWOK's controller, from the Go module proxy, unless they were built before.
# Prints four lines: the path of Karpenter, of its module, of KWOK and of its module.
# A first build takes about five minutes of processor time.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
karpenter=${KARPENTER_VERSION:-v1.15.0}
kwok=${KWOK_VERSION:-v0.8.0}

command -v go >/dev/null || { echo 'The live bench needs Go 1.26 or newer (https://go.dev/dl): no command "go" on the PATH.' >&2 && exit 3; }
cache=${BERTH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/berth}/live
mkdir -p "$cache"

# module PATH VERSION: downloads a module, whatever version of Go it asks for, and prints its folder
module() {
  folder=$(go env GOMODCACHE)/$1@$2
  [ -d "$folder" ] || GOTOOLCHAIN=auto GOFLAGS=-mod=mod go mod download "$1@$2" >&2
  echo "$folder"
}

# build BINARY MODULE PACKAGE [FILE]: builds a package of a module, with FILE beside it
build() {
  [ -x "$1" ] && return
  echo "building $(basename "$1") (once; some minutes)" >&2
  work=$(mktemp -d "$cache/build.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  cp -r "$2/." "$work" && chmod -R u+w "$work"
  # The patch release of Go that a module asks for may be newer than the one that is installed, and it compiles with this one.
  version=$(go env GOVERSION)
  sed -i "s/^go 1\.[0-9.]*$/go ${version#go}/; /^toolchain /d" "$work/go.mod"
  [ -z "${4:-}" ] || cp "$4" "$work/$3"
  (cd "$work" && CGO_ENABLED=0 GOFLAGS=-buildvcs=false nice -n 5 go build -mod=mod -trimpath -ldflags '-s -w' -o "$1" "$3") >&2
  rm -rf "$work"
}

karpenter_module=$(module sigs.k8s.io/karpenter "$karpenter")
kwok_module=$(module sigs.k8s.io/kwok "$kwok")
build "$cache/karpenter-$karpenter" "$karpenter_module" ./kwok "$here/nominations.go"
build "$cache/kwok-$kwok" "$kwok_module" ./cmd/kwok
printf '%s\n' "$cache/karpenter-$karpenter" "$karpenter_module" "$cache/kwok-$kwok" "$kwok_module"
