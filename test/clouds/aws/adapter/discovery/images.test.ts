import { AwsDiscovery } from '../../../../../src/clouds/aws/adapter/discovery/aws-discovery.js';
import { imageFor } from '../../../../../src/clouds/aws/adapter/discovery/choose-images.js';
import type { Resolution } from '../../../../../src/clouds/aws/adapter/discovery/resolution.js';
import { clientsOf } from '../../../../support/builders/aws-clients.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';
import { accountOf, type Account, type AccountImage } from './account.js';

interface Term {
  readonly alias?: string;
  readonly id?: string;
  readonly name?: string;
  readonly owner?: string;
  readonly tags?: Record<string, string>;
  readonly ssmParameter?: string;
}
type Terms = Term[];

const SUBNETS = [{ id: 'subnet-1' }];
const GROUPS = [{ id: 'sg-1' }];
const OPTIMIZED = '/aws/service/eks/optimized-ami';
const JANUARY = '2026-01-01T00:00:00.000Z';
const FEBRUARY = '2026-02-01T00:00:00.000Z';
const MARCH = '2026-03-01T00:00:00.000Z';

function found(account: Account, terms: Terms, kubernetes = '1.36'): Promise<Resolution> {
  // A clock that stands at 1 April, so that what was deprecated in March is.
  const clock = new VirtualClock({ start: Date.UTC(2026, 3, 1) });
  const clients = clientsOf(accountOf({ subnets: SUBNETS, groups: GROUPS, ...account }), { clock });
  const discovery = new AwsDiscovery({
    clients,
    clock,
    kubernetesVersion: () => Promise.resolve(kubernetes),
    clusterUID: () => 'uid',
  });
  return discovery.resolve(
    ec2NodeClass({
      subnetSelectorTerms: [{ id: 'subnet-1' }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      amiSelectorTerms: terms,
      ...(terms.some(({ alias }) => alias !== undefined) ? {} : { amiFamily: 'Custom' }),
    }),
  );
}

async function ids(account: Account, terms: Terms): Promise<readonly string[]> {
  return (await found(account, terms)).images.map(({ id }) => id);
}

function golden(id: string, rest: Partial<AccountImage> = {}): AccountImage {
  return { id, name: 'golden', owner: 'self', tags: { image: 'golden' }, created: JANUARY, ...rest };
}

test('of images for the same architecture the newest is taken, newest first', async () => {
  const images = [
    golden('ami-1'),
    golden('ami-2', { created: MARCH }),
    golden('ami-3', { created: FEBRUARY, architecture: 'arm64' }),
    golden('ami-4', { architecture: 'arm64' }),
  ];
  await expect(ids({ images }, [{ tags: { image: 'golden' } }])).resolves.toEqual(['ami-2', 'ami-3']);
});

test('among equally old images the id decides, whatever their order', async () => {
  const images = [golden('ami-1'), golden('ami-2')];
  await expect(ids({ images }, [{ name: 'gold*' }])).resolves.toEqual(['ami-1']);
  await expect(ids({ images: images.toReversed() }, [{ name: 'gold*' }])).resolves.toEqual(['ami-1']);
});

test.each([
  ['that is not ready', golden('ami-1', { state: 'pending' })],
  ['for a Mac', golden('ami-1', { architecture: 'arm64_mac' })],
  ['of 32 bits', golden('ami-1', { architecture: 'i386' })],
  ['of somebody else', golden('ami-1', { owner: '000000000000' })],
  ['that is deprecated, though our own', golden('ami-1', { deprecated: MARCH })],
])('an image %s does not count', async (_, image) => {
  const { images, problems } = await found({ images: [image] }, [{ tags: { image: 'golden' } }]);
  expect(images).toEqual([]);
  expect(problems).toEqual([expect.stringContaining('spec.amiSelectorTerms[0] (tags image=golden)')]);
});

test('an image that will be deprecated later counts', async () => {
  const images = [golden('ami-1', { deprecated: '2027-01-01T00:00:00.000Z' })];
  await expect(ids({ images }, [{ tags: { image: 'golden' } }])).resolves.toEqual(['ami-1']);
});

test('who names an image by id gets it, deprecated or foreign', async () => {
  const images = [golden('ami-1', { owner: '000000000000', deprecated: MARCH })];
  const { images: chosen } = await found({ images }, [{ id: 'ami-1' }]);
  expect(chosen).toMatchObject([{ id: 'ami-1', deprecated: true }]);
});

test('a deprecated image comes after one that is not, though it is newer', async () => {
  const images = [golden('ami-1', { created: MARCH, deprecated: MARCH }), golden('ami-2')];
  await expect(ids({ images }, [{ id: 'ami-1' }, { id: 'ami-2' }])).resolves.toEqual(['ami-2']);
});

test('an owner may be named', async () => {
  const images = [golden('ami-1', { owner: '000000000000' }), golden('ami-2', { created: MARCH })];
  await expect(ids({ images }, [{ name: 'golden', owner: '000000000000' }])).resolves.toEqual(['ami-1']);
});

test('an image may stand in an SSM parameter', async () => {
  const images = [golden('ami-1')];
  const account = { images, parameters: { '/images/golden': 'ami-1' } };
  await expect(ids(account, [{ ssmParameter: '/images/golden' }])).resolves.toEqual(['ami-1']);
});

test.each([
  [{}, 'there is no such SSM parameter in eu-west-3: create it, or correct its name'],
  [{ '/images/golden': 'golden' }, 'holds "golden", which is not the id of an image'],
])('an SSM parameter that names no image is a problem', async (parameters, text) => {
  const { problems } = await found({ parameters }, [{ ssmParameter: '/images/golden' }]);
  expect(problems).toEqual([expect.stringContaining(text)]);
  expect(problems[0]).toContain('spec.amiSelectorTerms[0].ssmParameter /images/golden');
});

const AL2023 = `${OPTIMIZED}/1.36/amazon-linux-2023`;
const FLAVOURS = {
  [`${AL2023}/x86_64/standard/recommended/image_id`]: 'ami-1',
  [`${AL2023}/x86_64/nvidia/recommended/image_id`]: 'ami-2',
  [`${AL2023}/x86_64/neuron/recommended/image_id`]: 'ami-3',
  [`${AL2023}/arm64/standard/recommended/image_id`]: 'ami-4',
  [`${AL2023}/arm64/nvidia/recommended/image_id`]: 'ami-5',
};
const FIVE: readonly AccountImage[] = [1, 2, 3, 4, 5].map((number) => ({
  id: `ami-${String(number)}`,
  architecture: number > 3 ? 'arm64' : 'x86_64',
  created: JANUARY,
}));

test.each([
  ['amd64', false, false, 'ami-1'],
  ['amd64', true, false, 'ami-2'],
  ['amd64', false, true, 'ami-3'],
  ['arm64', false, false, 'ami-4'],
  ['arm64', true, false, 'ami-5'],
  ['arm64', false, true, undefined],
])(
  'al2023@latest has images for %s, GPU %s, accelerator %s: %s',
  async (arch, hasGpu, hasAccelerator, id) => {
    const { images } = await found({ images: FIVE, parameters: FLAVOURS }, [{ alias: 'al2023@latest' }]);
    expect(imageFor(images, { arch, hasGpu, hasAccelerator })?.id).toBe(id);
  },
);

test('images that are not made for anything in particular suit any instance of their architecture', async () => {
  const { images } = await found({ images: [golden('ami-1')] }, [{ id: 'ami-1' }]);
  expect(imageFor(images, { arch: 'amd64', hasGpu: true, hasAccelerator: false })?.id).toBe('ami-1');
  expect(imageFor(images, { arch: 'arm64', hasGpu: false, hasAccelerator: false })).toBeUndefined();
});

test('flavours that AWS does not publish are left out', async () => {
  const parameters = { [`${AL2023}/x86_64/standard/recommended/image_id`]: 'ami-1' };
  const { images, problems } = await found({ images: FIVE, parameters }, [{ alias: 'al2023@latest' }]);
  expect(images.map(({ id }) => id)).toEqual(['ami-1']);
  expect(problems).toEqual([]);
});

test.each([
  [
    'al2023@v20260101',
    '1.36',
    `${AL2023}/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.36-v20260101`,
  ],
  ['al2@latest', '1.32', `${OPTIMIZED}/1.32/amazon-linux-2/recommended`],
  ['al2@v20240807', '1.30', `${OPTIMIZED}/1.30/amazon-linux-2-arm64/amazon-eks-arm64-node-1.30-v20240807`],
  ['bottlerocket@latest', '1.36', '/aws/service/bottlerocket/aws-k8s-1.36/x86_64/latest'],
  ['bottlerocket@v1.50.0', '1.36', '/aws/service/bottlerocket/aws-k8s-1.36-nvidia/arm64/1.50.0'],
  [
    'windows2022@latest',
    '1.36',
    '/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.36',
  ],
])('%s on Kubernetes %s is published at %s', async (alias, kubernetes, path) => {
  const parameters = { [`${path}/image_id`]: 'ami-1' };
  const { images, problems } = await found({ images: FIVE, parameters }, [{ alias }], kubernetes);
  expect(images.map(({ id }) => id)).toEqual(['ami-1']);
  expect(problems).toEqual([]);
});

test("AL2's accelerated image suits both kinds of accelerators, and nothing else", async () => {
  const parameters = { [`${OPTIMIZED}/1.32/amazon-linux-2-gpu/recommended/image_id`]: 'ami-1' };
  const { images } = await found({ images: FIVE, parameters }, [{ alias: 'al2@latest' }], '1.32');
  const instance = { arch: 'amd64', hasGpu: false, hasAccelerator: false };
  expect(imageFor(images, { ...instance, hasGpu: true })?.id).toBe('ami-1');
  expect(imageFor(images, { ...instance, hasAccelerator: true })?.id).toBe('ami-1');
  expect(imageFor(images, instance)).toBeUndefined();
});

test("Bottlerocket's standard image for x86_64 suits AWS' own chips, too", async () => {
  const parameters = { '/aws/service/bottlerocket/aws-k8s-1.36/x86_64/latest/image_id': 'ami-1' };
  const { images } = await found({ images: FIVE, parameters }, [{ alias: 'bottlerocket@latest' }]);
  const instance = { arch: 'amd64', hasGpu: false, hasAccelerator: false };
  expect(imageFor(images, instance)?.id).toBe('ami-1');
  expect(imageFor(images, { ...instance, hasAccelerator: true })?.id).toBe('ami-1');
  expect(imageFor(images, { ...instance, hasGpu: true })).toBeUndefined();
});

test('Amazon Linux 2 ends with Kubernetes 1.32, and the sentence names its successor', async () => {
  const { problems } = await found({}, [{ alias: 'al2@latest' }], '1.33');
  expect(problems).toEqual([
    'spec.amiSelectorTerms[0].alias al2@latest: there are no Amazon Linux 2 images for Kubernetes 1.33, the last one is 1.32: use al2023@latest, and amiFamily AL2023 where the node class names one',
  ]);
});

test('a version that AWS never published is a problem that suggests the latest', async () => {
  const { problems } = await found({}, [{ alias: 'al2023@v19990101' }]);
  expect(problems).toEqual([expect.stringMatching(/al2023@v19990101: .* or use the version latest$/)]);
});

test('more parameters than SSM answers at once are asked for in turns', async () => {
  const names = Array.from({ length: 23 }, (_, index) => `/images/${String(index)}`);
  const parameters = Object.fromEntries(names.map((name) => [name, 'ami-1']));
  const { images } = await found(
    { images: FIVE, parameters },
    names.map((ssmParameter) => ({ ssmParameter })),
  );
  expect(images.map(({ id }) => id)).toEqual(['ami-1']);
});
