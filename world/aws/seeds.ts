/** What the simulated account has from the start: the network, security groups and images of a cluster for demonstrations. */
import type { Images } from './ec2/images/images.js';
import { Network } from './ec2/network/network.js';
import { Subnet } from './ec2/network/subnet.js';
import { zonesOf } from './ec2/network/zone.js';
import { stableID } from './model/stable-hash.js';

export interface NetworkOptions {
  readonly region: string;
  readonly account: string;
  readonly clusterName: string;
  readonly zoneNames: readonly string[];
}

/** Addresses of each subnet: 4,091 free ones. */
const SUBNET_PREFIX = 20;
const THIRD_OCTETS_PER_SUBNET = 16;
const DAY_MILLIS = 86_400_000;

/** One private subnet per zone, tagged for discovery, and one for other things, which is not. */
export function seedNetwork({ region, account, clusterName, zoneNames }: NetworkOptions): Network {
  const discovery = ['karpenter.sh/discovery', clusterName] as const;
  const owned = [`kubernetes.io/cluster/${clusterName}`, 'owned'] as const;
  const subnets = zoneNames.map((zone, index) =>
    subnet(index, zone, new Map([discovery, ['Name', `${clusterName}-private-${zone}`]])),
  );
  const other = subnet(zoneNames.length, zoneNames[0] ?? '', new Map([['Name', 'databases']]));
  return new Network({
    region,
    account,
    vpcID: stableID('vpc', clusterName),
    zones: zonesOf(region, zoneNames),
    subnets: [...subnets, other],
    securityGroups: [
      { id: stableID('sg', 'default'), name: 'default', tags: new Map() },
      {
        id: stableID('sg', clusterName),
        name: `${clusterName}-node`,
        tags: new Map([discovery, owned, ['Name', `${clusterName}-node`]]),
      },
    ],
  });
}

function subnet(index: number, zone: string, tags: ReadonlyMap<string, string>): Subnet {
  const cidr = `10.0.${String(index * THIRD_OCTETS_PER_SUBNET)}.0/${String(SUBNET_PREFIX)}`;
  return new Subnet({ id: stableID('subnet', `${zone} ${cidr}`), zone, cidr, tags });
}

/** Images that the account built itself, an older and a newer one for each architecture. */
export function seedOwnImages(images: Images, now: number): void {
  const tags = new Map([
    ['example.berth.sh/image', 'golden'],
    ['environment', 'production'],
  ]);
  for (const days of [30, 3])
    for (const architecture of ['x86_64', 'arm64'] as const) {
      const createdAt = now - days * DAY_MILLIS;
      const day = new Date(createdAt).toISOString().slice(0, 10);
      images.publishOwn({ name: `golden-${architecture}-${day}`, architecture, tags, createdAt });
    }
}
