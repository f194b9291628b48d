// Writes an image without a container runtime (`make image-oci BASE=archive.tar`). Usage: build-oci.js BASE APP OUT
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { imageOn } from './oci-image.js';

const [base, app, out] = process.argv.slice(2);
if (out === undefined || base === '') {
  process.stderr.write(
    'image-oci: BASE names no OCI archive of a base image with /nodejs/bin/node; ' +
      'for example: skopeo copy --all docker://DISTROLESS_NODE_IMAGE oci-archive:base.tar, then make image-oci BASE=base.tar\n',
  );
  process.exit(2);
}

const files = readdirSync(app, { recursive: true })
  .map(String)
  .filter((name) => statSync(`${app}/${name}`).isFile())
  .map((name) => [name, readFileSync(`${app}/${name}`)]);
const { archive, digest, platforms } = await imageOn(readFileSync(base), new Map(files));
writeFileSync(out, archive);
process.stderr.write(`${out}: ${platforms.join(', ')}, ${(archive.length / 2 ** 20).toFixed(1)} MiB\n`);
process.stdout.write(`${digest}\n`);
