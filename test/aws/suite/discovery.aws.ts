import { isDeepStrictEqual } from 'node:util';
import { AwsDiscovery } from '../../../src/clouds/aws/adapter/discovery/aws-discovery.js';
import type { Resolution } from '../../../src/clouds/aws/adapter/discovery/resolution.js';
import { LiveCatalogue } from '../../../src/clouds/aws/adapter/index.js';
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { ec2NodeClass } from '../../support/builders/ec2-node-class.js';
import { berthOn, type BerthOnAws } from '../berth-on.js';
import { REGION, startMoto, ZONES, type MotoAccount } from '../moto-account.js';
import { answeredCalls, report } from '../report.js';

let moto: MotoAccount;
let berth: BerthOnAws;

beforeAll(async () => {
  moto = await startMoto();
  berth = berthOn(moto.url);
});

afterAll(async () => {
  report('moto: discovery', await answeredCalls(berth.metrics));
  await moto.close();
});

function resolve(spec: Readonly<Record<string, unknown>>): Promise<Resolution> {
  const { clients } = berth;
  const kubernetesVersion = () => Promise.resolve('1.36');
  const clusterUID = () => 'uid';
  return new AwsDiscovery({ clients, clock: systemClock, kubernetesVersion, clusterUID }).resolve(
    ec2NodeClass(spec),
  );
}

const AL2023 = 'amazon-eks-node-al2023';
const namesOf = ({ images }: Resolution): readonly string[] => images.map(({ name }) => name).sort();

describe('subnets and security groups that moto has', () => {
  it('are found by tag, with their zones and free addresses', async () => {
    const { subnets, securityGroups, problems } = await resolve({});
    expect(new Map(subnets.map(({ zone, id }) => [zone, id]))).toEqual(moto.subnets);
    expect(subnets.map(({ freeAddresses }) => freeAddresses)).toEqual([4091, 4091, 4091]);
    expect(subnets.every(({ zoneID }) => /^euw3-az\d$/.test(zoneID ?? ''))).toBe(true);
    expect(securityGroups).toMatchObject([{ id: moto.securityGroupID, name: 'berth-demo-node' }]);
    expect(problems).toEqual([]);
  });

  it('are found by the key of a tag alone, and by wildcards', async () => {
    const key = await resolve({ subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': '*' } }] });
    const start = await resolve({ subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'berth-*' } }] });
    expect(key.subnets).toHaveLength(3);
    expect(start.subnets).toEqual(key.subnets);
  });

  it('are found by id, and security groups by name', async () => {
    const id = moto.subnets.get(ZONES[1]);
    const { subnets, securityGroups } = await resolve({
      subnetSelectorTerms: [{ id }],
      securityGroupSelectorTerms: [{ name: 'berth-demo-*' }],
    });
    expect(subnets.map(({ zone }) => zone)).toEqual([ZONES[1]]);
    expect(securityGroups.map((group) => group.id)).toEqual([moto.securityGroupID]);
  });

  it('are missed by name where none matches', async () => {
    const elsewhere = [{ tags: { 'karpenter.sh/discovery': 'elsewhere' } }];
    const { problems } = await resolve({
      subnetSelectorTerms: elsewhere,
      securityGroupSelectorTerms: elsewhere,
    });
    expect(problems).toEqual([
      expect.stringMatching(/^spec\.subnetSelectorTerms\[0\] .*elsewhere.*no subnet in eu-west-3 matches/),
      expect.stringMatching(
        /^spec\.securityGroupSelectorTerms\[0\] .*no security group in eu-west-3 matches/,
      ),
    ]);
  });
});

