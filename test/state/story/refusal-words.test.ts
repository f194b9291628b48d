/** Refusals taken apart. */
import { nearestFirst } from '../../../src/planning/nearest-first.js';
import type { Reason } from '../../../src/planning/reason.js';
import { refusalDecision } from '../../../src/controllers/provisioning/refusals.js';
import { poolVerdicts, refusalVerdicts } from '../../../src/state/story/refusal-words.js';
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
  test('parts what provisioning writes of a refusal: pool, what does not hold, and what would help', () => {
    const reasons = nearestFirst(
      REASONS.map((reason, index) => ({ nodePool: `pool-${String(index)}`, reason })),
    );
    const decision = refusalDecision({ pod: observedPod(), answer: { pod: 'default/pod', reasons } });
    const verdicts = refusalVerdicts({ ...decision, time: 0 });
    expect(poolVerdicts(decision.message)).toHaveLength(3);
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

  test('a reason that is no pool’s stands for itself', () => {
    expect(poolVerdicts('there is no NodePool; add one that allows this pod')).toEqual([
      { name: '', verdict: 'there is no NodePool', chosen: false, change: 'add one that allows this pod' },
    ]);
    expect(poolVerdicts('')).toEqual([]);
  });
});
