/** Refusals pool by pool. */
import { nearestFirst } from '../../../src/planning/explain/nearest-first.js';
import type { Reason } from '../../../src/planning/reason.js';
import { refusalDecision } from '../../../src/controllers/provisioning/refusals.js';
import { poolVerdicts } from '../../../src/state/story/pool-verdicts.js';
import { observedPod } from '../../support/builders/observed-pod.js';

const REASONS: readonly Reason[] = [
  { code: 'UntoleratedTaint', taint: { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' } },
  {
    code: 'InsufficientResource',
    resource: 'cpu',
    needed: 64_000,
    largest: 31_000,
    largestType: 'm7g.8xlarge',
  },
  { code: 'OutOfStock', types: ['m7g.large', 'm7g.xlarge'] },
  { code: 'MinValues', key: 'node.kubernetes.io/instance-type', wanted: 5, available: 2 },
];

describe('poolVerdicts', () => {
  test('has what provisioning records of a refusal: pool, what does not hold, and what would help', () => {
    const reasons = nearestFirst(
      REASONS.map((reason, index) => ({ nodePool: `pool-${String(index)}`, reason })),
    );
    const decision = refusalDecision({ pod: observedPod(), answer: { pod: 'default/pod', reasons } });
    const verdicts = poolVerdicts({ ...decision, time: 0 });
    expect(decision.message).toMatch(/; 1 more NodePools?: see berth explain pod /);
    expect(verdicts.map(({ name }) => name)).toEqual(reasons.map(({ nodePool }) => `NodePool ${nodePool}`));
    expect(verdicts.find(({ name }) => name === 'NodePool pool-0')).toEqual({
      name: 'NodePool pool-0',
      verdict: 'taint dedicated=gpu:NoSchedule is not tolerated',
      chosen: false,
      change: 'add a toleration for key dedicated',
    });
    expect(verdicts.every(({ verdict }) => verdict !== '')).toBe(true);
  });

  test('names what would still be in the way of a pool after the nearest change', () => {
    const [first, next] = REASONS;
    if (first === undefined || next === undefined) throw new Error('no reasons');
    const reasons = [{ nodePool: 'gpu', reason: first, also: [next] }];
    const decision = refusalDecision({ pod: observedPod(), answer: { pod: 'default/pod', reasons } });
    expect(poolVerdicts({ ...decision, time: 0 })).toMatchObject([
      {
        name: 'NodePool gpu',
        change: expect.stringMatching(
          /^add a toleration .*; that alone is not enough, because then: no type/,
        ) as string,
      },
    ]);
    expect(decision.reasons).toMatchObject([
      { code: 'UntoleratedTaint', nodePool: 'gpu' },
      { code: 'InsufficientResource', nodePool: 'gpu', wanted: '64 cpu', got: '31 cpu (m7g.8xlarge)' },
    ]);
  });

  test('a reason that is no pool’s stands for itself', () => {
    const answer = {
      pod: 'default/pod',
      reasons: [{ nodePool: '', reason: { code: 'NoNodePools' } as const }],
    };
    expect(poolVerdicts({ ...refusalDecision({ pod: observedPod(), answer }), time: 0 })).toEqual([
      { name: '', verdict: 'there is no NodePool', chosen: false, change: 'add one that allows this pod' },
    ]);
  });

  test('a refusal of an earlier version, which has no reasons, is shown by its message', () => {
    const refused = refusalDecision({ pod: observedPod(), answer: { pod: 'default/pod', reasons: [] } });
    const spec = { ...refused, time: 0, message: 'NodePool a: too small' };
    expect(poolVerdicts(spec)).toEqual([
      { name: '', verdict: 'NodePool a: too small', chosen: false, change: '' },
    ]);
    expect(poolVerdicts({ ...spec, message: '' })).toEqual([]);
  });
});
