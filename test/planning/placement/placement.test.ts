import fc from 'fast-check';
import { DEFAULT_DEMAND_TERMS } from '../../../src/domain/pods/demand.js';
import { filter, hasPreferences, isFree } from '../../../src/planning/placement/filter.js';
import { pinnedNode } from '../../../src/planning/placement/pinned-node.js';
import type { PlacementNode, PlacementView } from '../../../src/planning/placement/placement-view.js';
import {
  preempt,
  REFUSED_ANNOTATION,
  type PreemptOptions,
  type Victims,
} from '../../../src/planning/placement/preempt.js';
import { ZONE } from '../../../src/domain/values/labels.js';
import { nodeTerm, oneOf, podTerm, spreadOver } from '../../support/builders/constraints.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import {
  ALL_NODES,
  columnsOf,
  pinnedTo,
  placementCase,
  restrictedAmong,
  scoresOf,
} from './placement-arbitrary.js';
import { filterByHand, inOrder, scoresByHand } from './placement-by-hand.js';

const NOW = Date.UTC(2026, 0, 1);
const WAITING: PreemptOptions = {
  preemptWhileLaunching: false,
  demandTerms: DEFAULT_DEMAND_TERMS,
  planningMillis: 30_000,
  now: NOW + 60_000,
};

const NEAR = [{ weight: 1, term: podTerm(ZONE, { app: 'web' }) }];
const ANYWAY = { whenUnsatisfiable: 'ScheduleAnyway' } as const;

const REFUSED = { annotations: { [REFUSED_ANNOTATION]: String(NOW) } };

/** A view of these nodes, on which nothing is planned and everything has room. */
function viewOf(...nodes: readonly (Partial<PlacementNode> & { readonly name: string })[]): PlacementView {
  const plain = {
    leaving: false,
    emptying: false,
    guarded: false,
    fullness: 0,
    hourlyPrice: undefined,
    endsAt: Infinity,
  };
  const known = new Map(nodes.map((node) => [node.name, { ...plain, ...node }]));
  return {
    node: (name) => known.get(name),
    columns: columnsOf(known.values()),
    restricted: restrictedAmong(known),
    waitsForGang: () => false,
    waitsForOthers: () => false,
    awaitsPlace: () => false,
    placesOf: () => [],
    admits: () => true,
    shortage: () => 'none',
  };
}

