# The program is JavaScript for every platform: it is built once, on the platform of the builder.
FROM --platform=$BUILDPLATFORM node:24-slim AS build
WORKDIR /berth
COPY . .
RUN npm ci --loglevel=error && npm run --silent build && node scripts/image/app-files.js /app

# No shell and no package manager. Nothing is written but below /tmp, which the Deployment mounts.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
COPY --from=build --chown=0:0 /app /app
ENV NODE_ENV=production
USER 65532:65532
WORKDIR /tmp
# MiB of young objects: with 4, which Node chooses in a container of 1 GiB, a seventh of the time is garbage collection.
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=16", "/app/berth.js"]
CMD ["--help"]
