/** The image that is built without a container runtime. */
import { createHash } from 'node:crypto';
import { imageOn, readArchive, writeArchive } from '../../../scripts/image/oci-image.js';

type Files = Map<string, Buffer>;

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

function put(files: Files, content: unknown): { readonly digest: string; readonly size: number } {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const hash = createHash('sha256').update(bytes).digest('hex');
  files.set(`blobs/sha256/${hash}`, bytes);
  return { digest: `sha256:${hash}`, size: bytes.length };
}

/** A base image with one layer for each architecture. */
async function baseImage(architectures: readonly string[]): Promise<Files> {
  const files: Files = new Map([['oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')]]);
  const layer = await writeArchive(new Map([['nodejs/bin/node', Buffer.from('ELF')]]));
  const manifests = architectures.map((architecture) => {
    const at = put(files, layer);
    const config = {
      architecture,
      os: 'linux',
      config: { Env: ['PATH=/bin'], User: '0' },
      rootfs: { type: 'layers', diff_ids: [at.digest] },
      history: [],
    };
    const manifest = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...put(files, config) },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...at }],
    };
    return { mediaType: MANIFEST, ...put(files, manifest), platform: { architecture, os: 'linux' } };
  });
  files.set('index.json', Buffer.from(JSON.stringify({ schemaVersion: 2, manifests })));
  return files;
}

const PROGRAM = new Map([
  ['chunks/a.js', Buffer.from('export {};')],
  ['berth.js', Buffer.from('console.log(1);')],
]);

interface Image {
  readonly config: {
    readonly config: {
      readonly User: string;
      readonly Entrypoint: readonly string[];
      readonly Env: readonly string[];
    };
    readonly rootfs: { readonly diff_ids: readonly string[] };
  };
  readonly layers: readonly Buffer[];
}

/** What a runtime would find, each blob under its own digest. */
async function opened(archive: Buffer): Promise<readonly Image[]> {
  const files = await readArchive(archive);
  const bytes = (digest: string): Buffer => {
    const found = files.get(`blobs/${digest.replace(':', '/')}`) ?? Buffer.alloc(0);
    expect(`sha256:${createHash('sha256').update(found).digest('hex')}`).toBe(digest);
    return found;
  };
  const blob = (digest: string): unknown => JSON.parse(bytes(digest).toString());
  interface Index {
    readonly manifests: readonly [{ readonly digest: string }];
  }
  const top = JSON.parse(files.get('index.json')?.toString() ?? '') as Index;
  return (blob(top.manifests[0].digest) as Index).manifests.map(({ digest }) => {
    const { config, layers } = blob(digest) as {
      readonly config: { readonly digest: string };
      readonly layers: readonly { readonly digest: string }[];
    };
    return {
      config: blob(config.digest) as Image['config'],
      layers: layers.map((layer) => bytes(layer.digest)),
    };
  });
}

test('has the program on every platform of its base, as a user who is nobody', async () => {
  const { archive, platforms } = await imageOn(
    await writeArchive(await baseImage(['amd64', 'arm64'])),
    PROGRAM,
  );
  expect(platforms).toEqual(['linux/amd64', 'linux/arm64']);
  const images = await opened(archive);
  expect(images).toHaveLength(2);
  for (const { config, layers } of images) {
    expect(config.config).toMatchObject({
      User: '65532:65532',
      Entrypoint: ['/nodejs/bin/node', '--max-semi-space-size=16', '/app/berth.js'],
      Env: ['PATH=/bin', 'NODE_ENV=production'],
    });
    expect(config.rootfs.diff_ids).toEqual(
      layers.map((layer) => `sha256:${createHash('sha256').update(layer).digest('hex')}`),
    );
    const files = await readArchive(layers.at(-1) ?? Buffer.alloc(0));
    expect([...files.keys()]).toEqual(['app/berth.js', 'app/chunks/a.js']);
  }
});

test('has the same digest each time, in whatever order its files are found', async () => {
  const base = await writeArchive(await baseImage(['amd64']));
  const first = await imageOn(base, PROGRAM);
  const second = await imageOn(base, new Map([...PROGRAM].reverse()));
  expect(second.digest).toBe(first.digest);
  expect(second.archive.equals(first.archive)).toBe(true);
});

test('has another digest when one byte of the program is another', async () => {
  const base = await writeArchive(await baseImage(['amd64']));
  const first = await imageOn(base, PROGRAM);
  const other = await imageOn(base, new Map([...PROGRAM, ['berth.js', Buffer.from('console.log(2);')]]));
  expect(other.digest).not.toBe(first.digest);
});

test('is not built on a base that is damaged, or is no image', async () => {
  const base = await baseImage(['amd64']);
  const [name = ''] = [...base.keys()].filter((key) => key.startsWith('blobs/'));
  await expect(
    imageOn(await writeArchive(new Map([...base, [name, Buffer.from('x')]])), PROGRAM),
  ).rejects.toThrow('is damaged');
  base.delete('index.json');
  await expect(imageOn(await writeArchive(base), PROGRAM)).rejects.toThrow('is no OCI archive');
});
