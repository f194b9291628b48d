/** Laws of stamping, over pods and documents of every shape. */
import fc from 'fast-check';
import { DEFAULT_DEMAND_TERMS } from '../../../src/domain/pods/demand.js';
import type { PodDefaults } from '../../../src/domain/policies/pod-defaults.js';
import { byPriority, stampPod, type Stamping } from '../../../src/planning/placement/stamp-pod.js';
import { labels } from '../../support/builders/pod.js';
import { podDefaults } from '../../support/builders/pod-defaults.js';
import { applyJsonPatch } from './apply-json-patch.js';

const KEYS = [
  'kubernetes.io/arch',
  'beta.kubernetes.io/arch',
  'karpenter.sh/nodepool',
  'karpenter.sh/capacity-type',
  'a~b/c',
  'app',
  'constructor',
  'pod-template-hash',
  'batch.kubernetes.io/job-name',
];
const key = fc.constantFrom(...KEYS);
const text = fc.constantFrom('a', 'b', '');
const entries = fc.dictionary(key, text, { maxKeys: 4 });
const effect = fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule');
const topologyKey = fc.constantFrom('topology.kubernetes.io/zone', 'kubernetes.io/hostname', 'rack');
const maybe = <T>(item: fc.Arbitrary<T>) => fc.option(item, { nil: undefined });
const orNull = <T>(item: fc.Arbitrary<T>) => fc.oneof(item, fc.constant(null));

const toleration = fc.record(
  { key: fc.constantFrom('a', 'b'), operator: fc.constantFrom('Exists', 'Equal', 'Gt'), value: text, effect },
  { requiredKeys: [] },
);
const term = fc.record({
  matchExpressions: fc.array(fc.record({ key, operator: fc.constant('Exists') }), { maxLength: 2 }),
});
const affinity = fc.record({
  nodeAffinity: fc.record({
    requiredDuringSchedulingIgnoredDuringExecution: fc.record({
      nodeSelectorTerms: fc.array(term, { maxLength: 2 }),
    }),
  }),
});
const pod = fc.record({
  metadata: fc.record(
    {
      labels: orNull(entries),
      annotations: orNull(
        fc.dictionary(fc.constantFrom('x', 'berth.sh/stamped'), fc.constantFrom('{"a":"b"}', 'x')),
      ),
    },
    { requiredKeys: [] },
  ),
  spec: fc.record(
    {
      containers: fc.constant([{ name: 'main' }]),
      schedulerName: fc.constantFrom('default-scheduler', 'berth-scheduler', ''),
      nodeSelector: orNull(entries),
      affinity,
      tolerations: orNull(fc.array(toleration, { maxLength: 3 })),
      topologySpreadConstraints: orNull(
        fc.array(fc.record({ topologyKey, maxSkew: fc.constant(1) }), { maxLength: 2 }),
      ),
      schedulingGates: orNull(fc.uniqueArray(fc.constantFrom({ name: 'a' }, { name: 'berth.sh/planned' }))),
    },
    { requiredKeys: ['containers'] },
  ),
});

const spreadDefault = maybe(
  fc.record({
    maxSkew: fc.constantFrom(1, 2),
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
  }),
);
const stampedToleration = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  operator: fc.constantFrom('Exists', 'Equal'),
  value: fc.constantFrom('', 'a'),
  effect: maybe(effect),
  tolerationSeconds: maybe(fc.constantFrom(1, 300)),
});
const document = fc
  .record({
    name: fc.constantFrom('one', 'two', 'three'),
    priority: fc.integer({ min: -1, max: 1 }),
    architecture: maybe(fc.constantFrom('amd64', 'arm64')),
    capacityType: maybe(fc.constantFrom('spot', 'on-demand')),
    nodePool: maybe(fc.constantFrom('p', 'q')),
    spread: fc.record({ zone: spreadDefault, host: spreadDefault }),
    nodeSelector: entries,
    tolerations: fc.array(stampedToleration, { maxLength: 3 }),
    schedulerName: maybe(fc.constantFrom('auto', 'never', 'volcano')),
    schedulingGate: maybe(fc.boolean()),
    mode: fc.constantFrom('stamp', 'stamp', 'warn'),
  })
  .map((overrides) => podDefaults(overrides as Parameters<typeof podDefaults>[0]));
const documents = fc.array(document, { maxLength: 4 });

