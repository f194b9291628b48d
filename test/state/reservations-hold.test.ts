import fc from 'fast-check';
import { pinnedNode } from '../../src/planning/placement/pinned-node.js';
import { CORES, DelayedWorld, NODES, type NodeName, type PlacedPod } from './delayed-world.js';

const OWNER = { kind: 'ReplicaSet', namespace: 'default', name: 'web', templateHash: 'h' };
const OF_OWNER = { owner: { kind: 'ReplicaSet', name: 'web' }, templateHash: 'h' };

interface Parts {
  /** Picks a pod, and a node of those that it is answered. */
  readonly index: number;
  readonly node: NodeName;
  readonly cores: number;
}
/** What is planned, and where. */
type Plans = Map<PlacedPod, NodeName>;

const WORLD_STEPS = {
  arrive: (world: DelayedWorld, { cores }: Parts) => world.arrive(cores),
  arriveOfOwner: (world: DelayedWorld) => world.arrive(1, OF_OWNER),
  arriveDaemon: (world: DelayedWorld, { node }: Parts) => {
    world.arriveDaemon(node);
  },
  arriveForged: (world: DelayedWorld, { node, cores, index }: Parts) => {
    const terms = (['none', 'one of two', 'by label'] as const)[index % 3] ?? 'none';
    world.arriveForged(node, cores, terms);
  },
  planOwner: (world: DelayedWorld, { node, cores }: Parts) =>
    world.reserve(node, 1, { owner: OWNER, podUID: undefined, count: cores }),
  hearOfPods: (world: DelayedWorld, { cores }: Parts) => {
    world.deliverPods(cores);
  },
  hearOfReservations: (world: DelayedWorld, { cores }: Parts) => {
    world.deliverReservations(cores);
  },
};

const POD_STEPS = {
  schedule: (world: DelayedWorld, plans: Plans, placed: PlacedPod, { index }: Parts) => {
    if (placed.nodeName !== undefined) return;
    const names = world.schedule(placed, (answered) => answered[index % Math.max(1, answered.length)]);
    const planned = plans.get(placed);
    // The room is there when the pod comes: that is what a reservation is for.
    if (planned !== undefined) expectNodes(names, [planned]);
  },
  plan: (world: DelayedWorld, plans: Plans, placed: PlacedPod, { node }: Parts) => {
    if (
      placed.nodeName !== undefined ||
      placed.pod.owner?.kind === 'ReplicaSet' ||
      isPinned(placed) ||
      plans.has(placed)
    )
      return;
    if (world.reserve(node, placed.cores, { podUID: placed.pod.uid })) plans.set(placed, node);
  },
  bind: (world: DelayedWorld, _plans: Plans, placed: PlacedPod) => {
    world.bind(placed);
  },
  failToBind: (world: DelayedWorld, _plans: Plans, placed: PlacedPod) => {
    world.failToBind(placed);
  },
  remove: (world: DelayedWorld, plans: Plans, placed: PlacedPod) => {
    world.remove(placed);
    plans.delete(placed);
  },
};

function isPinned({ pod }: PlacedPod): boolean {
  return pinnedNode(pod) !== undefined;
}

function expectNodes(names: readonly string[], expected: readonly string[]): void {
  expect(names).toEqual(expected);
}

type Step = Parts & { readonly what: keyof typeof WORLD_STEPS | keyof typeof POD_STEPS };

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constant('schedule' as const) },
    { weight: 2, arbitrary: fc.constantFrom('arrive' as const, 'plan' as const, 'bind' as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        'arriveOfOwner' as const,
        'arriveDaemon' as const,
        'arriveForged' as const,
        'planOwner' as const,
        'failToBind' as const,
        'remove' as const,
        'hearOfPods' as const,
        'hearOfReservations' as const,
      ),
    },
  ),
  index: fc.nat({ max: 40 }),
  node: fc.constantFrom(...NODES),
  cores: fc.integer({ min: 1, max: 3 }),
});

function act(world: DelayedWorld, plans: Plans, { what, ...parts }: Step): void {
  const placed = world.pods[parts.index % Math.max(1, world.pods.length)];
  if (what in WORLD_STEPS) WORLD_STEPS[what as keyof typeof WORLD_STEPS](world, parts);
  else if (placed !== undefined) POD_STEPS[what as keyof typeof POD_STEPS](world, plans, placed, parts);
}

describe('RoomLedger with filter', () => {
  test('keeps what is reserved, used and charged within what nodes have, however late the watches are and whichever owner is named', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
        const world = new DelayedWorld();
        const plans: Plans = new Map();
        for (const one of steps) {
          act(world, plans, one);
          for (const name of NODES) {
            expect(world.taken(name) + world.held(name)).toBeLessThanOrEqual(CORES);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test('comes to rest with nothing counted twice: once all is heard, free room is given out to the last core', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), (steps) => {
        const world = new DelayedWorld();
        const plans: Plans = new Map();
        for (const one of steps) act(world, plans, one);
        for (const placed of [...world.pods]) world.bind(placed);
        world.deliverPods(Infinity);
        world.deliverReservations(Infinity);
        // Charges of binds that failed have to run out.
        world.clock.freeze(5_001);
        for (const name of NODES) {
          const cores = world.free(name);
          if (cores < 1) continue;
          const rival = world.arrive(cores);
          world.schedule(rival, (answered) => answered.find((one) => one === name) ?? answered[0]);
          expect(rival.nodeName).toBeDefined();
          world.bind(rival);
          world.deliverPods(Infinity);
          world.deliverReservations(Infinity);
        }
      }),
      { numRuns: 60 },
    );
  });
});
