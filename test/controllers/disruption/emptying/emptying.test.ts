import fc from 'fast-check';
import { assignRanks, FIRST_RANK } from '../../../../src/controllers/disruption/emptying/emptying-ranks.js';
import { deletionCostChange } from '../../../../src/domain/pods/deletion-cost.js';
import { EMPTYING_ANNOTATION } from '../../../../src/domain/nodes/node-claim.js';
import { DELETION_COST, OWN_DELETION_COST } from '../../../../src/domain/pods/movable-pods.js';
import type { ObservedPod } from '../../../../src/domain/pods/observed-pod.js';
import { observedPod } from '../../../support/builders/observed-pod.js';
import { DisruptionWorld } from '../disruption-world.js';

/** Nodes that each pod of 3500m has for itself, of which one may be disrupted at a time. */
const POOL = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }] } };
const ONE_PER_NODE = { requests: { cpu: '3500m' } };

async function running(pod: object, pool: object = POOL): Promise<DisruptionWorld> {
  const world = new DisruptionWorld({ ...pool });
  world.empties = true;
  world.start();
  world.deploy('web', 4, { ...ONE_PER_NODE, ...pod });
  await world.until(() => world.claimsWith('Initialized').length === 4 && world.unbound().length === 0);
  await world.pass(130);
  return world;
}

function emptying(world: DisruptionWorld): readonly string[] {
  return world.claims().flatMap((claim) => (claim.annotations.has(EMPTYING_ANNOTATION) ? [claim.name] : []));
}

function costs({ annotations }: ObservedPod): readonly (string | undefined)[] {
  return [annotations.get(DELETION_COST), annotations.get(OWN_DELETION_COST)];
}

test('a ReplicaSet that is scaled in deletes the pod of the node that should go first, and the node goes empty', async () => {
  const world = await running({});
  const [claim, ...others] = emptying(world);
  expect(others).toEqual([]);
  const ranked = world.pods().filter((pod) => costs(pod)[0] !== undefined);
  expect(ranked.map(costs)).toEqual([[String(FIRST_RANK), String(FIRST_RANK)]]);
  expect(ranked[0]?.nodeName).toBe(world.claim(claim ?? '')?.status.nodeName);
  const before = world.kube.writes.filter(({ method }) => method === 'annotatePod').length;
  await world.pass(300);
  expect(world.kube.writes.filter(({ method }) => method === 'annotatePod')).toHaveLength(before);
  world.scale('web', 3);
  await world.pass(120);
  expect(world.claim(claim ?? '')).toBeUndefined();
  expect(world.claims()).toHaveLength(3);
  expect(world.writes('evictPod')).toEqual([]);
});

test('a deletion cost of the user stays', async () => {
  const world = await running({ annotations: { [DELETION_COST]: '7' } });
  expect(emptying(world)).toHaveLength(1);
  expect(world.pods().map(costs)).toEqual(Array.from({ length: 4 }, () => ['7', undefined]));
});

test('what was written is taken back when no node should go any more', async () => {
  const world = await running({});
  world.policies({ disruption: { ...POOL.disruption, consolidateAfter: 'Never' } });
  await world.pass(130);
  expect(emptying(world)).toEqual([]);
  expect(world.pods().map(costs)).toEqual(Array.from({ length: 4 }, () => [undefined, undefined]));
});

describe('ranks', () => {
  const names = fc.uniqueArray(fc.integer({ min: 0, max: 99 }).map(String), { maxLength: 60 });
  const known = fc
    .uniqueArray(
      fc.tuple(fc.integer({ min: 0, max: 99 }).map(String), fc.integer({ min: FIRST_RANK, max: -1 })),
      {
        selector: ([name]) => name,
      },
    )
    .map((pairs) => new Map(pairs));

  test('are all different, and each stays what it was where no other has it', () => {
    fc.assert(
      fc.property(names, known, (wanted, before) => {
        const ranks = assignRanks(wanted, before);
        expect(new Set(ranks.values()).size).toBe(ranks.size);
        expect(ranks.size).toBe(Math.min(wanted.length, -FIRST_RANK));
        expect([...ranks.values()].every((rank) => rank >= FIRST_RANK && rank < 0)).toBe(true);
        expect(assignRanks([...ranks.keys()], ranks)).toEqual(ranks);
        const fresh = wanted.filter((name) => ranks.has(name) && !before.has(name));
        const given = fresh.map((name) => ranks.get(name) ?? 0);
        expect(given).toEqual([...given].sort((left, right) => left - right));
      }),
    );
  });
});

describe('a pod', () => {
  const annotations = fc.record(
    { [DELETION_COST]: fc.constantFrom('-3', '5'), [OWN_DELETION_COST]: fc.constantFrom('-3', '5') },
    { requiredKeys: [] },
  );
  const kind = fc.constantFrom('ReplicaSet', 'StatefulSet');

  test('never loses a cost that Berth did not write, and needs one write at most', () => {
    fc.assert(
      fc.property(annotations, kind, fc.option(fc.constantFrom('-3', '-50')), (before, owner, wanted) => {
        const pod = observedPod({ nodeName: 'n', owner: { kind: owner, name: 'web' }, annotations: before });
        const change = deletionCostChange(pod, wanted ?? undefined);
        const after = Object.fromEntries(
          Object.entries({ ...before, ...change }).filter(([, value]) => typeof value === 'string'),
        ) as Record<string, string>;
        const isOurs = before[DELETION_COST] === before[OWN_DELETION_COST];
        expect(isOurs || after[DELETION_COST] === before[DELETION_COST]).toBe(true);
        expect(owner === 'ReplicaSet' || after[OWN_DELETION_COST] === undefined).toBe(true);
        const again = observedPod({ nodeName: 'n', owner: { kind: owner, name: 'web' }, annotations: after });
        expect(deletionCostChange(again, wanted ?? undefined)).toBeUndefined();
      }),
    );
  });
});
