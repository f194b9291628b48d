/** Any view that placement may be given, any pod, and any request. */
import fc from 'fast-check';
import { prioritize } from '../../../src/planning/placement/prioritize.js';
import { NodeRows } from '../../../src/state/ledger/node-rows.js';
import type {
  NodeColumns,
  PlacementNode,
  PlacementPod,
  PlacementView,
  PlannedPlace,
  Shortage,
} from '../../../src/planning/placement/placement-view.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';

export const KNOWN_NODES = ['a', 'b', 'c', 'd', 'e'];
/** The last of them is a node that the view does not know. */
export const ALL_NODES = [...KNOWN_NODES, 'stranger'];

const node: fc.Arbitrary<Omit<PlacementNode, 'name'> & { readonly shortage: Shortage }> = fc.record({
  leaving: fc.boolean(),
  emptying: fc.boolean(),
  guarded: fc.boolean(),
  fullness: fc.double({ min: 0, max: 1, noNaN: true }),
  hourlyPrice: fc.option(fc.double({ min: 0, max: 40, noNaN: true }), { nil: undefined }),
  endsAt: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 2 ** 45 })),
  shortage: fc.constantFrom('none' as const, 'reserved' as const, 'daemonRoom' as const),
});

const place: fc.Arbitrary<PlannedPlace> = fc.record({
  nodeName: fc.option(fc.constantFrom(...ALL_NODES), { nil: undefined }),
  ready: fc.boolean(),
  reservation: fc.constantFrom('r1', 'r2'),
});

/** The affinity that the DaemonSet controller gives a pod for the node. */
export function pinnedTo(node: string): Pick<ObservedPodOverrides, 'nodeAffinity'> {
  const fields = new Map([['metadata.name', requirement('metadata.name', 'In', [node])]]);
  return { nodeAffinity: { required: [{ labels: new Map(), fields }] } };
}

/** What a view answers of these nodes. */
export function restrictedAmong(
  nodes: ReadonlyMap<string, Pick<PlacementNode, 'leaving' | 'guarded'>>,
): ReadonlySet<string> {
  const restricted = [...nodes].filter(([, { leaving, guarded }]) => leaving || guarded);
  return new Set(restricted.map(([name]) => name));
}

/** The columns of a view of these nodes. */
export function columnsOf(nodes: Iterable<PlacementNode>): NodeColumns {
  const rows = new NodeRows();
  for (const node of nodes) {
    const row = rows.add(node);
    rows.leaving[row] = node.leaving ? 1 : 0;
    rows.emptying[row] = node.emptying ? 1 : 0;
    rows.hourlyPrice[row] = node.hourlyPrice ?? NaN;
    rows.endsAt[row] = node.endsAt;
  }
  return rows;
}

export interface NodeScore {
  readonly nodeName: string;
  readonly score: number;
}

/** What prioritize says of the nodes of these names, in their order, without those of score 0. */
export function scoresOf(
  view: PlacementView,
  pod: PlacementPod,
  nodeNames: readonly string[],
  now: number,
): readonly NodeScore[] {
  const rows = Int32Array.from(nodeNames, (name) => view.columns.rowOf(name));
  const scores = prioritize(view, pod, rows, now);
  const all = nodeNames.map((nodeName, index) => ({ nodeName, score: scores[index] ?? 0 }));
  return all.filter(({ score }) => score > 0);
}

export interface PlacementCase {
  readonly view: PlacementView;
  readonly places: readonly PlannedPlace[];
  readonly pod: PlacementPod;
  readonly nodeNames: readonly string[];
}

export const placementCase: fc.Arbitrary<PlacementCase> = fc
  .record({
    nodes: fc.tuple(...KNOWN_NODES.map(() => node)),
    places: fc.oneof(fc.constant([]), fc.array(place, { maxLength: 2 })),
    admits: fc.boolean(),
    owner: fc.constantFrom(
      undefined,
      { kind: 'ReplicaSet', name: 'web' },
      { kind: 'DaemonSet', name: 'agent' },
    ),
    isPinned: fc.boolean(),
    nodeNames: fc.shuffledSubarray(ALL_NODES),
  })
  .map(({ nodes, places, admits, owner, isPinned, nodeNames }) => {
    const known = new Map(nodes.map((one, index) => [KNOWN_NODES[index] ?? '', one]));
    const view: PlacementView = {
      node: (name) => {
        const found = known.get(name);
        return found === undefined ? undefined : { ...found, name };
      },
      columns: columnsOf([...known].map(([name, one]) => ({ ...one, name }))),
      restricted: restrictedAmong(known),
      waitsForGang: () => false,
      waitsForOthers: () => false,
      awaitsPlace: () => false,
      placesOf: () => places,
      admits: () => admits,
      shortage: (_pod, { name }) => known.get(name)?.shortage ?? 'none',
    };
    return { view, places, pod: observedPod({ owner, ...(isPinned && pinnedTo('a')) }), nodeNames };
  });
