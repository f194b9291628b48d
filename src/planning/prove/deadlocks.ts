/**
 * Keeps pods from holding each other up: where the rules of a group may leave pods that can never be bound, its pods are
 * bound in stages, each once all of the stage before are bound; those of one stage in any order.
 */
import { append } from '../../domain/values/lists.js';
import { type BindOrder, MOST_AWAITED } from './bind-order.js';
import { BindingState, findOrder } from './binding-state.js';
import type { PlannedCluster, Stand } from './cluster/planned-cluster.js';
import type { SpecAsks } from './proof-memory.js';
import type { Refutation } from './refutation.js';
import type { TightSpread } from './spread-proof.js';
import type { DomainTable } from './cluster/topology-domains.js';
import { type WaitRule, waitRules } from './wait-rules.js';

/** Groups of more pods, and plans with more rules that make pods wait, are not looked at: it takes the square of them. */
const MOST_PODS = 500;
const MOST_RULES = 1_000;
/** States of a group up to which all are looked at. */
const MOST_STATES = 1_000;
/** Pods that are tried in search of an order for one group. */
const MOST_TRIES = 20_000;

interface Proven {
  readonly asks: SpecAsks;
  readonly domains: DomainTable;
  readonly order: BindOrder;
  readonly tight: readonly TightSpread[];
  /** Pods whose order is known, with all that have rules about each other, so that nothing is to be asked about them. */
  readonly settled?: { has(key: string): boolean };
}

/** Adds to the order of binding what it takes; what is wrong where no order exists. For plans that hold otherwise. */
export function preventDeadlocks(cluster: PlannedCluster, proven: Proven): readonly Refutation[] {
  const { keys } = cluster.snapshot.pods;
  const { settled } = proven;
  const isSettled = ({ stands }: WaitRule): boolean =>
    settled !== undefined && stands.some(({ placed }) => placed.some((row) => settled.has(keys[row] ?? '')));
  const rules = waitRules(cluster, proven).filter((rule) => !isSettled(rule));
  if (rules.length > MOST_RULES) return [];
  return deadlockGroups(rules).flatMap((group): Refutation[] => {
    const pods = group.stands.reduce((sum, { placed }) => sum + placed.length, 0);
    if (pods > MOST_PODS) return [];
    const state = new BindingState(group, cluster, proven);
    if (hasNoDeadlock(state)) return [];
    const stages = stagesOf(state)?.map((stage) => stage.map((row) => keys[row] ?? ''));
    const isKept = stages?.every((pods, at) =>
      proven.order.add({ pods, others: stages[at - 1] ?? [], cause: group }),
    );
    if (isKept === true) return [];
    const all = group.stands.flatMap(({ placed }) => placed.map((row) => keys[row] ?? ''));
    return [{ rule: 'topologySpread', pods: all, detail: 'each waits for another of them' }];
  });
}

/** Whether in each state that the order of binding allows, until all are bound, some pod may be bound. */
function hasNoDeadlock(state: BindingState): boolean {
  const { stands } = state;
  const states = stands.reduce((product, { placed }) => product * (placed.length + 1), 1);
  if (states > MOST_STATES) return false;
  for (let number = 0; number < states - 1; number++) {
    if (state.isInOrder && !stands.some((_, at) => state.left(at) > 0 && state.surelyAdmits(at))) {
      state.clear();
      return false;
    }
    // The next state: one more of the first stand that is not full, and none of those before it.
    for (let at = 0, isNext = false; at < stands.length && !isNext; at++) {
      isNext = state.left(at) > 0;
      state.add(at, isNext ? 1 : -(state.bound[at] ?? 0));
    }
  }
  state.clear();
  return true;
}

/** Rows of pods that may be bound one stage after the other; undefined where there is no such order, or none is found. */
function stagesOf(state: BindingState): readonly (readonly number[])[] | undefined {
  const order = findOrder(state, { tries: MOST_TRIES });
  if (order === undefined) return undefined;
  state.clear();
  const stages: number[][] = [];
  for (let next = 0; next < order.length;) {
    const stage = stageFrom(order, next, state);
    next += stage.length;
    stages.push(stage);
  }
  return stages;
}

