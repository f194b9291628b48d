#!/bin/sh
# Builds the synthetic API server unless it was built before, and prints the path of the binary. It uses Go's standard library
# alone, so nothing is downloaded. Exit code 3: something that building needs is missing, and one line says what.
set -eu
cd "$(dirname "$0")"

missing() {
  echo "The scale bench needs $1" >&2
  exit 3
}
command -v go >/dev/null || missing 'Go 1.24 or newer (https://go.dev/dl): no command "go" on the PATH.'
toolchain=$(go env GOVERSION GOOS GOARCH 2>/dev/null) || missing "Go $(awk '$1 == "go" { print $2 }' go.mod), which the installed one cannot become."

key=$( { echo "$toolchain"; cat build.sh ./*.go go.mod; } | cksum | tr ' ' '-')
cache=${BERTH_CACHE:-${XDG_CACHE_HOME:-${HOME:-$PWD/../../../node_modules}/.cache}/berth}/bench
mkdir -p "$cache" 2>/dev/null || { cache=$PWD/../../../node_modules/.cache/berth/bench && mkdir -p "$cache"; }
binary=$cache/api-$key

if [ ! -x "$binary" ]; then
  work=$(mktemp -d "$cache/build.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  CGO_ENABLED=0 nice -n 10 go build -trimpath -buildvcs=false -ldflags '-s -w' -o "$work/api" . >&2
  mv "$work/api" "$binary"
fi

# What was not asked for in a month goes.
touch -c "$binary"
find "$cache" -maxdepth 1 \( -name 'api-*' -o -name 'build.*' \) -mtime +30 -exec rm -rf {} +
echo "$binary"
