# For scripts that build a Go program once and print its path; they source it. What is built is kept in a cache outside the checkout,
# which survives a clean clone, for as long as it is asked for once a month. Exit code 3: something that building needs is
# missing, and one line names it.

# needs_go WHO [RELEASE]: ends here where there is no Go. WHO: the first words of the line, as `The scale bench needs`.
needs_go() {
  who=$1
  command -v go >/dev/null || missing "Go${2:+ $2} (https://go.dev/dl): no command \"go\" on the PATH."
}

missing() {
  echo "$who $1" >&2
  exit 3
}

# go_toolchain: as it is for the module in this folder, since go.mod may call for another one than the one that is installed.
go_toolchain() {
  go env GOVERSION GOOS GOARCH 2>/dev/null ||
    missing "Go $(awk '$1 == "go" { print $2 }' go.mod), which the installed one cannot become."
}

# open_cache FOLDER ROOT: $cache is that folder of the cache, or of ROOT's node_modules where the home cannot be written to.
open_cache() {
  cache=${BERTH_CACHE:-${XDG_CACHE_HOME:-${HOME:-$2/node_modules}/.cache}/berth}/$1
  mkdir -p "$cache" 2>/dev/null || { cache=$2/node_modules/.cache/berth/$1 && mkdir -p "$cache"; }
}

# build_once BINARY NEWS COMMAND…: unless there is the file of that name in the cache, tells NEWS and has the command put the
# program into the folder that it gets as its last argument, as `program`. One build at a time, whoever asks.
build_once() {
  binary=$cache/$1
  news=$2
  shift 2
  if [ ! -x "$binary" ]; then
    exec 9>"$cache/lock"
    if command -v flock >/dev/null; then flock 9; fi
  fi
  if [ ! -x "$binary" ]; then
    echo "building $news" >&2
    work=$(mktemp -d "$cache/build.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    "$@" "$work" >&2
    mv "$work/program" "$binary"
    rm -rf "$work"
  fi
  touch -c "$binary"
  find "$cache" -mindepth 1 -maxdepth 1 ! -name lock -mtime +30 -exec rm -rf {} +
  echo "$binary"
}
