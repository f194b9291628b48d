/** Draining as a decision: laws that hold for any pods at any moment. */
import fc from 'fast-check';
import { drainStep } from '../../../src/controllers/node-claim/termination/drain.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { observedPod } from '../../support/builders/observed-pod.js';

const NOW = Date.UTC(2026, 0, 1);

const anyPod = fc
  .record({
    number: fc.nat(1000),
    grace: fc.constantFrom(0, 10, 30, 600),
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
    kind: fc.constantFrom('ReplicaSet', 'DaemonSet'),
    mirror: fc.boolean(),
    priorityClassName: fc.constantFrom(undefined, 'low', 'system-cluster-critical', 'system-node-critical'),
    endsIn: fc.option(fc.integer({ min: -120, max: 120 }), { nil: undefined }),
    isRefusing: fc.boolean(),
  })
  .map(({ number, grace, phase, kind, mirror, priorityClassName, endsIn, isRefusing }) =>
    observedPod({
      name: `pod-${String(number)}`,
      uid: String(number),
      phase,
      mirror,
      priorityClassName,
      owner: { kind, name: 'owner' },
      terminationGracePeriodSeconds: grace,
      terminating: endsIn !== undefined,
      deletionTimestamp: endsIn === undefined ? undefined : NOW + endsIn * 1000,
      annotations: isRefusing ? { 'karpenter.sh/do-not-disrupt': 'true' } : {},
    }),
  );
const somePods = fc.uniqueArray(anyPod, { maxLength: 8, selector: ({ uid }) => uid });
const someDeadline = fc.option(
  fc.integer({ min: -10, max: 700 }).map((seconds) => NOW + seconds * 1000),
  { nil: undefined },
);

function isCritical({ priorityClassName }: ObservedPod): boolean {
  return priorityClassName?.startsWith('system-') === true;
}

describe('drainStep', () => {
  test('never asks for mirror pods, finished pods and pods on their way out to be evicted', () => {
    fc.assert(
      fc.property(somePods, someDeadline, (pods, deadline) => {
        for (const pod of drainStep({ pods, now: NOW, deadline }).evict) {
          expect(pod.mirror || pod.terminating).toBe(false);
          expect(['Succeeded', 'Failed']).not.toContain(pod.phase);
        }
      }),
    );
  });

  test('evicts pods of DaemonSets only when no others of their tier are waited for', () => {
    fc.assert(
      fc.property(somePods, (pods) => {
        const { evict } = drainStep({ pods, now: NOW, deadline: undefined });
        for (const critical of [false, true]) {
          const tier = pods.filter((pod) => isCritical(pod) === critical);
          const others = tier.filter(({ owner }) => owner?.kind !== 'DaemonSet');
          const { waiting } = drainStep({ pods: others, now: NOW, deadline: undefined });
          const daemons = evict.filter((pod) => tier.includes(pod) && pod.owner?.kind === 'DaemonSet');
          expect(daemons.length > 0 && waiting > 0).toBe(false);
        }
      }),
    );
  });

  test('evicts critical pods only when nothing else is waited for', () => {
    fc.assert(
      fc.property(somePods, (pods) => {
        const { evict } = drainStep({ pods, now: NOW, deadline: undefined });
        const others = pods.filter((pod) => !isCritical(pod));
        const { waiting } = drainStep({ pods: others, now: NOW, deadline: undefined });
        expect(evict.some(isCritical) && waiting > 0).toBe(false);
      }),
    );
  });

  test('deletes no pod without a hard stop, and with one all pods in time', () => {
    fc.assert(
      fc.property(somePods, someDeadline, (pods, deadline) => {
        const { remove, evict, refusing } = drainStep({ pods, now: NOW, deadline });
        expect(deadline === undefined ? remove : []).toEqual([]);
        for (const { pod, gracePeriodSeconds } of remove) {
          const latest = Math.max(deadline ?? NOW, NOW + 1000);
          expect(NOW + gracePeriodSeconds * 1000).toBeLessThanOrEqual(latest);
          expect([...evict, ...refusing]).not.toContain(pod);
        }
      }),
    );
  });

  test('asks for nothing when it waits for no pod, and is called again only later', () => {
    fc.assert(
      fc.property(somePods, someDeadline, (pods, deadline) => {
        const { waiting, evict, remove, nextAt = Infinity } = drainStep({ pods, now: NOW, deadline });
        expect(evict.length + remove.length).toBeLessThanOrEqual(waiting);
        expect(nextAt).toBeGreaterThan(NOW);
      }),
    );
  });

  test('a pod that would outlive the hard stop gets a shorter grace period', () => {
    const slow = observedPod({
      terminating: true,
      deletionTimestamp: NOW + 600_000,
      terminationGracePeriodSeconds: 600,
    });
    const { remove } = drainStep({ pods: [slow], now: NOW, deadline: NOW + 30_000 });
    expect(remove).toEqual([{ pod: slow, gracePeriodSeconds: 30 }]);
  });
});
