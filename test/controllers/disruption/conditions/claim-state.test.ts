import {
  wantedState,
  type ObservedFacts,
} from '../../../../src/controllers/disruption/conditions/claim-state.js';
import { repairPolicies } from '../../../../src/clouds/aws/adapter/repair-policies.js';
import type { NodeCondition } from '../../../../src/domain/nodes/observed-node.js';
import { mayRepair } from '../../../../src/planning/disrupt/methods/unhealthy.js';
import { nodeClaim } from '../../../support/builders/node-claim.js';
import { nodePool } from '../../../support/builders/node-pool.js';
import { observedNode } from '../../../support/builders/observed-node.js';

const BORN = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const UP: readonly string[] = ['Registered', 'Initialized'];

function facts(
  overrides: Partial<ObservedFacts> = {},
  consolidateAfterSeconds: number | undefined = 30,
): ObservedFacts {
  const { disruption } = nodePool();
  return {
    claim: nodeClaim({
      status: {
        providerID: 'aws:///z/i-1',
        conditions: UP.map((type) => ({
          type,
          status: 'True',
          reason: type,
          message: '',
          lastTransitionTime: BORN,
        })),
      },
    }),
    node: observedNode(),
    pool: nodePool({ disruption: { ...disruption, consolidateAfterSeconds } }),
    drift: undefined,
    lastPodEvent: undefined,
    now: BORN,
    repairPolicies: repairPolicies(false),
    expected: undefined,
    ...overrides,
  };
}

function held(state: ReturnType<typeof wantedState>): readonly string[] {
  return state.conditions
    .filter(({ type, status }) => status === 'True' && !UP.includes(type))
    .map(({ type }) => type);
}

test('a claim is Consolidatable when its node has been quiet for consolidateAfter, and not again after a pod came', () => {
  expect(wantedState(facts())).toMatchObject({ nextAt: BORN + 30_000 });
  expect(held(wantedState(facts()))).toEqual([]);
  expect(held(wantedState(facts({ now: BORN + 30_000 })))).toEqual(['Consolidatable']);
  const busy = facts({ now: BORN + 40_000, lastPodEvent: BORN + 35_000 });
  expect(held(wantedState(busy))).toEqual([]);
  expect(wantedState(busy)).toMatchObject({ lastPodEventTime: BORN + 35_000, nextAt: BORN + 65_000 });
});

test('a claim of a pool that never consolidates, or that is not known, is not Consolidatable', () => {
  const { disruption } = nodePool();
  const pool = nodePool({ disruption: { ...disruption, consolidateAfterSeconds: undefined } });
  expect(held(wantedState(facts({ pool, now: BORN + MINUTE })))).toEqual([]);
  expect(held(wantedState(facts({ pool: undefined, now: BORN + MINUTE })))).toEqual([]);
});

function knowing(lastPodEventTime: number | undefined): ObservedFacts['claim'] {
  const { claim } = facts();
  return { ...claim, status: { ...claim.status, lastPodEventTime } };
}

test.each([
  [30, 10],
  [60, 15],
  [600, 150],
  [3600, 900],
])(
  'with consolidateAfter %is the last pod event is written when it is off by %i seconds, not before',
  (consolidateAfter, slack) => {
    const written = (seconds: number): number | undefined => {
      const lastPodEvent = BORN + seconds * 1000;
      return wantedState(facts({ claim: knowing(BORN), lastPodEvent }, consolidateAfter)).lastPodEventTime;
    };
    expect(written(slack - 0.001)).toBe(BORN);
    expect(written(slack)).toBe(BORN + slack * 1000);
  },
);

test.each([
  ['Never', undefined],
  ['0s', 0],
])('with consolidateAfter %s nothing reads the last pod event, and it is not written', (_, seconds) => {
  const { disruption } = nodePool();
  const pool = nodePool({ disruption: { ...disruption, consolidateAfterSeconds: seconds } });
  const lastPodEvent = BORN + MINUTE;
  expect(wantedState(facts({ pool, lastPodEvent })).lastPodEventTime).toBeUndefined();
  expect(wantedState(facts({ pool, claim: knowing(BORN), lastPodEvent })).lastPodEventTime).toBe(BORN);
});

