/** Every reason, as a plan gives it and as it reads: what does not hold, by how much, and the nearest change. */
import { HOSTNAME, ZONE } from '../../src/domain/values/labels.js';
import { requirement } from '../../src/domain/values/requirement.js';
import { describePoolReason, describeReason } from '../../src/planning/describe-reason.js';
import type { DeviceReason } from '../../src/planning/device-reason.js';
import type { Reason, ReasonCode } from '../../src/planning/reason.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { oneOf, podTerm, spreadOver, taint, tolerateKey } from '../support/builders/constraints.js';
import { daemonSet } from '../support/builders/daemon-set.js';
import { instanceType } from '../support/builders/instance-type.js';
import { node } from '../support/builders/node.js';
import { poolOffer } from '../support/builders/node-pool.js';
import { pod } from '../support/builders/pod.js';
import { persistentVolume, storageClass, volumeClaim } from '../support/builders/volume.js';
import { planFor, reasonFor } from './read-plan.js';

type Of<Code extends ReasonCode> = Extract<Reason, { readonly code: Code }>;

interface Case<Given extends Reason> {
  /** What makes `default/pod` unschedulable. */
  readonly input: Partial<ClusterInput>;
  readonly reason: Given;
  /** What the sentence has to say. */
  readonly says: readonly string[];
}

/**
 * A new node has no attach limit that is known, so a full one is never why a pool cannot hold a pod; gangs and devices have
 * their own tests.
 */
type Provoked = Exclude<
  ReasonCode,
  | Exclude<DeviceReason['code'], 'DynamicResources'>
  | 'VolumeLimit'
  | 'GangIncomplete'
  | 'GangUnplaceable'
  | 'GroupTooLarge'
  | 'LeftOut'
  | 'PlanRefuted'
>;

const web = { app: 'web' };
const m5 = instanceType();
const soldOut = { ...m5, offerings: m5.offerings.map((offering) => ({ ...offering, available: false })) };
const GiB = 2 ** 30;
const NO_ENCLAVES = { setting: 'spec.enclaveOptions.enabled', lacks: 'Nitro Enclaves' };
const port80 = [{ hostIP: '0.0.0.0', protocol: 'TCP', port: 80 }];
const withVolume = { pods: [pod({ volumes: ['data'] })] };
const bound = { ...withVolume, persistentVolumeClaims: [volumeClaim({ volumeName: 'pv' })] };
const FAMILY = 'karpenter.k8s.aws/instance-family';

const general: Pick<
  { readonly [Code in Provoked]: Case<Of<Code>> },
  | 'NoNodePools'
  | 'DynamicResources'
  | 'TooComplex'
  | 'NodeClassNotFound'
  | 'NodeClassNotReady'
  | 'ExcludedTypes'
  | 'StaticPool'
  | 'PoolFrozen'
  | 'UntoleratedTaint'
  | 'IncompatibleLabel'
  | 'NoOffering'
  | 'OutOfStock'
  | 'InsufficientResource'
  | 'InsufficientTogether'
  | 'LimitReached'
  | 'MinValues'