function stamp(submitted: unknown, defaults: readonly PodDefaults[], schedulerRuns: boolean): Stamping {
  return stampPod({
    pod: submitted,
    namespace: 'shop',
    namespaceLabels: labels({}),
    podDefaults: [...defaults].sort(byPriority),
    schedulerRuns,
    isLed: true,
    ownNamespace: 'berth-system',
    demandTerms: DEFAULT_DEMAND_TERMS,
  });
}

/** Whether everything in `part` stands in `whole`, lists at their start and in order. */
function holds(whole: unknown, part: unknown): boolean {
  if (part === null || part === undefined) return true;
  if (Array.isArray(part))
    return (
      Array.isArray(whole) &&
      part.every((item, index) => JSON.stringify(item) === JSON.stringify(whole[index]))
    );
  if (typeof part !== 'object' || typeof whole !== 'object' || whole === null) return whole === part;
  return Object.entries(part).every(([name, value]) =>
    holds((whole as Readonly<Record<string, unknown>>)[name], value),
  );
}

test('applying twice changes nothing, for 10,000 pods', () => {
  let patched = 0;
  fc.assert(
    fc.property(pod, documents, fc.boolean(), (submitted, defaults, runs) => {
      const first = stamp(submitted, defaults, runs);
      if (first.patch.length > 0) patched++;
      const after = applyJsonPatch(submitted, first.patch);
      return stamp(after, defaults, runs).patch.length === 0;
    }),
    { numRuns: 10_000 },
  );
  expect(patched).toBeGreaterThan(5000);
});

test('what the pod says stays, but for the scheduler that it was given by default and the record', () => {
  fc.assert(
    fc.property(pod, documents, fc.boolean(), (submitted, defaults, runs) => {
      const after = applyJsonPatch(submitted, stamp(submitted, defaults, runs).patch);
      const { annotations, ...metadata } = submitted.metadata;
      const { schedulerName, ...spec } = submitted.spec;
      const kept = annotations?.['x'];
      expect(holds(after, { metadata, spec })).toBe(true);
      expect(after.metadata.annotations?.['x']).toBe(kept);
      const mayChange = schedulerName === undefined || ['', 'default-scheduler'].includes(schedulerName);
      expect(mayChange || after.spec.schedulerName === schedulerName).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test('the record names every change and no more', () => {
  fc.assert(
    fc.property(pod, documents, (submitted, defaults) => {
      const { patch } = stamp(submitted, defaults, true);
      const after = applyJsonPatch(submitted, patch);
      const before = JSON.parse(JSON.stringify(submitted)) as typeof submitted;
      const record = patch.length === 0 ? {} : recordOf(after.metadata.annotations);
      const fields = Object.keys(record).filter((field) => field !== 'a');
      const changes =
        sizeOf(after.spec.nodeSelector) -
        sizeOf(before.spec.nodeSelector) +
        sizeOf(after.spec.tolerations) -
        sizeOf(before.spec.tolerations) +
        sizeOf(after.spec.topologySpreadConstraints) -
        sizeOf(before.spec.topologySpreadConstraints) +
        sizeOf(after.spec.schedulingGates) -
        sizeOf(before.spec.schedulingGates) +
        Number((after.spec.schedulerName ?? '') !== (before.spec.schedulerName ?? ''));
      expect(fields).toHaveLength(changes);
    }),
    { numRuns: 3000 },
  );
});

function recordOf(annotations: Readonly<Record<string, string>> | null | undefined): object {
  return JSON.parse(annotations?.['berth.sh/stamped'] ?? '') as object;
}

function sizeOf(value: object | null | undefined): number {
  return Object.keys(value ?? {}).length;
}

test('nothing that a client can send makes it fail', () => {
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.record({ metadata: fc.jsonValue({ maxDepth: 3 }), spec: fc.jsonValue({ maxDepth: 4 }) }),
    fc.record({
      metadata: fc.record({
        labels: fc.jsonValue(),
        annotations: fc.jsonValue(),
        ownerReferences: fc.jsonValue(),
      }),
      spec: fc.record({
        nodeSelector: fc.jsonValue(),
        tolerations: fc.jsonValue(),
        affinity: fc.jsonValue(),
        topologySpreadConstraints: fc.jsonValue(),
      }),
    }),
  );
  fc.assert(
    fc.property(anything, documents, (submitted, defaults) => {
      const { patch } = stamp(submitted, defaults, true);
      const after = applyJsonPatch(submitted, patch);
      expect(stamp(after, defaults, true).patch).toEqual([]);
    }),
    { numRuns: 5000 },
  );
});
