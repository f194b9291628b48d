/** Random small clusters for move curves: every node holds what it admits and has room for, some of it immovable. */
import fc from 'fast-check';
import type { ClusterNodes } from '../../../../src/planning/disrupt/curve/cluster-nodes.js';
import type { BinProblem } from '../../../../src/planning/optimize/problem/bin-problem.js';
import { randomBinProblem } from '../../optimize/random-bin-problem.js';

export interface RandomCluster {
  readonly problem: BinProblem;
  readonly nodes: ClusterNodes;
}

interface NodeDraft {
  readonly room: readonly number[];
  readonly price: number;
  readonly zone: number;
  readonly signature: number;
  readonly stays: boolean;
  readonly closed: boolean;
  /** Classes to put on the node as long as they may. */
  readonly wanted: readonly number[];
  readonly costs: readonly number[];
}

/** Items wanted by a node, at most. */
const WANTED = 6;

const randomCost = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(0, 0.5, 1, 1, 1, 1, 2, 8) },
  { weight: 1, arbitrary: fc.constant(Infinity) },
);

export const randomCluster: fc.Arbitrary<RandomCluster> = randomBinProblem({
  classes: 6,
  items: 1,
  caps: true,
  small: false,
}).chain((problem) =>
  fc
    .array(randomNode(problem), { minLength: 1, maxLength: 8 })
    .map((drafts) => ({ problem, nodes: assemble(problem, drafts) })),
);

function randomNode({ resources, zones, signatures, classes }: BinProblem): fc.Arbitrary<NodeDraft> {
  const mostly = (usual: boolean): fc.Arbitrary<boolean> =>
    fc.constantFrom(usual, usual, usual, usual, usual, !usual);
  return fc.record({
    room: fc.tuple(...Array.from({ length: resources }, () => fc.integer({ min: 4, max: 40 }))),
    price: fc.integer({ min: 0, max: 60 }).map((cents) => cents / 10),
    zone: fc.integer({ min: 0, max: zones - 1 }),
    signature: fc.oneof(fc.constant(signatures - 1), fc.integer({ min: 0, max: signatures - 1 })),
    stays: mostly(false),
    closed: mostly(false),
    wanted: fc.array(fc.integer({ min: 0, max: classes.count - 1 }), {
      minLength: WANTED,
      maxLength: WANTED,
    }),
    costs: fc.array(randomCost, { minLength: WANTED, maxLength: WANTED }),
  });
}

function assemble(problem: BinProblem, drafts: readonly NodeDraft[]): ClusterNodes {
  const firstItem = [0];
  const itemClass: number[] = [];
  const movingCost: number[] = [];
  for (const draft of drafts) {
    const content: number[] = [];
    draft.wanted.forEach((item, index) => {
      if (!mayHold(problem, draft, [...content, item])) return;
      content.push(item);
      movingCost.push(draft.costs[index] ?? 1);
    });
    itemClass.push(...content);
    firstItem.push(itemClass.length);
  }
  return {
    count: drafts.length,
    room: Float64Array.from(drafts.flatMap(({ room }) => room)),
    price: Float64Array.from(drafts, ({ price }) => price),
    zone: Int32Array.from(drafts, ({ zone }) => zone),
    signature: Int32Array.from(drafts, ({ signature }) => signature),
    stays: Uint8Array.from(drafts, ({ stays }) => Number(stays)),
    closed: Uint8Array.from(drafts, ({ closed }) => Number(closed)),
    firstItem: Int32Array.from(firstItem),
    itemClass: Int32Array.from(itemClass),
    movingCost: Float64Array.from(movingCost),
  };
}

/** Where items are put: a node, or a bin type in a zone. */
export interface Host {
  readonly room: readonly number[];
  readonly zone: number;
  readonly signature: number;
}

/** Whether a host may hold these items together: requirement sets, zone masks, caps, room. */
export function mayHold(
  problem: BinProblem,
  { room, zone, signature }: Host,
  content: readonly number[],
): boolean {
  const { classes, admits, requirementSets, resources, cap } = problem;
  const row = signature * requirementSets;
  return (
    content.every((item) => admits[row + (classes.requirementSet[item] ?? 0)] === 1) &&
    content.every((item) => ((classes.zoneMask[item] ?? 0) & (1 << zone)) !== 0) &&
    Array.from(cap).every(
      (most, group) => content.filter((item) => classes.capGroup[item] === group).length <= most,
    ) &&
    room.every((most, axis) => {
      const asked = content.reduce((sum, item) => sum + (classes.requests[item * resources + axis] ?? 0), 0);
      return asked <= most;
    })
  );
}