/** The pods that may be bound from one on in any order, before those after them. */
function stageFrom(order: readonly number[], first: number, state: BindingState): number[] {
  const floors = state.floors();
  const admitted = state.stands.map((_, stand) => state.admits(stand));
  const rows: number[] = [];
  const stands = new Set<number>();
  for (const stand of order.slice(first, first + MOST_AWAITED / 2)) {
    if (admitted[stand] !== true) break;
    const begins = rows.length === 0 && state.begins(stand);
    state.add(stand, 1);
    if (rows.length > 0 && ![...stands, stand].every((each) => state.keepsTo(floors, each))) {
      state.add(stand, -1);
      break;
    }
    stands.add(stand);
    rows.push(state.stands[stand]?.placed[(state.bound[stand] ?? 0) - 1] ?? -1);
    if (begins) break;
  }
  return rows;
}

/** Rules in such circles, with all stands that they count or ask. */
interface DeadlockGroup {
  readonly rules: readonly WaitRule[];
  readonly stands: readonly Stand[];
}

type Links = Pick<WaitRule, 'blocks' | 'awaits'>;

/** Groups that share no circle, an order of binding among the stands of each included. */
function deadlockGroups(rules: readonly WaitRule[]): readonly DeadlockGroup[] {
  let groups = groupsAmong(rules, []);
  for (;;) {
    // As though the stands of a group waited for each other: then its rules wait for whatever any of them waits for.
    const orders = groups.map(({ stands }): Links => {
      const all = new Set(stands);
      return { blocks: all, awaits: all };
    });
    const wider = groupsAmong(rules, orders);
    const size = (each: readonly DeadlockGroup[]): number =>
      each.reduce((sum, group) => sum + group.rules.length, 0);
    if (wider.length === groups.length && size(wider) === size(groups)) return groups;
    groups = wider;
  }
}

function groupsAmong(rules: readonly WaitRule[], orders: readonly Links[]): readonly DeadlockGroup[] {
  const circles = circlesOf(followers([...rules, ...orders]));
  return circles.flatMap((members): DeadlockGroup[] => {
    const own = members.flatMap((index) => rules[index] ?? []);
    if (own.length < 2 || own.every(({ spread }) => spread === undefined)) return [];
    return [{ rules: own, stands: [...new Set(own.flatMap(({ stands }) => stands))] }];
  });
}

/** Rule → the rules that may keep pods waiting for which its own pods wait. */
function followers(rules: readonly Links[]): readonly (readonly number[])[] {
  const blockers = new Map<Stand, number[]>();
  for (const [index, { blocks }] of rules.entries()) {
    for (const stand of blocks) append(blockers, stand, index);
  }
  return rules.map(({ awaits }) => {
    const next = new Set<number>();
    for (const stand of awaits) for (const index of blockers.get(stand) ?? []) next.add(index);
    return [...next];
  });
}

/** Sets of rules each of which leads to all others of its set (strongly connected components: Tarjan, 1972). */
function circlesOf(next: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const found: number[][] = [];
  const number = new Int32Array(next.length).fill(-1);
  const lowest = new Int32Array(next.length);
  const isOpen = new Uint8Array(next.length);
  const open: number[] = [];
  let count = 0;
  const visit = (rule: number): void => {
    lowest[rule] = number[rule] = count++;
    open.push(rule);
    isOpen[rule] = 1;
    for (const other of next[rule] ?? []) {
      if (number[other] === -1) visit(other);
      if (isOpen[other] === 1) lowest[rule] = Math.min(lowest[rule] ?? 0, lowest[other] ?? 0);
    }
    if (lowest[rule] !== number[rule]) return;
    const circle = open.splice(open.lastIndexOf(rule));
    for (const member of circle) isOpen[member] = 0;
    found.push(circle);
  };
  for (const rule of next.keys()) if (number[rule] === -1) visit(rule);
  return found;
}
