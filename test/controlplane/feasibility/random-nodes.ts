/** Random nodes and their CSINodes. */
import type { Manifest } from '../fixture/api/api-client.js';
import type { Chance } from './chance.js';
import {
  DISK,
  DISKS,
  EBS,
  EBS_ZONE,
  GENERATION,
  GPU,
  HOSTNAME,
  OLD_ZONE,
  RACK,
  RACKS,
  REGION,
  REGIONS,
  ZONE,
  ZONES,
} from './vocabulary.js';

const FEATURES = ['RestartAllContainersOnContainerExits', 'UserNamespacesHostNetworkSupport'];

export function nodeName(index: number): string {
  return `node-${String(index).padStart(2, '0')}`;
}

/** `count` nodes; most have all the labels and much room, some lack what others have. */
export function randomNodes(chance: Chance, count: number): readonly Manifest[] {
  return Array.from({ length: count }, (_, index) => randomNode(chance, index));
}

function randomNode(chance: Chance, index: number): Manifest {
  const allocatable = randomRoom(chance);
  return {
    metadata: { name: nodeName(index), labels: randomLabels(chance, index) },
    spec: {
      ...(chance.often(0.06) && { unschedulable: true }),
      ...(chance.often(0.25) && { taints: randomTaints(chance) }),
    },
    status: {
      capacity: allocatable,
      allocatable,
      ...(chance.often(0.9) && {
        declaredFeatures: [...chance.some(FEATURES, chance.number(0, 2))].sort(),
      }),
    },
  };
}

function randomLabels(chance: Chance, index: number): Readonly<Record<string, string>> {
  return {
    ...(chance.often(0.95) && { [HOSTNAME]: nodeName(chance.often(0.95) ? index : 0) }),
    ...(chance.often(0.9) && randomPlace(chance)),
    ...(chance.often(0.8) && { [RACK]: chance.one(RACKS) }),
    ...(chance.often(0.7) && { [DISK]: chance.one(DISKS) }),
    ...(chance.often(0.85) && { [GENERATION]: chance.one(['3', '4', '5', '6', '7', '10', 'beta', '']) }),
  };
}

function randomPlace(chance: Chance): Readonly<Record<string, string>> {
  const zone = chance.one(ZONES);
  return {
    [ZONE]: zone,
    [EBS_ZONE]: zone,
    ...(chance.often(0.5) && { [OLD_ZONE]: zone }),
    ...(chance.often(0.9) && { [REGION]: REGIONS[chance.often(0.9) ? 0 : 1] }),
  };
}

function randomTaints(chance: Chance): readonly object[] {
  const taints = [
    { key: 'dedicated', value: chance.one(['gpu', 'db']), effect: 'NoSchedule' },
    { key: 'maintenance', effect: 'NoExecute' },
    { key: 'dedicated', value: 'batch', effect: 'NoExecute' },
    { key: 'flaky', value: 'yes', effect: 'PreferNoSchedule' },
  ];
  return chance.some(taints, chance.often(0.7) ? 1 : 2);
}

function randomRoom(chance: Chance): Readonly<Record<string, string>> {
  return {
    cpu: chance.one(['2', '4', '8', '8', '16', '3500m']),
    memory: chance.one(['4Gi', '8Gi', '16Gi', '16Gi', '32Gi', '7000000k']),
    pods: chance.one(['2', '4', '110', '110', '110', '110', '110', '110']),
    ...(chance.often(0.85) && { 'ephemeral-storage': chance.one(['10Gi', '20Gi', '100G']) }),
    ...(chance.often(0.75) && { [GPU]: chance.one(['1', '2', '4']) }),
    ...(chance.often(0.75) && { 'hugepages-2Mi': chance.one(['128Mi', '512Mi']) }),
  };
}

/** What the nodes' drivers report; a node without one, or a driver without a count, has no limit. */
export function randomCSINodes(chance: Chance, count: number): readonly Manifest[] {
  return Array.from({ length: count }, (_, index) => index)
    .filter(() => chance.often(0.85))
    .map((index) => ({
      metadata: {
        name: nodeName(index),
        annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/aws-ebs' },
      },
      spec: {
        drivers: [
          {
            name: EBS,
            nodeID: nodeName(index),
            topologyKeys: [EBS_ZONE],
            ...(chance.often(0.9) && { allocatable: { count: chance.one([1, 2, 3, 4, 26]) } }),
          },
          {
            name: 'other.csi.example.com',
            nodeID: nodeName(index),
            topologyKeys: null,
            allocatable: { count: 1 },
          },
        ],
      },
    }));
}
