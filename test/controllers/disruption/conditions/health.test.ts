import {
  ailmentOf,
  repairOf,
  repairPoliciesFor,
  type Patient,
} from '../../../../src/controllers/disruption/conditions/health.js';
import { repairPolicies } from '../../../../src/clouds/aws/adapter/repair-policies.js';
import type { NodeCondition } from '../../../../src/domain/nodes/observed-node.js';
import { specificFirst, type RepairPolicy } from '../../../../src/domain/policies/repair-policy.js';
import { nodeClaim } from '../../../support/builders/node-claim.js';
import { nodePool } from '../../../support/builders/node-pool.js';
import { observedNode } from '../../../support/builders/observed-node.js';
import { disruptionTerms } from '../../../support/builders/disruption-input.js';

const BORN = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

function policy(overrides: Partial<RepairPolicy> = {}): RepairPolicy {
  return {
    conditionType: 'DiskHealthy',
    conditionStatus: 'False',
    reasons: undefined,
    tolerationSeconds: 600,
    terminationGracePeriodSeconds: 600,
    priority: 0,
    action: 'Replace',
    ...overrides,
  };
}

function nodeIn(...conditions: readonly Partial<NodeCondition>[]): Patient {
  const node = observedNode({
    createdAt: BORN,
    conditions: conditions.map((condition) => ({
      type: 'DiskHealthy',
      status: 'False',
      reason: 'Slow',
      since: BORN,
      ...condition,
    })),
  });
  return { node, claim: nodeClaim() };
}

/** The same after reboots that ended so many minutes after the node was made. */
function rebooted(patient: Patient, ...minutes: readonly number[]): Patient {
  const reboots = minutes.map((minute) => {
    const endedAt = BORN + minute * MINUTE;
    return { requestedAt: endedAt - MINUTE, endedAt, result: 'succeeded' } as const;
  });
  const { claim } = patient;
  return { ...patient, claim: { status: { ...claim.status, reboots } } };
}

function toleratedMinutes(node: Patient, ...policies: readonly RepairPolicy[]): number | undefined {
  const ailment = ailmentOf(node, specificFirst(policies), BORN);
  return ailment && (ailment.until - BORN) / MINUTE;
}

describe('the policy of a condition', () => {
  const any = policy({ tolerationSeconds: 1800 });

  test('is the one that names its reason, or how it begins, else the one for every reason', () => {
    const named = policy({ reasons: ['Broken', 'WornOut'], tolerationSeconds: 60 });
    const begun = policy({ reasons: ['FileSystem*'], tolerationSeconds: 120 });
    const minutes = ['Broken', 'WornOut', 'WornOutSoon', 'FileSystemReadOnly', 'FileSystem', 'Slow', ''].map(
      (reason) => toleratedMinutes(nodeIn({ reason }), any, named, begun),
    );
    expect(minutes).toEqual([1, 1, 30, 2, 2, 30, 30]);
  });

  test('is that of its status and type', () => {
    expect(toleratedMinutes(nodeIn({ status: 'True' }), any)).toBeUndefined();
    expect(toleratedMinutes(nodeIn({ type: 'Ready' }), any)).toBeUndefined();
  });

  test('is that of the NodePool, before that of the cloud', () => {
    const own = policy({ conditionType: 'StorageReady', reasons: ['Slow'], tolerationSeconds: 60 });
    const pool = nodePool({ disruption: disruptionTerms({ repairPolicies: [own] }) });
    const until = (reason: string) => {
      const policies = repairPoliciesFor(pool, repairPolicies(false));
      return ailmentOf(nodeIn({ type: 'StorageReady', reason }), policies, BORN)?.until;
    };
    expect(until('Slow')).toBe(BORN + MINUTE);
    expect(until('Broken')).toBe(BORN + 30 * MINUTE);
  });

  test('with no end of its toleration keeps the node healthy', () => {
    const never = policy({ reasons: ['Slow'], tolerationSeconds: undefined });
    expect(repairOf(nodeIn(), [never, any], BORN)).toBeUndefined();
    expect(repairOf(nodeIn({ reason: 'Broken' }), [never, any], BORN)).toBeDefined();
  });
});

test('toleration counts from when the node was made, when the condition says it is older', () => {
  expect(toleratedMinutes(nodeIn({ since: BORN - 60 * MINUTE }), policy())).toBe(10);
  expect(toleratedMinutes(nodeIn({ since: undefined }), policy())).toBe(Infinity);
});

test('toleration begins anew with the end of a reboot: what the node says may be as old as before it', () => {
  expect(toleratedMinutes(rebooted(nodeIn({}), 3, 30), policy())).toBe(40);
});

describe('a node is rebooted', () => {
  const reboot = policy({ action: 'Reboot' });
  const HOUR = 60 * MINUTE;

  test('where its policy says so, and no other condition calls for its replacement', () => {
    const worse = policy({ conditionType: 'FanWorks', tolerationSeconds: 1200 });
    const node = nodeIn({}, { type: 'FanWorks' });
    const at = (minutes: number) =>
      repairOf(node, [{ ...reboot, priority: 90 }, worse], BORN + minutes * MINUTE)?.action;
    expect([at(10), at(20)]).toEqual(['Reboot', 'Replace']);
  });

  test('twice within 24 hours, then replaced', () => {
    const action = (patient: Patient, hours: number) =>
      repairOf(patient, [reboot], BORN + hours * HOUR)?.action;
    expect(action(rebooted(nodeIn({}), 30), 2)).toBe('Reboot');
    expect(action(rebooted(nodeIn({}), 30, 60), 2)).toBe('Replace');
    expect(action(rebooted(nodeIn({}), 30, 60), 24.6)).toBe('Reboot');
  });

  test('by the policies of EKS where that is asked for, for errors that a reboot may cure', () => {
    const actionFor = (reason: string, reboots: boolean) =>
      repairOf(
        nodeIn({ type: 'AcceleratedHardwareReady', reason }),
        repairPolicies(reboots),
        BORN + 30 * MINUTE,
      )?.action;
    expect(actionFor('NvidiaXID48Error', true)).toBe('Reboot');
    expect(actionFor('NvidiaXID79Error', true)).toBe('Replace');
    expect(actionFor('NvidiaXID1Error', true)).toBe('Replace');
    expect(actionFor('NvidiaXID48Error', false)).toBe('Replace');
  });
});

describe('of several bad conditions', () => {
  const soon = policy({ priority: 1, tolerationSeconds: 60, terminationGracePeriodSeconds: 900 });
  const other = policy({ conditionType: 'FanWorks', priority: 5, terminationGracePeriodSeconds: 300 });
  const last = policy({
    conditionType: 'CableHolds',
    tolerationSeconds: 1200,
    terminationGracePeriodSeconds: 0,
  });
  const node = nodeIn({}, { type: 'FanWorks' }, { type: 'CableHolds' });
  const at = (minutes: number): readonly unknown[] => {
    const now = BORN + minutes * MINUTE;
    const policies = [soon, other, last];
    const { priority, terminationGracePeriodSeconds: bound } = repairOf(node, policies, now) ?? {};
    return [ailmentOf(node, policies, now)?.condition.type, priority, bound];
  };

  test('the first to end its toleration counts, then the one with the highest priority, and the shortest bound of those that ended', () => {
    expect(at(0)).toEqual(['DiskHealthy', 1, undefined]);
    expect(at(1)).toEqual(['DiskHealthy', 1, 900]);
    expect(at(10)).toEqual(['FanWorks', 5, 300]);
    expect(at(20)).toEqual(['FanWorks', 5, 0]);
  });
});
