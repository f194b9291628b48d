/** Spread that pods have without saying so, as kube-scheduler's configuration gives it. */
import { requirementsFromLabels } from '../../../src/domain/values/requirements.js';
import { HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import type { PodSpec } from '../../../src/domain/pods/pod.js';
import { readDefaultSpread } from '../../../src/apis/kubernetes/pods/default-spread.js';
import { selectorKey } from '../../../src/domain/values/label-selector.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { planInput } from '../../../src/state/planning/plan-input.js';
import { spreadOver } from '../../support/builders/constraints.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { unschedulablePod } from '../../support/builders/unschedulable-pod.js';

const OVER_ZONES = readDefaultSpread(
  '{podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}]}}',
);
const WEB = { app: 'web', tier: 'front' };

type Overrides = Parameters<typeof unschedulablePod>[0];

/** What planning takes for the pod in this cluster. */
function plannedSpec(cluster: Cluster, overrides: Overrides, spread = OVER_ZONES): PodSpec {
  const pod = unschedulablePod({ name: 'asked', uid: 'asked', labels: WEB, ...overrides });
  cluster.put('Pod', pod);
  const { pods } = planInput(
    cluster,
    { demand: [pod], pools: [], typesOf: () => [] },
    { defaultSpread: spread },
  );
  const [planned] = pods.filter(({ name }) => name === 'asked');
  if (planned === undefined) throw new Error('the pod is not planned');
  return planned.spec;
}

/** The labels that the pod's zones are counted by; undefined: they are not. */
function countedBy(cluster: Cluster, overrides: Overrides = {}): string | undefined {
  const { spread } = plannedSpec(cluster, overrides);
  expect(spread.map(({ topologyKey, whenUnsatisfiable }) => [topologyKey, whenUnsatisfiable])).toEqual(
    spread.length === 0 ? [] : [[ZONE, 'DoNotSchedule']],
  );
  return spread[0] && selectorKey(spread[0].selector);
}

function labels(pairs: Readonly<Record<string, string>>): string {
  return selectorKey({ requirements: requirementsFromLabels(new Map(Object.entries(pairs))) });
}

function withService(selector: Readonly<Record<string, string>>, namespace = 'default'): Cluster {
  const cluster = new Cluster();
  cluster.put('Service', { namespace, name: 'web', selector: new Map(Object.entries(selector)) });
  return cluster;
}

function withWorkload(
  cluster: Cluster,
  kind: 'ReplicaSet' | 'StatefulSet' | 'Job',
  selector: Readonly<Record<string, string>>,
): Cluster {
  cluster.put('Workload', {
    ...{ kind, namespace: 'default', name: 'web', wantedPods: 1, createdPods: 1 },
    selector: { requirements: requirementsFromLabels(new Map(Object.entries(selector))) },
  });
  return cluster;
}

test('a pod that Services select is spread with the pods that all of them select', () => {
  const cluster = withService({ app: 'web' });
  cluster.put('Service', { namespace: 'default', name: 'front', selector: new Map([['tier', 'front']]) });
  cluster.put('Service', { namespace: 'default', name: 'other', selector: new Map([['app', 'api']]) });
  expect(countedBy(cluster)).toBe(labels(WEB));
});

test.each(['ReplicaSet', 'StatefulSet'] as const)('a pod of a %s is spread with its pods', (kind) => {
  const cluster = withWorkload(new Cluster(), kind, { app: 'web' });
  expect(countedBy(cluster, { owner: { kind, name: 'web' } })).toBe(labels({ app: 'web' }));
});

test('where a Service and a ReplicaSet select the pod, both have to select those it is spread with', () => {
  const cluster = withWorkload(withService({ tier: 'front' }), 'ReplicaSet', { app: 'web' });
  expect(countedBy(cluster, { owner: { kind: 'ReplicaSet', name: 'web' } })).toBe(labels(WEB));
});

test.each([
  ['is of no workload and no Service', new Cluster(), {}],
  ['is selected by a Service of another namespace', withService(WEB, 'other'), {}],
  ['is beside a Service without a selector', withService({}), {}],
  ['is of a ReplicaSet that is not known', new Cluster(), { owner: { kind: 'ReplicaSet', name: 'web' } }],
])('a pod that %s is not spread', (_, cluster, overrides) => {
  expect(countedBy(cluster, overrides)).toBeUndefined();
});

test('constraints of its own are all that a pod has', () => {
  const own = spreadOver(HOSTNAME, WEB);
  expect(plannedSpec(withService(WEB), { spread: [own] }).spread).toEqual([own]);
});

test('bound pods are spread, too, since they may have to move, and without defaults no pod is another', () => {
  const cluster = withService(WEB);
  const bound = observedPod({ name: 'bound', uid: 'bound', labels: WEB, nodeName: 'a', phase: 'Running' });
  cluster.put('Pod', bound);
  const asked = { demand: [], pools: [], typesOf: () => [] };
  const [spread] = planInput(cluster, asked, { defaultSpread: OVER_ZONES }).pods;
  expect(spread?.spec.spread).toHaveLength(1);
  // The same one, so that what is compiled of it is used again.
  expect(planInput(cluster, asked, { defaultSpread: OVER_ZONES }).pods[0]).toBe(spread);
  expect(planInput(cluster, asked).pods[0]).toBe(bound);
});

test.each([
  ['[', /^expected YAML or JSON: /],
  ['{defaultConstraints: []}', 'Unrecognized key: "defaultConstraints"'],
  [
    '{podTopologySpread: {defaultConstraints: [{maxSkew: 0, topologyKey: "a b", whenUnsatisfiable: Never}]}}',
    /defaultConstraints\.0\.maxSkew: .*; .*topologyKey: expected a label key; .*whenUnsatisfiable: /,
  ],
  [
    '{podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]}}',
    /labelSelector/,
  ],
  [
    '{podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}}',
    'podTopologySpread.defaultConstraints: expected each pair of topologyKey and whenUnsatisfiable once',
  ],
])('a configuration that cannot hold is refused: %s', (text, message) => {
  expect(() => readDefaultSpread(text)).toThrow(message);
});

test('no constraints are given by an empty configuration', () => {
  expect(['', '{}', '{podTopologySpread: {}}'].map(readDefaultSpread)).toEqual([[], [], []]);
});
