/** The few words that random clusters are made of, so that what pods ask for and what there is often meet. */
import type { Chance } from './chance.js';

export const ZONE = 'topology.kubernetes.io/zone';
export const OLD_ZONE = 'failure-domain.beta.kubernetes.io/zone';
export const EBS_ZONE = 'topology.ebs.csi.aws.com/zone';
export const REGION = 'topology.kubernetes.io/region';
export const HOSTNAME = 'kubernetes.io/hostname';
export const RACK = 'example.com/rack';
export const DISK = 'example.com/disk';
/** Mostly whole numbers. */
export const GENERATION = 'example.com/generation';
export const GPU = 'example.com/gpu';
export const EBS = 'ebs.csi.aws.com';
export const RUNTIME_CLASS = 'heavy';

export const ZONES = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'] as const;
export const REGIONS = ['eu-west-3', 'eu-west-1'] as const;
export const RACKS = ['r1', 'r2', 'r3', 'r4', 'r5'] as const;
export const DISKS = ['ssd', 'hdd', 'nvme'] as const;
/** Topology keys from coarse to fine. */
export const TOPOLOGY_KEYS = [ZONE, RACK, HOSTNAME] as const;
export const PORTS = [80, 443, 8080] as const;
export const ADDRESSES = ['10.0.0.1', '10.0.0.2', '0.0.0.0', ''] as const;
export const PROTOCOLS = ['TCP', 'UDP'] as const;

/** Namespace → its labels. */
export const NAMESPACES = {
  blue: { env: 'prod', area: 'shop' },
  green: { env: 'prod' },
  red: { env: 'test', area: 'shop' },
  grey: {},
} as const;
export const NAMESPACE_NAMES = ['blue', 'green', 'red', 'grey'] as const;

type Labels = Readonly<Record<string, string>>;

/** Labels of a pod; now and then without some of them. */
export function podLabels(chance: Chance): Labels {
  return {
    app: chance.one(['a', 'b', 'c', 'd']),
    ...(chance.often(0.8) && { version: chance.one(['v1', 'v2']) }),
    ...(chance.often(0.5) && { role: chance.one(['web', 'db']) }),
  };
}

/** A labelSelector that matches some of those pods; with `like`, that pod among them. */
export function podSelector(chance: Chance, like: Labels = podLabels(chance)): object {
  const { app = 'a', version, role } = like;
  const others = ['a', 'b', 'c', 'd'].filter((name) => name !== app);
  const matchLabels = { app };
  return chance.one([
    { matchLabels },
    { matchLabels: version === undefined ? matchLabels : { app, version } },
    { matchExpressions: [{ key: 'app', operator: 'In', values: [app, others[0]] }] },
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [others[1]] }] },
    {
      matchLabels,
      matchExpressions: [{ key: 'role', operator: role === undefined ? 'DoesNotExist' : 'Exists' }],
    },
  ]);
}

/** A namespaceSelector. */
export function namespaceSelector(chance: Chance): object {
  return chance.one([
    {},
    { matchLabels: { env: 'prod' } },
    { matchExpressions: [{ key: 'area', operator: 'DoesNotExist' }] },
    { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['blue', 'grey'] }] },
  ]);
}