describe('images that moto has', () => {
  it('are found by an alias, one for each architecture and variant, through SSM', async () => {
    const { images, problems } = await resolve({ amiSelectorTerms: [{ alias: 'al2023@latest' }] });
    expect(images.map(({ arch, variants }) => `${arch} ${String(variants)}`).sort()).toEqual([
      'amd64 nvidia',
      'amd64 standard',
      'arm64 nvidia',
      'arm64 standard',
    ]);
    expect(problems).toEqual([]);
  });

  it('are found by an alias of one release', async () => {
    const pinned = await resolve({ amiSelectorTerms: [{ alias: 'al2023@v20260115' }] });
    const latest = await resolve({ amiSelectorTerms: [{ alias: 'al2023@latest' }] });
    expect(pinned.images).toEqual(latest.images);
  });

  it('are found by the parameter that holds their id', async () => {
    const ssmParameter =
      '/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/arm64/standard/recommended/image_id';
    const found = await resolve({ amiFamily: 'AL2023', amiSelectorTerms: [{ ssmParameter }] });
    expect(namesOf(found)).toEqual([`${AL2023}-arm64-standard-1.36-v20260115`]);
  });

  it('are found by tags, the newest of each architecture', async () => {
    const found = await resolve({
      amiFamily: 'AL2023',
      amiSelectorTerms: [{ tags: { 'example.berth.sh/image': 'golden', environment: 'production' } }],
    });
    expect(namesOf(found)).toEqual(['golden-arm64-2026-02-01', 'golden-x86_64-2026-02-01']);
  });

  it('are found by name, by wildcard and by id', async () => {
    const byName = await resolve({
      amiFamily: 'AL2023',
      amiSelectorTerms: [{ name: 'golden-x86_64-2026-01-01' }],
    });
    const byStart = await resolve({ amiFamily: 'AL2023', amiSelectorTerms: [{ name: 'golden-x86_64-*' }] });
    const byID = await resolve({
      amiFamily: 'AL2023',
      amiSelectorTerms: byName.images.map(({ id }) => ({ id })),
    });
    expect(namesOf(byName)).toEqual(['golden-x86_64-2026-01-01']);
    expect(namesOf(byStart)).toEqual(['golden-x86_64-2026-02-01']);
    expect(byID.images).toEqual(byName.images);
  });

  it('are found only where their owner is the one asked for', async () => {
    const ours = await resolve({
      amiFamily: 'AL2023',
      amiSelectorTerms: [{ name: `${AL2023}-arm64-standard-*`, owner: 'self' }],
    });
    const theirs = await resolve({
      amiFamily: 'AL2023',
      amiSelectorTerms: [{ name: `${AL2023}-arm64-standard-*`, owner: 'amazon' }],
    });
    expect(ours.images).toEqual([]);
    expect(namesOf(theirs)).toEqual([`${AL2023}-arm64-standard-1.36-v20260115`]);
  });

  it('are missed by the alias where nothing is published', async () => {
    const { problems } = await resolve({ amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] });
    expect(problems).toEqual([expect.stringContaining('spec.amiSelectorTerms[0].alias bottlerocket@latest')]);
  });
});

/** What does not change from one year to the next: AWS corrects what it says of networks and clocks. */
function lasting(facts: object): object {
  return { ...facts, networkMbps: 0, clockMHz: 0 };
}

describe('what moto sells', () => {
  it('is read as the embedded catalogue has it, in the zones in which moto offers it', async () => {
    const { clients, logger, metrics, lines } = berth;
    const live = new LiveCatalogue({ clients, clock: systemClock, logger, metrics, isolatedVPC: true });
    await live.refresh();
    const current = live.current();
    const embedded = new Map(catalogueFor(REGION).entries.map(({ facts }) => [facts.name, facts]));
    const others = current.entries
      .map(({ facts }) => [facts, embedded.get(facts.name)] as const)
      .filter(([now, known]) => known !== undefined && !isDeepStrictEqual(lasting(now), lasting(known)));
    const sold = current.entries.find(({ facts }) => facts.name === 'm5.large');
    expect(others).toEqual([]);
    expect(current.entries.filter(({ facts }) => embedded.has(facts.name)).length).toBeGreaterThan(300);
    expect([...new Set(sold?.offerings.map(({ zone }) => zone))].sort()).toEqual(ZONES);
    // Moto has no prices worth the name: all on spot cost the same, and there is no price list.
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('keeps its prices where there is no price list', async () => {
    const { clients, logger, metrics, lines } = berthOn(moto.url);
    const live = new LiveCatalogue({ clients, clock: systemClock, logger, metrics });
    await live.refresh();
    const price = (catalogue: ReturnType<typeof catalogueFor>): number | undefined =>
      catalogue.entries
        .find(({ facts }) => facts.name === 'm5.large')
        ?.offerings.find(({ capacityType }) => capacityType === 'on-demand')?.price;
    expect(price(live.current())).toBe(price(catalogueFor(REGION)));
    expect(lines).toMatchObject([
      {
        level: 'warn',
        message: 'Failed to refresh the instance type catalogue; keeping the last data',
        fields: { part: 'onDemand' },
      },
    ]);
  });
});

describe('the cluster that moto’s EKS has', () => {
  it('tells the nodes where to go', async () => {
    const cloud = berth.cloud();
    const resolved = await cloud.resolveNodeClass(
      ec2NodeClass({ instanceProfile: 'nodes', role: undefined }),
    );
    expect(resolved).toMatchObject({ zones: ZONES, securityGroupIDs: [moto.securityGroupID], problems: [] });
    expect([...(resolved.subnetIDs ?? [])].sort()).toEqual([...moto.subnets.values()].sort());
    expect(resolved.imageIDs).toHaveLength(4);
  });

  it('is missed by name', async () => {
    const { problems } = await berth.cloud('elsewhere').resolveNodeClass(ec2NodeClass());
    expect(problems).toContainEqual(expect.stringMatching(/eks:DescribeCluster for elsewhere/));
  });
});
