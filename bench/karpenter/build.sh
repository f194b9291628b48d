#!/bin/sh
# Builds the Karpenter driver unless it was built before, and prints the path of the binary. A first build downloads the
# modules and takes some minutes; later calls answer from the cache, which is outside the checkout and so survives a
# clean clone. Exit code 3: something that building needs is missing, and one line says what.
set -eu
cd "$(dirname "$0")"

missing() {
  echo "Karpenter's part of the benchmark needs $1" >&2
  exit 3
}
command -v go >/dev/null || missing 'Go (https://go.dev/dl): no command "go" on the PATH.'
# Asked inside the module, since go.mod may call for another toolchain than the one that is installed.
toolchain=$(go env GOVERSION GOOS GOARCH 2>/dev/null) || missing "Go $(awk '$1 == "go" { print $2 }' go.mod), which the installed one cannot become."

release=$(awk '$1 == "sigs.k8s.io/karpenter" { print $2; exit }' go.mod)
key=$( { echo "$toolchain"; cat build.sh ./*.go go.mod go.sum; } | cksum | tr ' ' '-')
cache=${BERTH_CACHE:-${XDG_CACHE_HOME:-${HOME:-$PWD/../../node_modules}/.cache}/berth}/bench
mkdir -p "$cache" 2>/dev/null || { cache=$PWD/../../node_modules/.cache/berth/bench && mkdir -p "$cache"; }
binary=$cache/$release-$key

if [ ! -x "$binary" ]; then
  # One build at a time, whoever asks.
  exec 9>"$cache/lock"
  if command -v flock >/dev/null; then flock 9; fi
fi
if [ ! -x "$binary" ]; then
  echo "building Karpenter $release's scheduler (once; some minutes)" >&2
  work=$(mktemp -d "$cache/build.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  cp ./*.go go.mod go.sum "$work"
  (cd "$work" && CGO_ENABLED=0 nice -n 10 go build -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' -o driver .) >&2
  mv "$work/driver" "$binary"
fi

# What was not asked for in a month goes.
touch -c "$binary"
find "$cache" -maxdepth 1 \( -name 'v1.*' -o -name 'build.*' \) -mtime +30 -exec rm -rf {} +
echo "$binary"
