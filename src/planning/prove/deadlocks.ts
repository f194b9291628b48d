/**
 * Keeps pods from holding each other up: where the rules of a group may leave pods that can never be bound, its pods are
 * bound in stages, each once all of the stage before are bound; those of one stage in any order.
 */
import { MOST_AWAITED, type BindOrder } from './bind-order.js';
import { BindingState } from './binding-state.js';
import { deadlockGroups } from './deadlock-groups.js';
import type { PlannedCluster } from './planned-cluster.js';
import type { SpecAsks } from './proof-memory.js';
import type { Refutation } from './refutation.js';
import type { TightSpread } from './spread-proof.js';
import type { DomainTable } from './topology-domains.js';
import { waitRules, type WaitRule } from './wait-rules.js';

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
  const order = new OrderSearch(state).find();
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

/** An order in which every pod of a group may be bound, by trying, with what led nowhere remembered. */
class OrderSearch {
  readonly #state: BindingState;
  readonly #order: number[] = [];
  readonly #dead = new Set<string>();
  #tries = 0;

  constructor(state: BindingState) {
    this.#state = state;
  }

  /** Stands, once for each of their pods; all are bound afterwards. */
  find(): readonly number[] | undefined {
    return this.#extend(-1) ? this.#order : undefined;
  }

  /** The stands are taken in turn, so that stages become long. */
  #extend(last: number): boolean {
    const { stands, bound } = this.#state;
    const state = this.#state;
    if (stands.every((_, stand) => state.left(stand) === 0)) return true;
    const key = bound.join();
    if (this.#dead.has(key)) return false;
    for (let step = 1; step <= stands.length && this.#tries < MOST_TRIES; step++) {
      const stand = (last + step) % stands.length;
      this.#tries++;
      if (state.left(stand) === 0 || !state.admits(stand)) continue;
      state.add(stand, 1);
      this.#order.push(stand);
      if (this.#extend(stand)) return true;
      this.#order.pop();
      state.add(stand, -1);
    }
    this.#dead.add(key);
    return false;
  }
}