describe('filter', () => {
  test('answers a part of the request and refuses the rest, each node once', () => {
    fc.assert(
      fc.property(placementCase, ({ view, pod, nodeNames }) => {
        const { nodeNames: passed, refused } = filter(view, pod, nodeNames);
        const all = [...passed, ...refused.flatMap((one) => one.nodeNames)];
        expect(all.sort()).toEqual([...nodeNames].sort());
      }),
    );
  });

  test('answers what judging every node by itself answers', () => {
    fc.assert(
      fc.property(placementCase, ({ view, pod, nodeNames }) => {
        const expected = filterByHand(view, pod, nodeNames);
        expect(inOrder(filter(view, pod, nodeNames))).toEqual(inOrder(expected));
      }),
    );
  });

  test('leaves a pod as many nodes as kube-scheduler is to score, and the one on which room is held, where it has no preferences', () => {
    fc.assert(
      fc.property(placementCase, fc.integer({ min: 1, max: 3 }), ({ view, pod, nodeNames }, most) => {
        const all = filter(view, pod, nodeNames);
        const some = filter(view, pod, nodeNames, most);
        const isLimited = isFree(view, pod) && !hasPreferences(pod);
        const open = all.nodeNames.filter((name) => name !== all.charge?.nodeName || !isLimited);
        const left = isLimited ? open.slice(0, most) : open;
        const chosen = isLimited ? (all.charge?.nodeName ?? []) : [];
        expect(some).toEqual({ ...all, nodeNames: left.concat(chosen) });
      }),
    );
  });

  test.each([
    ['prefers nodes', { nodeAffinity: { preferred: [{ weight: 1, term: nodeTerm(oneOf('disk', 'ssd')) }] } }],
    ['prefers to be near others', { podAffinity: { preferred: NEAR } }],
    ['prefers to be away from others', { podAntiAffinity: { preferred: NEAR } }],
    ['is to be spread as far as possible', { spread: [spreadOver(ZONE, { app: 'web' }, ANYWAY)] }],
  ] as const)('leaves a pod that %s all nodes', (_, preferences) => {
    const names = ['a', 'b', 'c'];
    expect(filter(viewOf(), observedPod(preferences), names, 1).nodeNames).toBe(names);
    expect(filter(viewOf(), observedPod(), names, 1).nodeNames).toEqual(['a']);
  });

  test('asks about no node, and answers the very list, where no room is held and no node is leaving', () => {
    const names = ['a', 'b', 'c'];
    const asked: string[] = [];
    const view = { ...viewOf({ name: 'z', leaving: true }), node: (name: string) => void asked.push(name) };
    expect(filter(view, observedPod(), names).nodeNames).toBe(names);
    expect(asked).toEqual([]);
  });

  test('lets a free pod pass on all nodes without a charge where none of them is restricted', () => {
    fc.assert(
      fc.property(placementCase, ({ view, pod, nodeNames }) => {
        const open = nodeNames.filter((name) => !view.restricted.has(name));
        fc.pre(isFree(view, pod));
        expect(filter(view, pod, open)).toEqual({ nodeNames: open, refused: [], charge: undefined });
      }),
    );
  });

  test('asks only about the nodes on which room is held or that are leaving', () => {
    const view = viewOf({ name: 'a', guarded: true }, { name: 'b' }, { name: 'c', leaving: true });
    const asked: string[] = [];
    const counting: PlacementView = {
      ...view,
      node: (name) => {
        asked.push(name);
        return view.node(name);
      },
    };
    expect(filter(counting, observedPod(), ['a', 'b', 'c', 'd']).nodeNames).toEqual(['b', 'd', 'a']);
    expect(asked).toEqual(['a', 'c']);
  });

  test('offers at most one node on which room is held, and names it as the one to charge', () => {
    fc.assert(
      fc.property(placementCase, ({ view, places, pod, nodeNames }) => {
        const { nodeNames: passed, charge } = filter(view, pod, nodeNames);
        fc.pre(pinnedNode(pod) === undefined && places.length === 0);
        const guarded = passed.filter((name) => view.node(name)?.guarded === true);
        expect(guarded).toEqual(charge === undefined ? [] : [charge.nodeName]);
        expect(passed.some((name) => view.node(name)?.leaving)).toBe(false);
      }),
    );
  });

  test('gives a planned pod one of its places or nothing', () => {
    fc.assert(
      fc.property(placementCase, ({ view, places, pod, nodeNames }) => {
        fc.pre(pinnedNode(pod) === undefined && places.length > 0);
        const { nodeNames: passed, charge } = filter(view, pod, nodeNames);
        expect(passed.length).toBeLessThanOrEqual(1);
        expect(passed).toEqual(charge === undefined ? [] : [charge.nodeName]);
        for (const name of passed) expect(places.map(({ nodeName }) => nodeName)).toContain(name);
      }),
    );
  });

  describe('with a node whose room is held', () => {
    const owner = { kind: 'DaemonSet', name: 'nosuch' };
    const view: PlacementView = { ...viewOf({ name: 'a', guarded: true }), shortage: () => 'reserved' };

    test('refuses a pod that only names a DaemonSet as its owner', () => {
      expect(filter(view, observedPod({ owner }), ['a'])).toMatchObject({
        nodeNames: [],
        refused: [{ refusal: 'reserved', nodeNames: ['a'] }],
      });
    });

    test('lets a pod pass that is pinned to it as the DaemonSet controller does, and charges it', () => {
      const answer = filter(view, observedPod({ owner, ...pinnedTo('a') }), ['a']);
      expect(answer).toEqual({
        nodeNames: ['a'],
        refused: [],
        charge: { nodeName: 'a', reservation: undefined },
      });
    });
  });

  test('chooses the fullest of the nodes with room to spare, whatever their order', () => {
    const guarded = { guarded: true };
    const view = viewOf({ name: 'a', fullness: 0.2, ...guarded }, { name: 'b', fullness: 0.7, ...guarded });
    for (const names of [
      ['a', 'b'],
      ['b', 'a'],
    ])
      expect(filter(view, observedPod(), names).nodeNames).toEqual(['b']);
  });
});

