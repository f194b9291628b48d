#!/bin/sh
# Runs the tests of the page in a headless Chromium: the one that CHROMIUM names, or the first of Debian's that is installed.
# Arguments go to jest. SCREENSHOTS=1 writes the pictures of docs/ anew. Exit code 3: there is no browser, and one line says so.
set -eu
cd "$(dirname "$0")/../.."

for browser in "${CHROMIUM:-}" chromium-headless-shell chromium google-chrome; do
  [ -n "$browser" ] && CHROMIUM=$(command -v "$browser") && break
  CHROMIUM=
done
if [ -z "$CHROMIUM" ]; then
  echo 'test-web: no Chromium here; apt-get install chromium-headless-shell, or name one with CHROMIUM=/path' >&2
  exit 3
fi
export CHROMIUM
exec node --experimental-vm-modules --disable-warning=ExperimentalWarning \
  node_modules/jest/bin/jest.js --config test/web/jest.config.js "$@"
