/** The conditions of NodeClaims by which they are disrupted, and the one that says what their nodes lack. */
import {
  wantedState,
  type ObservedFacts,
} from '../../../../src/controllers/disruption/conditions/claim-state.js';
import { PodEvents } from '../../../../src/controllers/disruption/conditions/pod-events.js';
import { consistencyOf } from '../../../../src/controllers/node-claim/consistency.js';
import { isTrue } from '../../../../src/domain/values/condition.js';
import { Cluster } from '../../../../src/state/cluster/cluster.js';
import { nodeClaimSpec } from '../../../support/builders/node-claim.js';
import { nodePool } from '../../../support/builders/node-pool.js';
import { observedNode } from '../../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../../support/builders/observed-pod.js';
import { amounts } from '../../../support/builders/pod.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { observedFacts } from '../conditions.js';
import type { Suite } from '../fact.js';

const BORN = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

function holds(type: string, facts: ObservedFacts): boolean {
  return isTrue(wantedState(facts).conditions, type);
}

function isConsolidatable(facts: Partial<ObservedFacts>, up?: readonly string[]): boolean {
  return holds('Consolidatable', observedFacts({}, { ...facts, ...(up && { up }) }));
}

/** The conditions of a claim, and the one of this type. */
function having(type: string, facts: Partial<ObservedFacts> = {}, up?: readonly string[]): ObservedFacts {
  const known = observedFacts({}, { ...facts, ...(up && { up }) });
  const { status } = known.claim;
  const condition = { type, status: 'True' as const, reason: type, message: '', lastTransitionTime: BORN };
  return {
    ...known,
    claim: { ...known.claim, status: { ...status, conditions: [...status.conditions, condition] } },
  };
}

/** Whether something happened on node `node` when the pod became what it is after; none is before where that is undefined. */
function isEvent(before: ObservedPodOverrides | undefined, after: ObservedPodOverrides | undefined): boolean {
  const cluster = new Cluster();
  const pod = { name: 'web', nodeName: 'node', owner: { kind: 'ReplicaSet', name: 'web' } };
  if (before !== undefined) cluster.put('Pod', observedPod({ ...pod, ...before }));
  const clock = new VirtualClock();
  const events = new PodEvents(clock);
  events.follow(cluster, () => undefined);
  if (after === undefined) cluster.delete('Pod', 'default/web');
  else cluster.put('Pod', observedPod({ ...pod, ...after }));
  return events.last('node') === clock.now();
}

const TYPE = amounts({ cpu: '16', memory: '128Gi' });
const ASKED = { spec: nodeClaimSpec({ requests: amounts({ cpu: '8', memory: '64Gi' }) }) };