test('a claim is Expired at expireAfter, counted from its creation', () => {
  const claim = nodeClaim({ ...facts().claim, spec: { expireAfterSeconds: 600 }, createdAt: BORN });
  expect(held(wantedState(facts({ claim, pool: undefined, now: BORN + 10 * MINUTE - 1 })))).toEqual([]);
  expect(held(wantedState(facts({ claim, pool: undefined, now: BORN + 10 * MINUTE })))).toEqual(['Expired']);
});

test.each<[string, NodeCondition['status'], string, number]>([
  ['Ready', 'False', 'KubeletNotReady', 30],
  ['Ready', 'Unknown', 'NodeStatusUnknown', 30],
  ['AcceleratedHardwareReady', 'False', 'NvidiaXID79Error', 10],
  ['AcceleratedHardwareReady', 'False', 'NeuronHBMUncorrectableError', 30],
  ['KernelReady', 'False', '', 30],
])(
  'a node whose %s is %s for the reason %s is Unhealthy after %i minutes',
  (type, status, reason, minutes) => {
    const node = observedNode({ conditions: [{ type, status, reason, since: BORN }] });
    const at = BORN + minutes * MINUTE;
    expect(held(wantedState(facts({ node, pool: undefined, now: at - 1 })))).toEqual([]);
    const state = wantedState(facts({ node, pool: undefined, now: at }));
    expect(state.conditions.find((condition) => condition.type === 'Unhealthy')).toMatchObject({
      status: 'True',
      reason: type,
    });
  },
);

test.each([
  [['Registered', 'Initialized'], ['Unhealthy']],
  [['Registered'], ['Unhealthy']],
  [[], []],
])('a claim that is %j and has a bad node is %j', (up, expected) => {
  const { claim } = facts();
  const conditions = claim.status.conditions.filter(({ type }) => up.includes(type));
  const known = { ...claim, status: { ...claim.status, conditions } };
  const node = observedNode({
    conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', since: BORN }],
  });
  expect(held(wantedState(facts({ claim: known, node, pool: undefined, now: BORN + 30 * MINUTE })))).toEqual(
    expected,
  );
});

test('a condition that holds no longer goes, and others stay', () => {
  const { claim } = facts();
  const drifted = {
    type: 'Drifted',
    status: 'True',
    reason: 'AMIDrift',
    message: '',
    lastTransitionTime: BORN,
  } as const;
  const conditions = [...claim.status.conditions, drifted];
  const known = { ...claim, status: { ...claim.status, conditions } };
  expect(held(wantedState(facts({ claim: known, drift: { reason: 'AMIDrift', message: '' } })))).toEqual([
    'Drifted',
  ]);
  expect(held(wantedState(facts({ claim: known })))).toEqual([]);
});

test('a node that loses what it has is no longer consistent, until it has it again; without a known type nothing is said', () => {
  const { claim } = facts();
  const asking = { ...claim, spec: { ...claim.spec, requests: new Map([['nvidia.com/gpu', 1]]) } };
  const found = (gpus: number | undefined, expected: ReadonlyMap<string, number> | undefined) => {
    const capacity = new Map(gpus === undefined ? [] : [['nvidia.com/gpu', gpus]]);
    const node = { ...observedNode(), capacity };
    const { conditions } = wantedState(facts({ claim: asking, node, expected }));
    return conditions.find(({ type }) => type === 'ConsistentStateFound');
  };
  const type = new Map([['nvidia.com/gpu', 4]]);
  expect(found(4, type)).toMatchObject({ status: 'True', reason: 'ConsistentStateFound' });
  expect(found(2, type)).toMatchObject({
    status: 'False',
    reason: 'ConsistencyCheckFailed',
    message: 'the node has 2 instead of 4 nvidia.com/gpu',
  });
  expect(found(undefined, type)).toMatchObject({ status: 'False' });
  expect(found(4, undefined)).toBeUndefined();
});

test.each([
  [1, 1, 20, true],
  [1, 3, 20, true],
  [2, 5, 20, false],
  [2, 10, 20, true],
  [3, 10, 20, false],
  [2, 5, 40, true],
  [8, 100, 7, false],
  [1, 1, 0, false],
  [5, 5, 100, true],
])(
  'with %i unhealthy nodes of %i, where %i %% may be, repairing is %s',
  (unhealthy, nodes, most, expected) => {
    expect(mayRepair(unhealthy, nodes, most)).toBe(expected);
  },
);
