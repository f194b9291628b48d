#!/bin/sh
# Builds the container image with the builder that is there: IMAGE=berth:dev PLATFORMS=linux/amd64,linux/arm64 scripts/image/build.sh
set -eu
cd "$(dirname "$0")/../.."
image=${IMAGE:?IMAGE: name the image, for example IMAGE=berth:dev}
platforms=${PLATFORMS:+--platform=$PLATFORMS}
for builder in docker podman buildah; do
  # docker's command alone builds nothing without its daemon.
  command -v "$builder" >/dev/null && "$builder" info >/dev/null 2>&1 || continue
  exec "$builder" build $platforms --tag "$image" .
done
echo 'image: no docker, podman or buildah that works here; make image-oci builds an OCI archive without them' >&2
exit 3
