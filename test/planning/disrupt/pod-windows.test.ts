/** Pods that may be moved in windows only: the annotation berth.sh/disruption-windows of pods and namespaces. */
import { Cron } from 'croner';
import { fleet, NOW } from '../../support/builders/disruption-input.js';
import type { ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { going, SMALL, staying, wasteful } from '../../karpenter/behaviour/fleets.js';
import type { DisruptionInput, ManagedNode } from '../../../src/planning/disrupt/question/disruption.js';

/** It is noon. */
const CLOSED = JSON.stringify([{ schedule: '0 20 * * *', duration: '2h' }]);
const OPEN = JSON.stringify([{ schedule: '0 11 * * *', duration: '2h' }]);

function annotated(windows: string): ObservedPodOverrides {
  return { ...SMALL, annotations: { 'berth.sh/disruption-windows': windows } };
}

/** A wasteful node with a pod, in a namespace that may have windows. */
function withPod(
  pod: ObservedPodOverrides,
  ofNamespace?: string,
  managed?: Partial<ManagedNode>,
): DisruptionInput {
  const namespaceWindows = ofNamespace === undefined ? undefined : new Map([['default', ofNamespace]]);
  return fleet([wasteful('a', managed, [pod])], { namespaceWindows });
}

test('a node stays while a pod of it has no open window, or its namespace, and the refusal has the code PodOutsideWindows', () => {
  for (const input of [withPod(annotated(CLOSED)), withPod(SMALL, CLOSED)])
    expect(staying(input)).toEqual(['a Underutilized PodOutsideWindows']);
  expect(going(withPod(annotated(OPEN)))).toEqual(['Underutilized a']);
  expect(going(withPod(SMALL, OPEN))).toEqual(['Underutilized a']);
});

test('what the pod says counts before what its namespace says', () => {
  expect(going(withPod(annotated(OPEN), CLOSED))).toEqual(['Underutilized a']);
  expect(going(withPod(annotated(CLOSED), OPEN))).toEqual([]);
});

test('a node stays whose pod has windows that cannot be read', () => {
  expect(staying(withPod(annotated('at night')))).toEqual(['a Underutilized PodOutsideWindows']);
});

/** How often schedules are asked while the question is answered. */
function asked(input: DisruptionInput): number {
  const original = Object.getOwnPropertyDescriptor(Cron.prototype, 'nextRun') ?? {};
  let count = 0;
  Object.defineProperty(Cron.prototype, 'nextRun', {
    ...original,
    value(this: Cron, ...given: readonly unknown[]): unknown {
      count++;
      return Reflect.apply(original.value as () => unknown, this, given);
    },
  });
  try {
    staying(input);
  } finally {
    Object.defineProperty(Cron.prototype, 'nextRun', original);
  }
  return count;
}

test('schedules are asked once for all pods with the same windows, however many there are', () => {
  const fleetOf = (nodes: number): DisruptionInput =>
    fleet(
      Array.from({ length: nodes }, (_none, index) =>
        wasteful(`n${String(index)}`, {}, [index % 2 === 0 ? annotated(CLOSED) : annotated(OPEN)]),
      ),
    );
  // The texts are read before.
  asked(fleetOf(2));
  expect(asked(fleetOf(2))).toBeGreaterThan(0);
  expect(asked(fleetOf(12))).toBe(asked(fleetOf(2)));
});

test('pods that go already, or that do not move, ask for no window', () => {
  const daemon = { ...annotated(CLOSED), owner: { kind: 'DaemonSet', name: 'agent' } };
  expect(going(withPod({ ...annotated(CLOSED), terminating: true }))).toEqual(['Empty a']);
  expect(going(withPod(daemon))).toEqual(['Empty a']);
});

test('nodes that go whatever happens do not wait for a window', () => {
  expect(going(withPod(annotated(CLOSED), undefined, { expiresAt: NOW - 1000 }))).toEqual(['Expired a']);
});
