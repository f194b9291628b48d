#!/bin/sh
# Builds Karpenter with its KWOK provider, and KWOK's controller, from the Go module proxy, unless they were built before.
# Prints four lines: the path of Karpenter, of its module, of KWOK and of its module.
# A first build takes about five minutes of processor time.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
karpenter=${KARPENTER_VERSION:-v1.15.0}
kwok=${KWOK_VERSION:-v0.8.0}

. "$here/../../scripts/go-program.sh"
needs_go 'The live bench needs' '1.26 or newer'
open_cache live "$here/../.."

# module PATH VERSION: downloads a module, whatever version of Go it asks for, and prints its folder
module() {
  folder=$(go env GOMODCACHE)/$1@$2
  [ -d "$folder" ] || GOTOOLCHAIN=auto GOFLAGS=-mod=mod go mod download "$1@$2" >&2
  echo "$folder"
}

# compile MODULE PACKAGE FILE WORK: a package of a module, with FILE beside it unless it is ''
compile() {
  cp -r "$1/." "$4/module" && chmod -R u+w "$4/module"
  # The patch release of Go that a module asks for may be newer than the one that is installed, and it compiles with this one.
  version=$(go env GOVERSION)
  sed -i "s/^go 1\.[0-9.]*$/go ${version#go}/; /^toolchain /d" "$4/module/go.mod"
  [ -z "$3" ] || cp "$3" "$4/module/$2"
  (cd "$4/module" && CGO_ENABLED=0 GOFLAGS=-buildvcs=false nice -n 5 go build -mod=mod -trimpath -ldflags '-s -w' -o "$4/program" "$2")
}

karpenter_module=$(module sigs.k8s.io/karpenter "$karpenter")
kwok_module=$(module sigs.k8s.io/kwok "$kwok")
once='(once; some minutes)'
karpenter_binary=$(build_once "karpenter-$karpenter" "Karpenter $karpenter $once" compile "$karpenter_module" ./kwok "$here/nominations.go")
kwok_binary=$(build_once "kwok-$kwok" "KWOK $kwok $once" compile "$kwok_module" ./cmd/kwok '')
printf '%s\n' "$karpenter_binary" "$karpenter_module" "$kwok_binary" "$kwok_module"
