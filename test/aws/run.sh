#!/bin/sh
# Runs our AWS adapter against moto, botocore against our simulated AWS, and cfn-lint on our CloudFormation template. These are
# Python's: they are installed once, into a virtual environment outside the checkout. Arguments go to jest. PYTHON names another
# interpreter than python3. Exit code 3: there is no Python to do it with, and one line says so.
set -eu
cd "$(dirname "$0")/../.."

missing() {
  echo "test-aws: no Python 3.10 or newer with venv and pip here; apt-get install python3-venv, or name one with PYTHON=/path" >&2
  exit 3
}
python=$(command -v "${PYTHON:-python3}") || missing
"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || missing

requirements=test/aws/requirements.txt
key=$("$python" -c '
import hashlib, sys
print(hashlib.sha256(sys.version.encode() + open(sys.argv[1], "rb").read()).hexdigest()[:16])
' "$requirements")
cache=${BERTH_CACHE:-${XDG_CACHE_HOME:-${HOME:-$PWD/node_modules}/.cache}/berth}/python
mkdir -p "$cache" 2>/dev/null || { cache=$PWD/node_modules/.cache/berth/python && mkdir -p "$cache"; }
environment=$cache/$key

# Whoever comes second at the same time throws its own away: the one that is there is never half made.
if [ ! -d "$environment" ]; then
  echo 'installing moto, boto3 and cfn-lint (once; some 340 MB)' >&2
  work=$(mktemp -d "$cache/install.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  "$python" -m venv "$work/environment" || missing
  "$work/environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-input -r "$requirements" >&2
  [ -d "$environment" ] || mv "$work/environment" "$environment"
  rm -rf "$work"
  trap - EXIT HUP INT TERM
fi

rm -f reports/aws.json
BERTH_PYTHON=$environment/bin/python exec node --experimental-vm-modules --disable-warning=ExperimentalWarning \
  node_modules/jest/bin/jest.js --config test/aws/jest.config.js "$@"
