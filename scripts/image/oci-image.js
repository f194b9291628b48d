/**
 * An image without a container runtime: Berth's files as one more layer on each platform of a base image, which is given as
 * an OCI archive (OCI image format specification 1.1: image-layout, manifest, config). The layer is not compressed, so that its digest
 * depends on its files only, not on a version of zlib.
 */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { extract, pack } from 'tar-stream';
import { imageEntrypoint } from './entrypoint.js';

/** Nobody's user and group in distroless images, and in manifests/base. */
export const USER = '65532:65532';
const LAYER = 'application/vnd.oci.image.layer.v1.tar';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const FOLDER = 'app';

/**
 * The files of an archive, by path.
 *
 * @param {Buffer} archive
 * @returns {Promise<Map<string, Buffer>>}
 */
export async function readArchive(archive) {
  const files = new Map();
  const reader = extract();
  reader.end(archive);
  for await (const entry of reader)
    if (entry.header.type === 'file') files.set(entry.header.name.replace(/^\.\//, ''), await buffer(entry));
    else entry.resume();
  return files;
}

/**
 * An archive with these files and the folders above them, each root's, read-only and without a time.
 *
 * @param {ReadonlyMap<string, Buffer>} files
 * @returns {Promise<Buffer>}
 */
export async function writeArchive(files) {
  const writer = pack();
  const owner = { uid: 0, gid: 0, uname: '', gname: '', mtime: new Date(0) };
  const names = [...files.keys()].sort();
  const folders = new Set(names.flatMap(foldersAbove));
  for (const name of [...folders].sort())
    writer.entry({ ...owner, name: `${name}/`, type: 'directory', mode: 0o755 });
  for (const name of names) writer.entry({ ...owner, name, mode: 0o644 }, files.get(name));
  writer.finalize();
  return buffer(writer);
}

/** @param {string} name */
function foldersAbove(name) {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/**
 * The base image with the program on top of it, for every platform that the base has.
 *
 * @param {Buffer} base an OCI archive
 * @param {ReadonlyMap<string, Buffer>} files of the program, by path below /app
 * @returns {Promise<{ archive: Buffer, digest: string, platforms: readonly string[] }>} digest: of the image's index
 * @throws {Error} when the base is no OCI archive
 */
export async function imageOn(base, files) {
  const layout = await readArchive(base);
  const inFolder = new Map([...files].map(([name, content]) => [`${FOLDER}/${name}`, content]));
  const layer = await writeArchive(inFolder);
  const blobs = new Map();
  const json = (content) => {
    const bytes = Buffer.from(JSON.stringify(content));
    return put(blobs, bytes);
  };
  const layerAt = put(blobs, layer);
  const manifests = manifestsOf(layout).map((descriptor) => {
    const manifest = blobOf(layout, descriptor);
    const config = blobOf(layout, manifest.config);
    for (const each of manifest.layers) blobs.set(pathOf(each.digest), bytesOf(layout, each));
    const ours = {
      ...config,
      config: {
        ...config.config,
        User: USER,
        WorkingDir: '/tmp',
        Env: [...(config.config?.Env ?? []), 'NODE_ENV=production'],
        Entrypoint: imageEntrypoint(new URL('../../Dockerfile', import.meta.url)),
        Cmd: ['--help'],
      },
      rootfs: { ...config.rootfs, diff_ids: [...config.rootfs.diff_ids, layerAt.digest] },
      history: [...(config.history ?? []), { created: '1970-01-01T00:00:00Z', comment: 'Berth' }],
    };
    const at = json({
      ...manifest,
      config: { ...manifest.config, ...json(ours) },
      layers: [...manifest.layers, { mediaType: LAYER, ...layerAt }],
    });
    const platform = {
      architecture: config.architecture,
      os: config.os,
      ...(config.variant && { variant: config.variant }),
    };
    return { mediaType: descriptor.mediaType, ...at, platform };
  });
  const index = json({ schemaVersion: 2, mediaType: INDEX, manifests });
  const top = { schemaVersion: 2, manifests: [{ mediaType: INDEX, ...index }] };
  const archive = await writeArchive(
    new Map([
      ['oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')],
      ['index.json', Buffer.from(JSON.stringify(top))],
      ...blobs,
    ]),
  );
  const platforms = manifests.map(({ platform: { os, architecture } }) => `${os}/${architecture}`);
  return { archive, digest: index.digest, platforms };
}

/** Descriptors of the images in a layout; an index in it stands for what it lists, attestations left out. */
function manifestsOf(layout) {
  const top = layout.get('index.json');
  if (top === undefined || !layout.has('oci-layout'))
    throw new Error('the base image is no OCI archive: it holds no index.json');
  const listed = ({ manifests }) =>
    manifests.flatMap((each) =>
      /\bindex\b|manifest\.list/.test(each.mediaType) ? listed(blobOf(layout, each)) : [each],
    );
  return listed(JSON.parse(top.toString())).filter(({ platform }) => platform?.os !== 'unknown');
}

function blobOf(layout, descriptor) {
  return JSON.parse(bytesOf(layout, descriptor).toString());
}

function bytesOf(layout, { digest }) {
  const bytes = layout.get(pathOf(digest));
  if (bytes === undefined) throw new Error(`the base image lacks the blob ${digest}`);
  if (digestOf(bytes) !== digest) throw new Error(`the base image's blob ${digest} is damaged`);
  return bytes;
}

function put(blobs, bytes) {
  const digest = digestOf(bytes);
  blobs.set(pathOf(digest), bytes);
  return { digest, size: bytes.length };
}

function digestOf(bytes) {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function pathOf(digest) {
  return `blobs/${digest.replace(':', '/')}`;
}