> = {
  NoNodePools: {
    input: { pods: [pod()], pools: [] },
    reason: { code: 'NoNodePools' },
    says: ['no NodePool', 'add one'],
  },
  DynamicResources: {
    input: { pods: [pod({ resourceClaims: ['gpu'] })] },
    reason: { code: 'DynamicResources' },
    says: ['resourceClaims', '--ignore-dra-requests=true', 'drop spec.resourceClaims'],
  },
  TooComplex: {
    input: {
      pods: [
        pod({
          requests: { cpu: '10k' },
          tolerations: Array.from({ length: 5000 }, (_, key) => tolerateKey(`k${String(key)}`)),
        }),
      ],
    },
    reason: { code: 'TooComplex', rules: 5000, most: 4096 },
    says: ['has 5000 rules', 'at most 4096 are supported', 'remove at least 904'],
  },
  NodeClassNotFound: {
    input: { pods: [pod()], pools: [{ ...poolOffer(), instanceTypes: undefined }] },
    reason: { code: 'NodeClassNotFound', nodeClass: 'EC2NodeClass default' },
    says: ['EC2NodeClass default does not exist', 'add it', 'nodeClassRef'],
  },
  NodeClassNotReady: {
    input: {
      pods: [pod()],
      pools: [{ ...poolOffer(), instanceTypes: undefined, nodeClassProblem: 'no subnet has the tag a=b' }],
    },
    reason: {
      code: 'NodeClassNotReady',
      nodeClass: 'EC2NodeClass default',
      problem: 'no subnet has the tag a=b',
    },
    says: ['EC2NodeClass default is not ready', 'no subnet has the tag a=b'],
  },
  ExcludedTypes: {
    input: {
      pods: [pod()],
      pools: [
        poolOffer({}, [{ ...m5, offerings: [], excluded: { ...NO_ENCLAVES, offerings: m5.offerings } }]),
      ],
    },
    reason: {
      code: 'ExcludedTypes',
      nodeClass: 'EC2NodeClass default',
      ...NO_ENCLAVES,
      types: ['m5.large'],
    },
    says: [
      'EC2NodeClass default excludes the instance types that fit (m5.large)',
      'spec.enclaveOptions.enabled needs Nitro Enclaves',
      'allow instance types with Nitro Enclaves',
    ],
  },
  StaticPool: {
    input: { pods: [pod()], pools: [poolOffer({ replicas: 2 })] },
    reason: { code: 'StaticPool' },
    says: ['static', 'raise its replicas'],
  },
  PoolFrozen: {
    input: { pods: [pod()], pools: [{ ...poolOffer(), frozen: true }] },
    reason: { code: 'PoolFrozen', nodePool: 'default' },
    says: ['frozen', 'removed from the policy ConfigMaps', 'restore the document of NodePool default'],
  },
  UntoleratedTaint: {
    input: { pods: [pod()], pools: [poolOffer({ taints: [taint('team', 'red')] })] },
    reason: { code: 'UntoleratedTaint', taint: taint('team', 'red') },
    says: ['team=red:NoSchedule', 'not tolerated', 'add a toleration for key team'],
  },
  IncompatibleLabel: {
    input: { pods: [pod({ nodeSelector: { [FAMILY]: 'p5' } })], pools: [poolOffer({}, [m5])] },
    reason: { code: 'IncompatibleLabel', key: FAMILY, wanted: 'In [p5]', offered: '[m5]' },
    says: [FAMILY, 'the pod requires In [p5]', 'the pool offers [m5]'],
  },
  NoOffering: {
    input: {
      pods: [pod({ nodeSelector: { [FAMILY]: 'g5', 'kubernetes.io/arch': 'arm64' } })],
    },
    reason: {
      code: 'NoOffering',
      wanted: `${FAMILY} In [g5], kubernetes.io/arch In [arm64]`,
      widen: [FAMILY, 'kubernetes.io/arch'],
    },
    says: [
      `${FAMILY} In [g5], kubernetes.io/arch In [arm64]`,
      'together',
      `widen ${FAMILY} or kubernetes.io/arch`,
    ],
  },
  OutOfStock: {
    input: { pods: [pod()], pools: [poolOffer({}, [soldOut])] },
    reason: { code: 'OutOfStock', types: ['m5.large'] },
    says: ['unavailable for now (m5.large)', 'wait for a retry', 'allow more types, zones or capacity types'],
  },
  InsufficientResource: {
    input: { pods: [pod({ requests: { cpu: '2' } })], pools: [poolOffer({}, [m5])] },
    reason: {
      code: 'InsufficientResource',
      resource: 'cpu',
      needed: 2000,
      largest: 1920,
      largestType: 'm5.large',
      families: ['m5'],
    },
    says: ['no type in m5 has 2 cpu', 'm5.large, has 1920m', 'request 80m less'],
  },
  InsufficientTogether: {
    input: {
      pods: [pod({ requests: { cpu: '3', memory: '12Gi' } })],
      pools: [
        poolOffer({}, [
          instanceType({ name: 'c6i.xlarge', vcpu: 4, memoryMiB: 8192 }),
          instanceType({ name: 'r6i.large', vcpu: 2, memoryMiB: 16384 }),
        ]),
      ],
    },
    reason: {
      code: 'InsufficientTogether',
      needed: '3 cpu and 12Gi memory',
      nearestType: 'r6i.large',
      short: '1080m cpu',
    },
    says: ['3 cpu and 12Gi memory', 'r6i.large', 'lacks 1080m cpu'],
  },
  LimitReached: {
    input: {
      pods: [pod()],
      nodes: [node({ nodePool: 'default', allocatable: { cpu: '0' } })],
      pools: [poolOffer({ limits: { cpu: '3', memory: '1Ti' } }, [m5])],
    },
    reason: { code: 'LimitReached', resource: 'cpu', limit: 3000, inUse: 2000, needed: 2000 },
    says: ['cpu limit 3 reached', '2 in use', 'adds 2', '1 more needed'],
  },
  MinValues: {
    input: {
      pods: [pod({ requests: { 'nvidia.com/gpu': '1' } })],
      pools: [poolOffer({ requirements: [requirement(FAMILY, 'Exists', [], 3)] })],
    },
    reason: { code: 'MinValues', key: FAMILY, wanted: 3, available: 1 },
    says: ['3 values', FAMILY, '1 hold the pod', 'lower minValues'],
  },
};

