/** Gangs: all or nothing, the most important first, and nobody is kept waiting for one that cannot be had. */
import { gangsOf } from '../../../src/domain/pods/gang.js';
import type { Pod } from '../../../src/domain/pods/pod.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import type { Plan } from '../../../src/planning/plan.js';
import { planGangs } from '../../../src/planning/engine/gangs.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput, PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, type PodOverrides } from '../../support/builders/pod.js';
import { gangViolations } from './check-gangs.js';
import { leftOut, reasonsFor } from '../read-plan.js';

/** Two of these do not fit one m5.large. */
const WIDE: PodOverrides = { requests: { cpu: '1500m', memory: '1Gi' } };

function members(
  gang: string,
  count: number,
  overrides: PodOverrides & { readonly minMembers: number },
): Pod[] {
  const { minMembers, ...rest } = overrides;
  return Array.from({ length: count }, (_, index) =>
    pod({
      ...WIDE,
      ...rest,
      name: `${gang}-${String(index)}`,
      labels: { 'scheduling.x-k8s.io/pod-group': gang },
      gang: { key: `PodGroup default/${gang}`, minMembers },
    }),
  );
}

/** A pool that may launch so many m5.large. */
function upTo(nodes: number): PoolOffer {
  return poolOffer({ limits: { nodes: String(nodes) } }, [instanceType()]);
}

/** The checked plan, and how many plans it took. */
function planned(input: Partial<ClusterInput>): Plan & { readonly plans: number } {
  const given = clusterInput(input);
  const whole = { ...given, gangs: gangsOf(given.pods, new Map()) };
  let plans = 0;
  const answer = planGangs(buildSnapshot(whole), (snapshot) => {
    plans++;
    return plan(snapshot, DEFAULT_PLAN_OPTIONS);
  });
  expect(gangViolations(whole, answer)).toBe('');
  return { ...answer, plans };
}

function placedOf({ placements }: Plan, gang: string): number {
  return placements.filter(({ pod: key }) => key.startsWith(`default/${gang}-`)).length;
}

