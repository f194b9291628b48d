/** Puts the simulated account together. */
import { AccessEntries } from './eks/access-entries.js';
import { ZonalShifts } from './eks/zonal-shifts.js';
import { EventRules } from './events/event-rules.js';
import { CapacityStock } from './model/capacity-stock.js';
import { Access } from './iam/access.js';
import type { withDefaults } from './aws-simulator-options.js';
import type { Account } from './ec2/account/account.js';
import { CapacityReservations } from './ec2/instances/capacity-reservations.js';
import { Images } from './ec2/images/images.js';
import { Instances } from './ec2/instances/instances.js';
import { PlacementGroups } from './ec2/instances/placement-groups.js';
import { LaunchTemplates } from './ec2/templates/launch-templates.js';
import { Offerings } from './ec2/offerings/offerings.js';
import { SpotMarket } from './ec2/offerings/spot-market.js';
import { Throttle } from './ec2/account/throttle.js';
import { InstanceProfiles } from './iam/instance-profiles.js';
import { Ids } from './model/ids.js';
import { Queues } from './sqs/queues.js';
import { Parameters } from './ssm/parameters.js';
import { Network, type SecurityGroup } from './ec2/network/network.js';
import { Subnet } from './ec2/network/subnet.js';
import { zonesOf } from './ec2/network/zone.js';
import { stableID } from './model/stable-hash.js';

export type ChosenOptions = ReturnType<typeof withDefaults>;

/** The role that nodes of the demonstration have, and the instance profile it is in; that of Karpenter's nodes is beside it. */
const NODE_ROLE = 'berth-node';

export interface BuiltAccount {
  readonly account: Account;
  readonly queues: Queues;
  readonly parameters: Parameters;
  readonly accessEntries: AccessEntries;
  readonly eventRules: EventRules;
  readonly zonalShifts: ZonalShifts;
}

export function buildAccount(options: ChosenOptions): BuiltAccount {
  const { clock, random, region, account: id, clusterName, catalogue } = options;
  const ids = new Ids(random);
  const offerings = new Offerings(catalogue);
  const zoneNames = [
    ...new Set(catalogue.entries.flatMap((entry) => entry.offerings.map(({ zone }) => zone))),
  ].sort();
  const parameters = new Parameters({ clock, region });
  const images = new Images({ clock, account: id, parameters });
  seedOwnImages(images, clock.now());
  const profiles = new InstanceProfiles({ clock, ids, account: id });
  profiles.addRole(NODE_ROLE);
  profiles.addProfile(NODE_ROLE, NODE_ROLE);
  profiles.addRole(`KarpenterNodeRole-${clusterName}`);
  const caller = `arn:aws:iam::${id}:role/berth`;
  const times = {
    pending: options.pendingMillis,
    shutdown: options.shutdownMillis,
    lag: options.lagMillis,
  };
  const instances = new Instances({ clock, random, ids, region, times });
  const account: Account = {
    ...{ id, region, clock, ids, images, profiles, offerings },
    access: new Access({ caller, region }),
    throttle: new Throttle({ clock, isOn: options.limits }),
    network: seedNetwork({
      region,
      account: id,
      clusterName,
      zoneNames,
      isIPv6: options.ipFamily === 'ipv6',
    }),
    instances,
    reservations: new CapacityReservations({ instances, account: id, clock }),
    placementGroups: new PlacementGroups(instances),
    templates: new LaunchTemplates({ clock, ids, caller }),
    market: new SpotMarket({ offerings, seed: random.hex(8), movement: options.spotPriceMovement }),
    stock: new CapacityStock(options.stock),
    quotas: { spotInstances: options.spotInstanceLimit, vcpu: options.vcpuLimit },
  };
  const chance = { duplicates: options.duplicates, reordering: options.reordering };
  return {
    account,
    parameters,
    queues: new Queues({ clock, random, ids, region, account: id, chance }),
    accessEntries: new AccessEntries(clusterName, { [`arn:aws:iam::${id}:role/${NODE_ROLE}`]: 'EC2_LINUX' }),
    eventRules: new EventRules({
      queueArn: `arn:aws:sqs:${region}:${id}:${options.queueName}`,
      ruleArn: (name) => `arn:aws:events:${region}:${id}:rule/${name}`,
    }),
    zonalShifts: new ZonalShifts({
      clusterArn: `arn:aws:eks:${region}:${id}:cluster/${clusterName}`,
      zoneIDs: zoneNames.flatMap((name) => account.network.zoneID(name) ?? []),
    }),
  };
}

interface NetworkOptions {
  readonly region: string;
  readonly account: string;
  readonly clusterName: string;
  readonly zoneNames: readonly string[];
  readonly isIPv6: boolean;
}

/** Addresses of each subnet: 4,091 free ones. */
const SUBNET_PREFIX = 20;
const THIRD_OCTETS_PER_SUBNET = 16;
const DAY_MILLIS = 86_400_000;

/** One private subnet per zone, tagged for discovery, and one for other things, which is not. */
function seedNetwork({ region, account, clusterName, zoneNames, isIPv6 }: NetworkOptions): Network {
  const discovery = ['karpenter.sh/discovery', clusterName] as const;
  const owned = [`kubernetes.io/cluster/${clusterName}`, 'owned'] as const;
  const subnets = zoneNames.map((zone, index) =>
    subnet(index, zone, new Map([discovery, ['Name', `${clusterName}-private-${zone}`]]), isIPv6),
  );
  const other = subnet(zoneNames.length, zoneNames[0] ?? '', new Map([['Name', 'databases']]));
  return new Network({
    region,
    account,
    vpcID: stableID('vpc', clusterName),
    zones: zonesOf(region, zoneNames),
    subnets: [...subnets, other],
    securityGroups: [
      securityGroup('default', 'default', new Map()),
      securityGroup(
        clusterName,
        `${clusterName}-node`,
        new Map([discovery, owned, ['Name', `${clusterName}-node`]]),
      ),
    ],
  });
}

/** It lets in its own members only. */
function securityGroup(seed: string, name: string, tags: ReadonlyMap<string, string>): SecurityGroup {
  const id = stableID('sg', seed);
  return { id, name, tags, ingress: [{ protocol: '-1', from: id }] };
}

function subnet(index: number, zone: string, tags: ReadonlyMap<string, string>, isIPv6 = false): Subnet {
  const cidr = `10.0.${String(index * THIRD_OCTETS_PER_SUBNET)}.0/${String(SUBNET_PREFIX)}`;
  const ipv6Cidr = isIPv6 ? `2001:db8:0:${String(index)}::/64` : undefined;
  return new Subnet({ id: stableID('subnet', `${zone} ${cidr}`), zone, cidr, ipv6Cidr, tags });
}

/** Images that the account built itself, an older and a newer one for each architecture. */
function seedOwnImages(images: Images, now: number): void {
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