describe('prioritize', () => {
  test('orders the nodes as scoring each of them from 0 to 10 does, with the same distances', () => {
    fc.assert(
      fc.property(placementCase, ({ view, pod, nodeNames }) => {
        const byHand = scoresByHand(view, pod, nodeNames, NOW);
        const least = Math.min(...byHand.map(({ score }) => score));
        const above = byHand.map(({ nodeName, score }) => ({ nodeName, score: score - least }));
        expect(scoresOf(view, pod, nodeNames, NOW)).toEqual(above.filter(({ score }) => score > 0));
      }),
    );
  });

  test('gives the planned node more than any other', () => {
    fc.assert(
      fc.property(placementCase, ({ view, places, pod, nodeNames }) => {
        const scores = new Map(scoresOf(view, pod, nodeNames, NOW).map((one) => [one.nodeName, one.score]));
        const isPlanned = (name: string): boolean =>
          view.node(name) !== undefined && places.some(({ nodeName }) => nodeName === name);
        const scoreOf = (name: string): number => scores.get(name) ?? 0;
        for (const planned of nodeNames.filter(isPlanned))
          for (const other of nodeNames.filter((name) => !isPlanned(name)))
            expect(scoreOf(planned)).toBeGreaterThan(scoreOf(other));
      }),
    );
  });

  test('answers nothing where all nodes are wanted alike', () => {
    const view = viewOf(...ALL_NODES.map((name) => ({ name, fullness: 0.5 })));
    expect(scoresOf(view, observedPod(), ALL_NODES, NOW)).toEqual([]);
  });

  test.each([
    ['fuller', { fullness: 0.9 }, { fullness: 0.1 }],
    ['cheaper', { hourlyPrice: 0.1 }, { hourlyPrice: 1 }],
    ['longer-lived', { endsAt: Infinity }, { endsAt: NOW }],
    ['staying', {}, { leaving: true }],
    ['longer needed', { fullness: 0.2 }, { fullness: 0.9, emptying: true }],
  ])('prefers the %s node', (_word, better, worse) => {
    const view = viewOf({ name: 'better', ...better }, { name: 'worse', ...worse });
    const [first, second] = scoresOf(view, observedPod(), ['better', 'worse'], NOW);
    expect(first?.score).toBeGreaterThan(second?.score ?? 0);
  });
});