const topologyAndVolumes: { readonly [Code in Exclude<Provoked, keyof typeof general>]: Case<Of<Code>> } = {
  TopologySpread: {
    input: { pods: [pod({ labels: web, spread: [spreadOver('rack', web, { maxSkew: 2 })] })] },
    reason: { code: 'TopologySpread', key: 'rack', maxSkew: 2, unlabelled: true },
    says: ['topology spread over rack', 'do not have that label', 'label them', 'ScheduleAnyway'],
  },
  PodAffinity: {
    input: { pods: [pod({ podAffinity: { required: [podTerm(ZONE, web)] } })] },
    reason: { code: 'PodAffinity', key: ZONE, matching: [] },
    says: [`pod affinity over ${ZONE}`, 'no matching pod', 'none exists', 'add a matching pod'],
  },
  PodAntiAffinity: {
    input: {
      pods: [
        pod({ name: 'running', labels: web, nodeName: 'node' }),
        pod({ podAntiAffinity: { required: [podTerm(ZONE, web)] } }),
      ],
      nodes: [node()],
      pools: [poolOffer({ requirements: [oneOf(ZONE, 'us-east-1a')] })],
    },
    reason: { code: 'PodAntiAffinity', key: ZONE, taken: ['us-east-1a'], allow: true },
    says: [`pod anti-affinity over ${ZONE}`, '(us-east-1a)', 'allow more domains'],
  },
  HostPortConflict: {
    input: { pods: [pod({ hostPorts: port80 })], daemonSets: [daemonSet({ hostPorts: port80 })] },
    reason: { code: 'HostPortConflict', port: 80, daemonSet: 'kube-system/agent' },
    says: ['host port 80 is in use by DaemonSet kube-system/agent', 'use another port'],
  },
  VolumeClaimNotFound: {
    input: withVolume,
    reason: { code: 'VolumeClaimNotFound', claim: 'default/data' },
    says: ['PersistentVolumeClaim default/data does not exist', 'create it'],
  },
  VolumeClaimUnbound: {
    input: {
      ...withVolume,
      persistentVolumeClaims: [volumeClaim()],
      storageClasses: [storageClass({ bindingMode: 'Immediate' })],
    },
    reason: { code: 'VolumeClaimUnbound', claim: 'default/data' },
    says: ['default/data is not bound', 'WaitForFirstConsumer'],
  },
  StorageClassNotFound: {
    input: {
      ...withVolume,
      persistentVolumeClaims: [volumeClaim({ storageClassName: 'gp3' })],
      storageClasses: [],
    },
    reason: { code: 'StorageClassNotFound', claim: 'default/data', storageClass: 'gp3' },
    says: ['default/data names StorageClass gp3', 'does not exist', 'create that StorageClass'],
  },
  NoDefaultStorageClass: {
    input: {
      ...withVolume,
      persistentVolumeClaims: [volumeClaim({ storageClassName: undefined })],
      storageClasses: [storageClass({ isDefault: false })],
    },
    reason: { code: 'NoDefaultStorageClass', claim: 'default/data' },
    says: ['default/data names no StorageClass', 'is the default', 'is-default-class'],
  },
  VolumeClaimTerminating: {
    input: { ...withVolume, persistentVolumeClaims: [volumeClaim({ hold: 'Terminating' })] },
    reason: { code: 'VolumeClaimTerminating', claim: 'default/data' },
    says: ['default/data is being deleted', 'use a new one'],
  },
  VolumeNotFound: {
    input: bound,
    reason: { code: 'VolumeNotFound', claim: 'default/data', volume: 'pv' },
    says: ['default/data', 'PersistentVolume pv', 'does not exist', 'restore it'],
  },
  VolumeClaimInUse: {
    input: {
      pods: [pod({ name: 'running', nodeName: 'node', volumes: ['data'] }), ...withVolume.pods],
      nodes: [node()],
      persistentVolumeClaims: [volumeClaim({ volumeName: 'pv', readWriteOncePod: true })],
      persistentVolumes: [persistentVolume()],
    },
    reason: { code: 'VolumeClaimInUse', claim: 'default/data' },
    says: ['default/data', 'ReadWriteOncePod', 'another pod uses it', ';'],
  },
  VolumeTopology: {
    input: { ...bound, persistentVolumes: [persistentVolume({ zone: 'us-east-1f' })] },
    reason: {
      code: 'VolumeTopology',
      claim: 'default/data',
      wanted: `${ZONE} In [us-east-1f]`,
      offered: '[us-east-1a, us-east-1b, us-east-1c]',
    },
    says: [
      'volume of PersistentVolumeClaim default/data',
      `it needs ${ZONE} In [us-east-1f], the pool offers [us-east-1a, us-east-1b, us-east-1c]`,
      'use a volume where the pool launches',
    ],
  },
};

