/** Packs a problem with the optimizer's bins: what it knows at least cost, what it does not know by the exact rules after it. */
import { type OptimizerOptions, shareOfWork } from '../../optimize/problem/bin-problem.js';
import { optimize } from '../../optimize/optimize.js';
import { tiedSeekers } from '../companions.js';
import { Packer } from '../pack.js';
import { packingOrder } from '../packing-order.js';
import { Packing } from '../../rules/packing.js';
import type { PodClass } from '../../model/classes/pod-class.js';
import type { Problem } from '../../model/problem.js';
import { binTables, type BinTables, compileBins } from './compile-bins.js';
import { isKnownUnit } from './draft-items.js';
import { Replay } from './replay.js';
import type { Target } from '../../rules/targets.js';

export interface GuidedPacking {
  readonly packing: Packing;
  /** USD/h below which nothing places all pods; 0 when this says nothing about the whole problem. */
  readonly lowerBound: number;
}

/** Offers to the pools that come next after which what is left is placed pod by pod. */
const MAX_OFFERS = 6;
/** Times that what broke a spread rule is packed again. */
const MAX_ROUNDS = 2;

/**
 * Existing nodes are filled first: they are paid. undefined when there is nothing for the optimizer to pack.
 *
 * @param proposed pending pod → node that it goes to, where the exact rules allow it.
 */
export function packGuided(
  problem: Problem,
  options: OptimizerOptions,
  proposed?: ReadonlyMap<string, string>,
): GuidedPacking | undefined {
  const packing = new Packing(problem);
  if (proposed !== undefined) placeProposed(packing, proposed);
  const tables = binTables(packing);
  const packer = (): Packer => new Packer(packing, packingOrder(problem, true, classesLeft(packing)));
  let lowerBound: number | undefined;
  for (let round = 0; round < MAX_ROUNDS && isLeft(packing); round++) {
    if (packing.targets.length > 0 || tiedSeekers(packing).length > 0) fillNodes(packing, packer());
    const found = packLeft(packing, tables, options);
    lowerBound ??= found;
  }
  if (lowerBound === undefined && proposed === undefined) return undefined;
  if (isLeft(packing)) packer().run();
  packing.dropEmpty();
  return { packing, lowerBound: lowerBound ?? 0 };
}

/** Fills nodes and claims that there are; pods that must come to a node together wait for each other. */
function fillNodes(packing: Packing, packer: Packer): void {
  const units = packer.placeCompanions((unit) => !isKnownUnit(packing, unit));
  if (packing.targets.length > 0) packer.fillOpen();
  packer.release(units);
}

/**
 * One round; returns its lower bound, undefined when there was nothing to pack. Where limits leave pods of a pool out, they
 * are offered the pools that come next before spread is judged.
 */
function packLeft(packing: Packing, tables: BinTables, options: OptimizerOptions): number | undefined {
  const replay = new Replay(packing);
  const pods = podsLeft(packing);
  let lowerBound: number | undefined;
  for (let offer = 0; offer < MAX_OFFERS && isLeft(packing); offer++) {
    const compiled = compileBins(packing, tables);
    if (compiled === undefined) break;
    // What is offered again is worth its part of the work only.
    const solution = optimize(compiled.problem, shareOfWork(options, podsLeft(packing) / pods));
    lowerBound ??= compiled.isWhole ? solution.lowerBound : 0;
    if (replay.open(compiled, solution.bins) === 0) break;
  }
  replay.settle();
  return lowerBound;
}

function classesLeft({ problem, remaining }: Packing): readonly PodClass[] {
  return problem.classes.filter(({ index }) => (remaining[index] ?? 0) > 0);
}

function podsLeft({ remaining }: Packing): number {
  return remaining.reduce((sum, left) => sum + left, 0);
}

function isLeft({ remaining }: Packing): boolean {
  return remaining.some((left) => left > 0);
}

// Places pods on nodes that exist as a proposal says, as far as the exact rules allow.

interface Proposed {
  readonly pods: PodClass;
  readonly target: Target;
  left: number;
}

/**
 * What is not allowed is left to be packed like any other pod. Rules between pods may allow a pod only once others are placed:
 * so what is left is tried again as long as that helps.
 *
 * @param nodeOf `namespace/name` of a pending pod → name of a node.
 */
function placeProposed(packing: Packing, nodeOf: ReadonlyMap<string, string>): void {
  let waiting = proposed(packing, nodeOf);
  for (let isMoving = waiting.length > 0; isMoving;) {
    isMoving = false;
    for (const each of waiting) if (place(packing, each) > 0) isMoving = true;
    waiting = waiting.filter(({ left }) => left > 0);
  }
}

function proposed(
  { problem: { snapshot, classes }, targets }: Packing,
  nodeOf: ReadonlyMap<string, string>,
): readonly Proposed[] {
  const indices = new Map(snapshot.nodes.map(({ name }, index) => [name, index]));
  return classes.flatMap((pods): readonly Proposed[] => {
    const counts = new Map<number, number>();
    for (const row of pods.pods) {
      const node = indices.get(nodeOf.get(snapshot.pods.keys[row] ?? '') ?? '');
      if (node !== undefined) counts.set(node, (counts.get(node) ?? 0) + 1);
    }
    return [...counts].flatMap(([node, left]) => {
      const target = targets[node];
      return target === undefined ? [] : [{ pods, target, left }];
    });
  });
}

function place(packing: Packing, each: Proposed): number {
  const { pods, target } = each;
  const [ask] = pods.asks;
  let placed = 0;
  while (ask !== undefined && each.left > 0 && packing.mayPut(pods, ask, target)) {
    packing.put(pods, ask, target, 1);
    each.left--;
    placed++;
  }
  return placed;
}