describe('preempt', () => {
  const victims: ReadonlyMap<string, Victims> = new Map(
    ALL_NODES.map((name) => [name, { uids: [`${name}-1`, `${name}-2`], numPDBViolations: 1 }]),
  );

  test('answers a part of the victims, unchanged', () => {
    fc.assert(
      fc.property(placementCase, fc.boolean(), ({ view, pod }, preemptWhileLaunching) => {
        const allowed = preempt(view, pod, victims, { ...WAITING, preemptWhileLaunching });
        for (const [name, one] of allowed) expect(one).toEqual(victims.get(name));
      }),
    );
  });

  test('lets no pod be evicted for a pod with a plan, unless an option allows it, and then only on its node', () => {
    const view = { ...viewOf(), placesOf: () => [{ nodeName: 'a', ready: false, reservation: 'r' }] };
    expect(preempt(view, observedPod(), victims, WAITING).size).toBe(0);
    expect(preempt(view, observedPod(REFUSED), victims, WAITING).size).toBe(0);
    const eager = preempt(view, observedPod(), victims, { ...WAITING, preemptWhileLaunching: true });
    expect([...eager.keys()]).toEqual(['a']);
  });

  test.each([
    ['a new pod waits for its plan', {}, 0],
    ['one that a plan had no place for does not', REFUSED, ALL_NODES.length],
    ['an old pod does not', { createdAt: NOW }, ALL_NODES.length],
    ['nor one of another scheduler', { schedulerName: 'other' }, ALL_NODES.length],
    ['nor one that cannot be planned', { resourceClaims: ['gpu'] }, ALL_NODES.length],
    [
      'nor a DaemonSet pod',
      { owner: { kind: 'DaemonSet', name: 'agent' }, ...pinnedTo('a') },
      ALL_NODES.length,
    ],
  ])('%s', (_name, overrides, count) => {
    const pod = observedPod({ createdAt: WAITING.now - 1_000, ...overrides });
    expect(preempt(viewOf(), pod, victims, WAITING).size).toBe(count);
  });

  test.each([
    ['one that only names a DaemonSet as its owner evicts where no room is held', {}, ['b']],
    ['one that is pinned evicts wherever kube-scheduler asks', pinnedTo('a'), ['a', 'b']],
  ])('of DaemonSet pods, %s', (_name, overrides, allowed) => {
    const nodes = viewOf({ name: 'a', guarded: true }, { name: 'b' });
    const view: PlacementView = { ...nodes, shortage: () => 'reserved' };
    const pod = observedPod({ owner: { kind: 'DaemonSet', name: 'nosuch' }, ...overrides });
    const asked = new Map([...victims].filter(([name]) => name === 'a' || name === 'b'));
    expect([...preempt(view, pod, asked, WAITING).keys()]).toEqual(allowed);
  });

  test('drops nodes that go away, and those whose room is held even then', () => {
    const view = viewOf(
      { name: 'a', leaving: true },
      { name: 'b', guarded: true },
      { name: 'c', guarded: true },
    );
    const freed: string[][] = [];
    const judged: PlacementView = {
      ...view,
      shortage: (_pod, { name }, uids = []) => {
        freed.push([...uids]);
        return name === 'b' ? 'reserved' : 'none';
      },
    };
    const allowed = preempt(judged, observedPod({ createdAt: NOW }), victims, WAITING);
    expect([...allowed.keys()]).toEqual(['c', 'd', 'e', 'stranger']);
    expect(freed).toEqual([
      ['b-1', 'b-2'],
      ['c-1', 'c-2'],
    ]);
  });
});

describe('a pod of a gang that is not whole', () => {
  test('is refused everywhere, in words that never change, also where it is planned', () => {
    const place = { nodeName: 'a', ready: true, reservation: 'node.a' };
    const view: PlacementView = {
      ...viewOf({ name: 'a' }),
      waitsForGang: () => true,
      placesOf: () => [place],
    };
    expect(filter(view, observedPod({}), ['a', 'b'])).toEqual({
      nodeNames: [],
      refused: [{ refusal: 'gangWaits', nodeNames: ['a', 'b'] }],
      charge: undefined,
    });
  });

  test('a pod whose plan holds in one order only is refused everywhere until its turn has come', () => {
    const place = { nodeName: 'a', ready: true, reservation: 'node.a' };
    const early: PlacementView = {
      ...viewOf({ name: 'a' }),
      waitsForOthers: () => true,
      placesOf: () => [place],
    };
    const answer = { nodeNames: [], refused: [{ refusal: 'orderWaits', nodeNames: ['a', 'b'] }] };
    expect(filter(early, observedPod({}), ['a', 'b'])).toEqual({ ...answer, charge: undefined });
    const inTurn = { ...early, waitsForOthers: () => false };
    expect(filter(inTurn, observedPod({}), ['a', 'b']).nodeNames).toEqual(['a']);
  });

  test('a pod whose place is being written is refused everywhere, though nothing is restricted', () => {
    const view: PlacementView = { ...viewOf({ name: 'a' }), awaitsPlace: () => true };
    expect(isFree(view, observedPod({}))).toBe(false);
    expect(filter(view, observedPod({}), ['a', 'b'])).toEqual({
      nodeNames: [],
      refused: [{ refusal: 'notReady', nodeNames: ['a', 'b'] }],
      charge: undefined,
    });
  });
});