const cases: [string, Case<Reason>][] = Object.entries({ ...general, ...topologyAndVolumes });

describe('a pod that is left out', () => {
  test.each(cases)('gets the reason %s with its numbers', (_, { input, reason }) => {
    expect(reasonFor(planFor(input))).toEqual(reason);
  });
});

describe('describeReason', () => {
  test.each(cases)('says of %s what does not hold and what would help', (_, { reason, says }) => {
    const sentence = describeReason(reason);
    for (const part of says) expect(sentence).toContain(part);
  });

  test('says which attach slots are missing', () => {
    expect(describeReason({ code: 'VolumeLimit', claim: 'default/data' })).toMatch(
      /attach slot.*default\/data.*;/,
    );
  });

  test.each([
    ['memory', 12 * GiB, 7 * GiB, ['12Gi memory', '7Gi']],
    ['nvidia.com/gpu', 2, 1, ['2 nvidia.com/gpu', 'has 1']],
    [
      'example.com/fpga',
      2,
      0,
      ['no type of the pool offers example.com/fpga', 'needs 2', 'allow more types in the pool'],
    ],
    ['cpu', 500, -80, ['DaemonSets alone', 'more cpu than any type', 'm5.large, lacks 80m']],
  ])('words amounts of %s in its own unit', (resource, needed, largest, says) => {
    const reason: Reason = {
      code: 'InsufficientResource',
      resource,
      needed,
      largest,
      largestType: 'm5.large',
    };
    for (const part of says) expect(describeReason(reason)).toContain(part);
  });

  test('counts nodes plainly in a limit', () => {
    const reason: Reason = { code: 'LimitReached', resource: 'nodes', limit: 2, inUse: 2, needed: 1 };
    expect(describeReason(reason)).toBe(
      'nodes limit 2 reached (2 in use, the smallest fitting type adds 1): 1 more needed',
    );
  });

  test('says how much of a limit nodes have that are being removed', () => {
    const reason: Reason = {
      code: 'LimitReached',
      resource: 'cpu',
      limit: 16_000,
      inUse: 18_000,
      needed: 2000,
    };
    expect(describeReason({ ...reason, leaving: 8000 })).toBe(
      'cpu limit 16 reached (18 in use, 8 of them by nodes that are being removed, the smallest fitting type adds 2): 4 more needed',
    );
  });
});

