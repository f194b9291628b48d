/** Random small clusters in which every kind of constraint that planning knows turns up. */
import fc from 'fast-check';
import type { PodAffinityTerm } from '../../../src/domain/pods/affinity.js';
import type { DaemonSet } from '../../../src/domain/pods/daemon-set.js';
import {
  ARCH,
  CAPACITY_TYPE,
  HOSTNAME,
  INSTANCE_PREFIX,
  INSTANCE_TENANCY,
  ZONE,
} from '../../../src/domain/values/labels.js';
import type { Node } from '../../../src/domain/nodes/node.js';
import type { Pod } from '../../../src/domain/pods/pod.js';
import { requirement, type Requirement } from '../../../src/domain/values/requirement.js';
import type { TopologySpreadConstraint } from '../../../src/domain/pods/topology-spread.js';
import type { ClusterInput, PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import {
  ALL_NAMESPACES,
  nodeNameTerm,
  nodeTerm,
  noneOf,
  oneOf,
  podTerm,
  requiredTerms,
  selecting,
  spreadOver,
  taint,
  tolerateKey,
} from '../../support/builders/constraints.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import { smallCatalogue, ZONES } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer, poolOfTenancies } from '../../support/builders/node-pool.js';
import { pod, type PodOverrides } from '../../support/builders/pod.js';
import { EBS_DRIVER, persistentVolume, storageClass, volumeClaim } from '../../support/builders/volume.js';

const APPS = ['a', 'b', 'c'] as const;
const NAMESPACES = ['default', 'team'] as const;
/** Some can attach few volumes, some many, and of some it is not known. */
const TYPES = smallCatalogue().map((type, index) => {
  const limit = [undefined, 1, 4][index % 3];
  return limit === undefined ? type : { ...type, volumeLimits: new Map([[EBS_DRIVER, limit]]) };
});
const FAMILY = `${INSTANCE_PREFIX}family`;

/** The kinds of constraint that pods may have; a law may leave some out. */
export const POD_FEATURES = [
  'selector',
  'affinity',
  'preference',
  'toleration',
  'spread',
  'podAffinity',
  'podAntiAffinity',
  'hostPort',
  'volume',
  'gpu',
  'features',
  'priority',
] as const;
export type PodFeature = (typeof POD_FEATURES)[number];

const app = fc.constantFrom(...APPS);
const topologyKey = fc.constantFrom(ZONE, HOSTNAME, CAPACITY_TYPE);

const nodeRequirement: fc.Arbitrary<Requirement> = fc.oneof(
  fc.subarray([...ZONES], { minLength: 1 }).map((zones) => oneOf(ZONE, ...zones)),
  fc.constantFrom('amd64', 'arm64').map((arch) => oneOf(ARCH, arch)),
  fc.constantFrom('spot', 'on-demand').map((type) => oneOf(CAPACITY_TYPE, type)),
  fc.constantFrom('c6i', 'm7g', 'r6i').map((family) => noneOf(FAMILY, family)),
  fc.constantFrom('2', '4').map((cpu) => requirement(`${INSTANCE_PREFIX}cpu`, 'Gt', [cpu])),
  fc.constantFrom('blue', 'red').map((team) => oneOf('team', team)),
  fc.constant(requirement('team', 'DoesNotExist')),
  fc.constantFrom('default', 'dedicated').map((tenancy) => oneOf(INSTANCE_TENANCY, tenancy)),
);

const nodeTerms = fc
  .array(fc.array(nodeRequirement, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 })
  .map((terms) => requiredTerms(...terms.map((term) => nodeTerm(...term))));

const podAffinityTerm: fc.Arbitrary<PodAffinityTerm> = fc
  .record({ key: topologyKey, app, scope: fc.constantFrom('own', 'both', 'all', 'selected') })
  .map(({ key, app: name, scope }) => {
    if (scope === 'all') return podTerm(key, { app: name }, ALL_NAMESPACES);
    if (scope === 'selected') return podTerm(key, { app: name }, selecting({ tier: 'front' }));
    return podTerm(key, { app: name }, scope === 'own' ? ['default'] : NAMESPACES);
  });

const spreadConstraint: fc.Arbitrary<TopologySpreadConstraint> = fc
  .record({
    key: topologyKey,
    app,
    maxSkew: fc.integer({ min: 1, max: 2 }),
    minDomains: fc.constantFrom(1, 1, 1, 2, 3),
    whenUnsatisfiable: fc.constantFrom(
      'DoNotSchedule' as const,
      'DoNotSchedule' as const,
      'ScheduleAnyway' as const,
    ),
    nodeAffinityPolicy: fc.constantFrom('Honor' as const, 'Honor' as const, 'Ignore' as const),
    nodeTaintsPolicy: fc.constantFrom('Ignore' as const, 'Ignore' as const, 'Honor' as const),
  })
  .map(({ key, app: name, ...rest }) => spreadOver(key, { app: name }, rest));

/** Each feature's part of a pod. */
const FEATURES: Readonly<Record<PodFeature, fc.Arbitrary<PodOverrides>>> = {
  selector: fc
    .constantFrom<Record<string, string>>(
      { [ARCH]: 'arm64' },
      { [ZONE]: ZONES[0] ?? '' },
      { team: 'blue' },
      { [CAPACITY_TYPE]: 'on-demand' },
      { [INSTANCE_TENANCY]: 'dedicated' },
    )
    .map((nodeSelector) => ({ nodeSelector })),
  affinity: fc
    .oneof(
      { weight: 5, arbitrary: nodeTerms },
      { weight: 1, arbitrary: fc.constant(requiredTerms(nodeNameTerm('n0'))) },
    )
    .map((nodeAffinity) => ({ nodeAffinity })),
  preference: nodeRequirement.map((item) => ({
    nodeAffinity: { preferred: [{ weight: 10, term: nodeTerm(item) }] },
  })),
  toleration: fc.constantFrom('dedicated', '').map((key) => ({ tolerations: [tolerateKey(key)] })),
  spread: fc.array(spreadConstraint, { minLength: 1, maxLength: 2 }).map((spread) => ({ spread })),
  podAffinity: fc
    .array(podAffinityTerm, { minLength: 1, maxLength: 2 })
    .map((required) => ({ podAffinity: { required } })),
  podAntiAffinity: podAffinityTerm.map((term) => ({ podAntiAffinity: { required: [term] } })),
  hostPort: fc
    .constantFrom(80, 443)
    .map((port) => ({ hostPorts: [{ hostIP: '0.0.0.0', protocol: 'TCP', port }] })),
  volume: fc
    .constantFrom('default/zonal', 'default/once', 'default/new', 'default/lost')
    .map((claim) => ({ volumes: [claim] })),
  gpu: fc.constant({ requests: { 'nvidia.com/gpu': '1' }, tolerations: [tolerateKey('nvidia.com/gpu')] }),
  features: fc.constant({ requiredFeatures: ['InPlaceResize'] }),
  priority: fc.constantFrom(-10, 1000).map((priority) => ({ priority })),
};

/** A pod template with at most three of the features. */
function arbitraryTemplate(features: readonly PodFeature[]): fc.Arbitrary<PodOverrides> {
  const parts = fc
    .subarray([...features], { maxLength: Math.min(3, features.length) })
    .chain((chosen) => fc.tuple(...chosen.map((feature) => FEATURES[feature])));
  const base = fc.record({
    cpu: fc.constantFrom('100m', '500m', '1', '1900m', '3'),
    memory: fc.constantFrom('128Mi', '1Gi', '4Gi', '12Gi'),
    app,
    namespace: fc.constantFrom('default', 'default', ...NAMESPACES),
  });
  return fc.tuple(base, parts).map(([{ cpu, memory, app: name, namespace }, chosen]) => {
    const merged = chosen.reduce<PodOverrides>(merge, {});
    return { ...merged, namespace, labels: { app: name }, requests: { cpu, memory, ...merged.requests } };
  });
}

/** Two features may both set tolerations or node affinity. */
function merge(left: PodOverrides, right: PodOverrides): PodOverrides {
  return {
    ...left,
    ...right,
    tolerations: [...(left.tolerations ?? []), ...(right.tolerations ?? [])],
    nodeAffinity: { ...left.nodeAffinity, ...right.nodeAffinity },
  };
}

/** Pods of up to five templates, each with up to four replicas: `p<template>-<index>`. */
export function arbitraryPods(features: readonly PodFeature[] = POD_FEATURES): fc.Arbitrary<readonly Pod[]> {
  const group = fc.tuple(arbitraryTemplate(features), fc.integer({ min: 1, max: 4 }));
  return fc
    .array(group, { minLength: 1, maxLength: 5 })
    .map((groups) =>
      groups.flatMap(([template, count], index) =>
        Array.from({ length: count }, (_, replica) =>
          pod({ ...template, name: `p${String(index)}-${String(replica)}` }),
        ),
      ),
    );
}

const dedicated = taint('dedicated');
const gpuTaint = taint('nvidia.com/gpu');

const offer: fc.Arbitrary<(name: string) => PoolOffer> = fc
  .record({
    weight: fc.constantFrom(0, 0, 10),
    requirements: fc.array(
      fc.oneof(
        nodeRequirement,
        fc.constant(requirement('team', 'Exists')),
        fc.constant(requirement('team', 'In', ['blue', 'red'])),
        fc.constant(requirement(FAMILY, 'Exists', [], 2)),
      ),
      { maxLength: 2 },
    ),
    taints: fc.constantFrom([], [], [dedicated], [taint('soft', '', 'PreferNoSchedule')]),
    startupTaints: fc.constantFrom([], [taint('starting')]),
    labels: fc.constantFrom<Record<string, string>>({}, {}, { tier: 'gold' }),
    limits: fc.constantFrom<Record<string, string>>({}, {}, { cpu: '8' }, { memory: '40Gi' }, { nodes: '2' }),
    replicas: fc.constantFrom(undefined, undefined, undefined, undefined, 1),
  })
  .map((overrides) => (name: string) => poolOfTenancies({ ...overrides, name }, TYPES));

const GPU_POOL = poolOffer(
  {
    name: 'gpu',
    weight: 50,
    taints: [gpuTaint],
    requirements: [requirement(`${INSTANCE_PREFIX}gpu-name`, 'Exists')],
  },
  TYPES,
);

const pools: fc.Arbitrary<readonly PoolOffer[]> = fc
  .tuple(fc.array(offer, { maxLength: 3 }), fc.boolean())
  .map(([made, gpu]) => [
    ...made.map((make, index) => make(`pool${String(index)}`)),
    ...(gpu ? [GPU_POOL] : []),
  ]);

const nodes: fc.Arbitrary<readonly Node[]> = fc
  .array(
    fc.record({
      type: fc.constantFrom(...TYPES.filter(({ name }) => /^(m6i|c7g)\.x?large$/.test(name))),
      zone: fc.constantFrom(...ZONES),
      capacityType: fc.constantFrom('spot' as const, 'on-demand' as const),
      nodePool: fc.constantFrom(undefined, 'pool0'),
      unschedulable: fc.constantFrom(false, false, false, true),
      taints: fc.constantFrom([], [], [dedicated]),
      labels: fc.constantFrom<Record<string, string>>(
        {},
        { team: 'blue' },
        { [INSTANCE_TENANCY]: 'dedicated' },
      ),
      volumeLimits: fc.constantFrom<Record<string, number>>({}, { [EBS_DRIVER]: 1 }),
      declaredFeatures: fc.constantFrom(['InPlaceResize'], []),
    }),
    { maxLength: 4 },
  )
  .map((list) =>
    list.map(({ nodePool, ...overrides }, index) =>
      node({ ...overrides, ...(nodePool === undefined ? {} : { nodePool }), name: `n${String(index)}` }),
    ),
  );

const daemonSets: fc.Arbitrary<readonly DaemonSet[]> = fc
  .array(
    fc.record({
      requests: fc.constantFrom({ cpu: '100m' }, { cpu: '500m', memory: '1Gi' }),
      nodeSelector: fc.constantFrom<Record<string, string>>(
        {},
        {},
        { [ARCH]: 'arm64' },
        { [ZONE]: ZONES[1] ?? '' },
      ),
      tolerations: fc.constantFrom([], [tolerateKey()]),
      hostPorts: fc.constantFrom([], [{ hostIP: '0.0.0.0', protocol: 'TCP', port: 443 }]),
    }),
    { maxLength: 2 },
  )
  .map((list) => list.map((overrides, index) => daemonSet({ ...overrides, name: `agent${String(index)}` })));

/** What says nothing about a pod that runs already, or would be settled by then. */
const BEFORE_BINDING: ReadonlySet<PodFeature> = new Set([
  'gpu',
  'features',
  'priority',
  'preference',
  'volume',
]);

/** Of four pods in a row the second and the third are one that moves. */
const MOVES = [undefined, 'leaves', 'comes', undefined] as const;

/** Small pods that run already: three to a node, in the order given. */
function bound(templates: readonly PodOverrides[], to: readonly Node[]): readonly Pod[] {
  return templates.flatMap((template, index) => {
    const target = to[index % Math.max(1, to.length)];
    if (target === undefined || index >= to.length * 3) return [];
    const requests = { cpu: '200m', memory: '256Mi' };
    return [
      pod({
        ...template,
        requests,
        name: `bound-${String(index)}`,
        nodeName: target.name,
        terminating: index % 5 === 4,
        move: MOVES[index % MOVES.length],
      }),
    ];
  });
}

const VOLUMES: Pick<ClusterInput, 'persistentVolumeClaims' | 'persistentVolumes' | 'storageClasses'> = {
  persistentVolumeClaims: [
    volumeClaim({ name: 'default/zonal', volumeName: 'pv-zonal' }),
    volumeClaim({ name: 'default/once', volumeName: 'pv-once', readWriteOncePod: true }),
    volumeClaim({ name: 'default/new' }),
  ],
  persistentVolumes: [
    persistentVolume({ name: 'pv-zonal', zone: ZONES[1] ?? '' }),
    persistentVolume({ name: 'pv-once' }),
  ],
  storageClasses: [storageClass()],
};

/** A cluster with pods that have only the features named. */
export function arbitraryCluster(features: readonly PodFeature[] = POD_FEATURES): fc.Arbitrary<ClusterInput> {
  return fc
    .record({
      pending: arbitraryPods(features),
      running: fc.array(arbitraryTemplate(features.filter((feature) => !BEFORE_BINDING.has(feature))), {
        maxLength: 6,
      }),
      nodes,
      daemonSets,
      pools,
    })
    .map(({ pending, running, ...rest }) =>
      clusterInput({
        ...rest,
        ...VOLUMES,
        pods: [...pending, ...bound(running, rest.nodes)],
        namespaces: new Map([['team', new Map([['tier', 'front']])]]),
      }),
    );
}
