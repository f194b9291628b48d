#!/bin/sh
# Builds the control plane of one Kubernetes minor (./build.sh 1.36) unless it was built before, and prints the path
# of the binary. A first build downloads about 90 MB of modules, takes some ten minutes of processor time and
# 2.3 GiB of memory; later calls answer from the cache, which is outside the checkout and so survives a clean clone.
# Exit code 3: something that building needs is missing, and one line says what.
set -eu
cd "$(dirname "$0")"
minor=$1

missing() {
  echo "The cluster tests need $1" >&2
  exit 3
}
command -v go >/dev/null || missing 'Go 1.24 or newer (https://go.dev/dl): no command "go" on the PATH.'
[ -f "$minor/go.mod" ] || missing "a Kubernetes minor that $(pwd) has a folder for, not '$minor'."

release=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$minor/go.mod")
# Asked inside the module, since go.mod may call for another toolchain than the one that is installed.
toolchain=$(cd "$minor" && go env GOVERSION GOOS GOARCH)
key=$( { echo "$toolchain"; cat build.sh ./*.go "$minor/go.mod" "$minor/go.sum"; } | git hash-object --stdin)
cache=${BERTH_CACHE:-${XDG_CACHE_HOME:-${HOME:-$PWD/../../../node_modules}/.cache}/berth}/controlplane
mkdir -p "$cache" 2>/dev/null || { cache=$PWD/../../../node_modules/.cache/berth/controlplane && mkdir -p "$cache"; }
binary=$cache/$release-$key

if [ ! -x "$binary" ]; then
  # Linking takes 2.3 GiB: one build at a time, whoever asks.
  exec 9>"$cache/lock"
  if command -v flock >/dev/null; then flock 9; fi
fi
if [ ! -x "$binary" ]; then
  echo "building the control plane of Kubernetes $release (once; some ten minutes of processor time)" >&2
  work=$(mktemp -d "$cache/build.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  cp ./*.go "$minor/go.mod" "$minor/go.sum" "$work"
  version=k8s.io/component-base/version
  # The compiler collects its garbage less often than it would by itself: a tenth faster.
  (cd "$work" && GOGC=400 CGO_ENABLED=0 nice -n 10 go build -mod=readonly -trimpath -buildvcs=false -ldflags "-s -w \
    -X $version.gitVersion=$release -X $version.gitMajor=1 -X $version.gitMinor=${minor#*.} \
    -X $version.gitTreeState=clean" -o controlplane .) >&2
  mv "$work/controlplane" "$binary"
fi

# What was not asked for in a month goes.
touch -c "$binary"
find "$cache" -maxdepth 1 \( -name 'v1.*' -o -name 'build.*' \) -mtime +30 -exec rm -rf {} +
echo "$binary"