export const CLAIM_CONDITIONS: Suite = {
  name: 'Conditions of NodeClaims',
  facts: [
    {
      fact: 'makes a NodeClaim Consolidatable when consolidateAfter has passed since the last pod came or went',
      run: (): void => {
        const lastPodEvent = BORN + 5 * MINUTE;
        const at = (minutes: number) => isConsolidatable({ lastPodEvent, now: BORN + minutes * MINUTE });
        expect([at(5), at(5.99), at(6)]).toEqual([false, false, true]);
      },
    },
    {
      fact: 'counts from initialization while no pod has come',
      run: (): void => {
        const at = (minutes: number) => isConsolidatable({ now: BORN + minutes * MINUTE });
        expect([at(0), at(1)]).toEqual([false, true]);
      },
    },
    {
      fact: 'removes the condition Consolidatable when a pod comes or goes',
      run: (): void => {
        const now = BORN + 10 * MINUTE;
        expect(holds('Consolidatable', having('Consolidatable', { now }))).toBe(true);
        expect(holds('Consolidatable', having('Consolidatable', { now, lastPodEvent: now }))).toBe(false);
      },
    },
    {
      fact: 'removes the condition Consolidatable when consolidateAfter becomes Never',
      run: (): void => {
        const { disruption } = nodePool();
        const pool = nodePool({ disruption: { ...disruption, consolidateAfterSeconds: undefined } });
        const now = BORN + 10 * MINUTE;
        expect(holds('Consolidatable', having('Consolidatable', { now, pool }))).toBe(false);
      },
    },
    {
      fact: 'makes a NodeClaim with consolidateAfter 0s Consolidatable as soon as it is initialized, and leaves it so',
      run: (): void => {
        const { disruption } = nodePool();
        const pool = nodePool({ disruption: { ...disruption, consolidateAfterSeconds: 0 } });
        expect(isConsolidatable({ pool }, ['Launched', 'Registered'])).toBe(false);
        expect(isConsolidatable({ pool })).toBe(true);
        expect(isConsolidatable({ pool, lastPodEvent: BORN + MINUTE, now: BORN + MINUTE })).toBe(true);
      },
    },
    {
      fact: 'removes the condition Consolidatable from a NodeClaim that is not initialized',
      run: (): void => {
        const now = BORN + 10 * MINUTE;
        const facts = having('Consolidatable', { now }, ['Launched', 'Registered']);
        expect(holds('Consolidatable', facts)).toBe(false);
      },
    },
    {
      fact: 'removes the condition Drifted when the node is again what is asked for',
      run: (): void => {
        const drift = { reason: 'AMIDrift' as const, message: '' };
        expect(holds('Drifted', having('Drifted', { drift }))).toBe(true);
        const after = wantedState(having('Drifted')).conditions;
        expect(after.map(({ type }) => type)).not.toContain('Drifted');
      },
    },
    {
      fact: 'counts as events that a pod is bound, begins to end, finishes or is gone, and not that it merely changes',
      run: (): void => {
        const bound = {};
        expect(isEvent({ nodeName: undefined }, bound)).toBe(true);
        expect(isEvent(bound, { terminating: true })).toBe(true);
        expect(isEvent(bound, { phase: 'Succeeded' })).toBe(true);
        expect(isEvent(bound, undefined)).toBe(true);
        expect(isEvent(bound, { ready: false, restarts: 3 })).toBe(false);
        expect(isEvent(undefined, { nodeName: undefined })).toBe(false);
      },
    },
    {
      fact: 'does not count pods of DaemonSets as events',
      run: (): void => {
        const owner = { kind: 'DaemonSet', name: 'agent' };
        expect(isEvent({ nodeName: undefined, owner }, { owner })).toBe(false);
      },
    },
    {
      fact: 'finds the state of a node consistent that has what its type has, and inconsistent with half of its memory',
      run: (): void => {
        const consistency = (memory: string) =>
          consistencyOf(ASKED, observedNodeWith({ cpu: '16', memory }), TYPE).status;
        expect([consistency('128Gi'), consistency('64Gi')]).toEqual(['True', 'False']);
      },
    },
    {
      fact: 'allows a tenth less of a resource than its type has, and looks only at resources that the NodeClaim requests',
      run: (): void => {
        const memoryAlone = { spec: nodeClaimSpec({ requests: amounts({ memory: '64Gi' }) }) };
        const node = observedNodeWith({ cpu: '1', memory: '116Gi' });
        expect(consistencyOf(memoryAlone, node, TYPE).status).toBe('True');
        expect(consistencyOf(ASKED, node, TYPE)).toMatchObject({
          status: 'False',
          message: 'the node has 1 instead of 16 cpu',
        });
      },
    },
    {
      fact: 'says nothing of consistency before a NodeClaim is initialized',
      run: (): void => {
        const found = (up: readonly string[]) =>
          wantedState(observedFacts({}, { expected: TYPE, up })).conditions.map(({ type }) => type);
        expect(found(['Launched', 'Registered'])).not.toContain('ConsistentStateFound');
        expect(found(['Launched', 'Registered', 'Initialized'])).toContain('ConsistentStateFound');
      },
    },
  ],
};

function observedNodeWith(capacity: Readonly<Record<string, string>>) {
  return { ...observedNode(), capacity: amounts(capacity) };
}
