/** When a packing is as good as any other, so that no better one is looked for. */
import { ZONE } from '../../../src/domain/values/labels.js';
import { finish, isBest } from '../../../src/planning/finish/candidate.js';
import { compileProblem } from '../../../src/planning/model/problem.js';
import { pack } from '../../../src/planning/pack/pack.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { catalogue } from '../../fuzz/catalog.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { node } from '../../support/builders/node.js';
import { replicas } from '../../support/builders/pod.js';

const { instanceTypes } = catalogue();
const WAITING = replicas(2, { requests: { cpu: '3' } });

function isBestOf(input: Partial<ClusterInput>): boolean {
  return isBest(finish(pack(compileProblem(buildSnapshot(clusterInput(input)), DEFAULT_PLAN_OPTIONS)), 0));
}

test('pods that no node holds which the limits of a pool let be launched leave nothing to be bettered', () => {
  const pools = [poolOffer({ limits: { cpu: '2' } }, instanceTypes)];
  expect(isBestOf({ pods: WAITING, pools })).toBe(true);
});

test('so do those beside others that go to a node which is there', () => {
  const nodes = [node({ name: 'n1', allocatable: { cpu: '4', memory: '8Gi', pods: '10' } })];
  const pools = [poolOffer({ limits: { cpu: '2' } }, instanceTypes)];
  expect(isBestOf({ pods: WAITING, nodes, pools })).toBe(false);
  const tooLarge = replicas(1, { name: 'large', requests: { cpu: '5' } });
  expect(isBestOf({ pods: [...WAITING.slice(0, 1), ...tooLarge], nodes, pools })).toBe(true);
});

test('but where one is left out that would have a place alone, or what is bought has a price, another order may be better', () => {
  const alone = [poolOffer({ limits: { cpu: '4' } }, instanceTypes)];
  expect(isBestOf({ pods: WAITING, pools: alone })).toBe(false);
  const nowhere = replicas(1, { name: 'nowhere', nodeSelector: { [ZONE]: 'mars-1a' } });
  expect(isBestOf({ pods: [...WAITING, ...nowhere], pools: [poolOffer({}, instanceTypes)] })).toBe(false);
});