describe('a gang', () => {
  test('is placed whole where there is room for all of it', () => {
    const answer = planned({ pods: members('train', 4, { minMembers: 4 }), pools: [upTo(4)] });
    expect(placedOf(answer, 'train')).toBe(4);
    expect(answer.unschedulable).toEqual([]);
  });

  test('is not placed at all where there is room for all but one, and launches nothing', () => {
    const answer = planned({ pods: members('train', 4, { minMembers: 4 }), pools: [upTo(3)] });
    expect(answer.placements).toEqual([]);
    expect(answer.claims).toEqual([]);
    expect(answer.cost.hourly).toBe(0);
    expect(leftOut(answer)).toEqual(['train-0', 'train-1', 'train-2', 'train-3']);
  });

  test('says of every member how far it got, and what the pools lack', () => {
    const answer = planned({ pods: members('train', 4, { minMembers: 4 }), pools: [upTo(3)] });
    const reasons = [
      {
        nodePool: '',
        reason: { code: 'GangUnplaceable', gang: 'PodGroup default/train', minimum: 4, possible: 3 },
      },
      {
        nodePool: 'default',
        reason: expect.objectContaining({
          code: 'LimitReached',
          resource: 'nodes',
          limit: 3,
          inUse: 3,
        }) as unknown,
      },
    ];
    for (const index of [0, 1, 2, 3]) expect(reasonsFor(answer, `train-${String(index)}`)).toEqual(reasons);
  });

  test('is not planned before as many members exist as it needs', () => {
    const answer = planned({ pods: members('train', 2, { minMembers: 4 }) });
    expect(answer.claims).toEqual([]);
    expect(reasonsFor(answer, 'train-0')).toEqual([
      {
        nodePool: '',
        reason: { code: 'GangIncomplete', gang: 'PodGroup default/train', minimum: 4, existing: 2 },
      },
    ]);
  });

  test('counts the members that run, but not those that are being deleted', () => {
    const bound = (terminating: boolean): Plan => {
      const [first, ...others] = members('train', 3, { minMembers: 3 });
      const running = { ...(first ?? pod()), nodeName: 'node', terminating };
      return planned({ pods: [running, ...others], nodes: [node()], pools: [upTo(2)] });
    };
    expect(placedOf(bound(false), 'train')).toBe(2);
    expect(leftOut(bound(true))).toEqual(['train-1', 'train-2']);
  });

  test('may have members beyond its minimum, which are placed as far as there is room', () => {
    const answer = planned({ pods: members('train', 5, { minMembers: 3 }), pools: [upTo(4)] });
    expect(placedOf(answer, 'train')).toBe(4);
    expect(leftOut(answer)).toHaveLength(1);
  });

  test('keeps no room from pods that are of use alone', () => {
    const singles = [0, 1].map((index) => pod({ ...WIDE, name: `single-${String(index)}`, priority: -1 }));
    const answer = planned({
      pods: [...members('train', 4, { minMembers: 4 }), ...singles],
      pools: [upTo(3)],
    });
    expect(placedOf(answer, 'single')).toBe(2);
    expect(placedOf(answer, 'train')).toBe(0);
    expect(answer.claims).toHaveLength(2);
  });

  test('is served by priority, and one that does not fit makes room for a less important one', () => {
    const input = (room: number): Partial<ClusterInput> => ({
      pods: [
        ...members('low', 3, { minMembers: 3 }),
        ...members('high', 4, { minMembers: 4, priority: 1000 }),
      ],
      pools: [upTo(room)],
    });
    const tight = planned(input(5));
    expect([placedOf(tight, 'high'), placedOf(tight, 'low')]).toEqual([4, 0]);
    const tighter = planned(input(3));
    expect([placedOf(tighter, 'high'), placedOf(tighter, 'low')]).toEqual([0, 3]);
  });

  test('is not starved by others of its kind: as many are placed as there is room for', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    // Interleaved by name, as pods of several owners are.
    const pods = names.flatMap((name) => members(name, 3, { minMembers: 3 }));
    const renamed = pods.map((each) => ({ ...each, name: each.name.split('-').reverse().join('-') }));
    const answer = planned({ pods: renamed, pools: [upTo(14)] });
    expect(answer.placements).toHaveLength(12);
    expect(answer.plans).toBeLessThanOrEqual(8);
  });

  test('that half of the others went with comes back where it fits', () => {
    const pods = [
      ...members('small', 2, { minMembers: 2, requests: { cpu: '1400m', memory: '2Gi' } }),
      ...members('middle', 3, { minMembers: 3, requests: { cpu: '1450m', memory: '1Gi' } }),
      ...members('wide', 5, { minMembers: 5 }),
    ];
    const answer = planned({ pods, pools: [upTo(2)] });
    expect([placedOf(answer, 'wide'), placedOf(answer, 'middle'), placedOf(answer, 'small')]).toEqual([
      0, 0, 2,
    ]);
  });

  test('costs few plans however many of its kind wait', () => {
    const pods = Array.from({ length: 60 }, (_, index) =>
      members(`gang${String(index)}`, 2, { minMembers: 2 }),
    ).flat();
    const answer = planned({ pods, pools: [upTo(20)] });
    expect(answer.placements).toHaveLength(20);
    expect(answer.plans).toBeLessThanOrEqual(12);
  });

  test('is not tried again where limits leave less than it asks for, however different others of its kind are', () => {
    // Each gang asks for a little more than the one before, so that none tells anything of the others.
    const sizes = [1000, 1010, 1020, 1030, 1040, 1050, 1060, 1070];
    const pods = sizes.flatMap((cpu, index) =>
      members(`gang${String(index)}`, 2, { minMembers: 2, requests: { cpu: `${String(cpu)}m` } }),
    );
    const pools = [poolOffer({ limits: { cpu: '4' } }, [instanceType()])];
    const answer = planned({ pods, pools });
    expect(answer.placements).toHaveLength(2);
    // All, without half of what is left each time, and nothing besides.
    expect(answer.plans).toBeLessThanOrEqual(5);
  });

  test('that is out is in a draft, with the plan of all that is whole, before it is tried again', () => {
    const pods = [...members('a', 2, { minMembers: 2 }), ...members('b', 2, { minMembers: 2 }), pod()];
    const given = clusterInput({ pods, pools: [upTo(2)] });
    const whole = { ...given, gangs: gangsOf(given.pods, new Map()) };
    const drafts: Plan[] = [];
    const answer = plan(buildSnapshot(whole), DEFAULT_PLAN_OPTIONS, {
      onDraft: (draft) => drafts.push(draft),
    });
    expect(drafts).toHaveLength(1);
    for (const draft of drafts) {
      expect(gangViolations(whole, draft)).toBe('');
      expect(draft.placements.length + draft.unschedulable.length).toBe(pods.length);
      expect(draft.placements.length).toBeLessThanOrEqual(answer.placements.length);
    }
  });

  test('that asks for what no pool has is not tried twice', () => {
    const pods = members('train', 2, { minMembers: 2, requests: { 'nvidia.com/gpu': '1' } });
    const answer = planned({ pods: [...pods, pod()], pools: [upTo(3)] });
    expect(placedOf(answer, 'train')).toBe(0);
    expect(answer.plans).toBe(2);
  });
});

describe('pods without a gang', () => {
  test('are planned once, from the very snapshot', () => {
    const snapshot = buildSnapshot(clusterInput({ pods: [pod()] }));
    const seen: unknown[] = [];
    planGangs(snapshot, (each) => {
      seen.push(each);
      return plan(each, DEFAULT_PLAN_OPTIONS);
    });
    expect(seen).toEqual([snapshot]);
    expect(seen[0]).toBe(snapshot);
  });

  test('are those, too, whose gang has no minimum', () => {
    const gang = { key: 'PodGroup default/unknown', minMembers: undefined };
    const answer = planned({ pods: [pod({ gang })] });
    expect(answer.placements).toHaveLength(1);
    expect(answer.plans).toBe(1);
  });
});
