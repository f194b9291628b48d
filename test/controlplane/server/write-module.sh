#!/bin/sh
# Writes <minor>/go.mod and go.sum for one release of Kubernetes, for example: ./write-module.sh 1.36.3
#
# The go.mod of k8s.io/kubernetes requires its staging modules (k8s.io/api and so on) at v0.0.0 and replaces them by
# folders of its own tree. Go takes the highest version that anyone requires, so requiring each at its published
# version is enough and no replacement is needed. etcd's version is the one that the release itself was built with.
set -eu
cd "$(dirname "$0")"
release=$1
minor=${release%.*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

upstream=$(cd "$work" && go mod download -json "k8s.io/kubernetes@v$release" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
awk -v release="$release" '
  BEGIN { staging = release; sub(/^1/, "v0", staging) }
  $1 == "go" && go == "" { go = $2 }
  $1 == "go.etcd.io/etcd/client/v3" && etcd == "" { etcd = $2 }
  $1 ~ /^k8s\.io\// && $2 == "v0.0.0" { requires = requires "\t" $1 " " staging "\n" }
  END {
    printf "module berth.sh/test/controlplane\n\ngo %s\n\n", go
    printf "require (\n\tk8s.io/kubernetes v%s\n\tgo.etcd.io/etcd/server/v3 %s\n%s)\n", release, etcd, requires
  }
' "$upstream" >"$work/go.mod"

cp ./*.go "$work"
(cd "$work" && go mod tidy)
mkdir -p "$minor"
cp "$work/go.mod" "$work/go.sum" "$minor"