describe('describePoolReason', () => {
  const affinity: Reason = { code: 'PodAffinity', key: HOSTNAME, planned: 1 };

  test('says of pods that go to another node of the plan that it cannot take this one, not that it is full', () => {
    const said = describePoolReason({ nodePool: 'general', reason: { ...affinity, matching: [] } });
    expect(said).toBe(
      'pod affinity over kubernetes.io/hostname finds no matching pod in a domain with room: they are planned on a node without room for this pod; make the affinity preferred',
    );
  });

  test('says a sentence once where two rules of the pod fail for the same reason', () => {
    const reason: Reason = { ...affinity, matching: ['node a'] };
    const said = describePoolReason({ nodePool: 'general', reason, also: [reason] });
    expect(said).toBe(
      `${describeReason(reason)}; that alone is not enough, because another rule of the pod has the same effect`,
    );
  });
});

describe('the reason of a pool', () => {
  test('is the room, not the label, where the label holds', () => {
    const plan = planFor({ pods: [pod({ nodeSelector: { [FAMILY]: 'm6i' }, requests: { cpu: '20' } })] });
    expect(reasonFor(plan)).toEqual({
      code: 'InsufficientResource',
      resource: 'cpu',
      needed: 20_000,
      largest: 15_920,
      largestType: 'm6i.4xlarge',
      families: ['m6i'],
    });
  });

  test('counts DaemonSets against the largest type', () => {
    const daemonSets = [daemonSet({ requests: { cpu: '920m' } })];
    const plan = planFor({
      pods: [pod({ requests: { cpu: '1500m' } })],
      daemonSets,
      pools: [poolOffer({}, [m5])],
    });
    expect(reasonFor(plan)).toMatchObject({ needed: 1500, largest: 1000, largestType: 'm5.large' });
  });

  test('joins the values of alternative terms', () => {
    const required = ['p4d', 'p5'].map((family) => ({
      labels: new Map([[FAMILY, oneOf(FAMILY, family)]]),
      fields: new Map(),
    }));
    const plan = planFor({ pods: [pod({ nodeAffinity: { required } })], pools: [poolOffer({}, [m5])] });
    expect(reasonFor(plan)).toEqual({
      code: 'IncompatibleLabel',
      key: FAMILY,
      wanted: 'In [p4d, p5]',
      offered: '[m5]',
    });
  });

  test('shortens a long list of what is offered', () => {
    const types = Array.from({ length: 12 }, (_, index) => instanceType({ name: `m${String(index)}.large` }));
    const plan = planFor({
      pods: [pod({ nodeSelector: { [FAMILY]: 'p5' } })],
      pools: [poolOffer({}, types)],
    });
    expect(reasonFor(plan)).toMatchObject({ offered: '[m0, m1, m10, m11, m2, m3, m4, m5, … 4 more]' });
  });

  test('is the obstacle of the pod itself when it must share a host that is full', () => {
    const pods = [
      pod({ name: 'cache', labels: web, nodeName: 'node', requests: { cpu: '1900m' } }),
      pod({ podAffinity: { required: [podTerm(HOSTNAME, web)] } }),
    ];
    expect(reasonFor(planFor({ pods, nodes: [node()] }))).toEqual({
      code: 'PodAffinity',
      key: HOSTNAME,
      matching: ['node node'],
    });
  });
});
