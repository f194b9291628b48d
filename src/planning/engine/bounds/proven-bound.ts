/**
 * What dual values prove about the whole problem, by weak duality: every node that can be launched is worth at most its
 * price, else all prices are lowered until it is; then a plan that places all pods costs at least what they are worth where that
 * is least, less what the room of existing nodes is worth.
 */
import type { PodClass } from '../../model/classes/pod-class.js';
import type { NodeConstraint } from '../../model/constraints/node-constraint.js';
import { LEAST_PRICE } from '../../model/launch/resource-prices.js';
import { pricedParts } from '../../model/lower-bound.js';
import type { Problem } from '../../model/problem.js';
import { PODS_AXIS } from '../../optimize/problem/bin-problem.js';
import { ANY_ZONE, type PlanDuals } from '../../plan.js';
import type { Snapshot } from '../../snapshot/snapshot.js';

export interface ProvenBound {
  /** The dual values, lowered as far as they have to be. */
  readonly duals: ClassDuals;
  /** USD/h. */
  readonly bound: number;
}

export function provenBound(problem: Problem, duals: ClassDuals): ProvenBound {
  const asked = questionsOf(duals);
  const zones = new Map(asked.map((question) => [question, new Set<string>()]));
  const scaled = lowered(problem, duals, { asked, zones });
  let bound = 0;
  for (const question of asked) {
    for (const pods of question.classes) {
      const worths = [...(zones.get(question) ?? [])].map((zone) => worthOf(scaled, question, pods, zone));
      bound += pods.pods.length * (worths.length === 0 ? 0 : Math.min(...worths));
    }
  }
  for (let node = 0; node < problem.snapshot.nodes.length; node++)
    bound -= nodeWorth(problem, scaled, asked, node);
  return { duals: scaled, bound: Math.max(0, bound) };
}

/** So that what was lowered to the very price does not come out a hair above it. */
const ROUNDING = 1e-12;

/** Classes that are admitted alike and have the same prices. */
interface Question extends PricedClasses {
  readonly index: number;
  readonly constraint: NodeConstraint;
  /** R amounts: the least that one of the classes requests. */
  readonly least: Float64Array;
  readonly inSlot: boolean;
}

function questionsOf({ classes: lists, slot }: ClassDuals): readonly Question[] {
  const slots = new Set(slot?.classes ?? []);
  const result = new Map<string, Question & { readonly classes: PodClass[] }>();
  lists.forEach(({ classes, zones }, list) => {
    for (const pods of classes) {
      const constraint = pods.asks.at(-1)?.constraint;
      if (constraint === undefined) continue;
      const inSlot = slots.has(pods);
      // Extended resources decide where a pod can go: GPUs and the like.
      const kinds = pods.requests.map((amount) => Number(amount > 0)).join('');
      const key = `${String(list)} ${String(inSlot)} ${kinds} ${constraint.key}`;
      const known = result.get(key);
      if (known === undefined) {
        const index = result.size;
        result.set(key, { index, classes: [pods], zones, constraint, inSlot, least: pods.requests.slice() });
      } else {
        known.classes.push(pods);
        pods.requests.forEach((amount, index) => {
          known.least[index] = Math.min(amount, known.least[index] ?? 0);
        });
      }
    }
  });
  return [...result.values()];
}

/**
 * The prices, lowered until nothing that can be launched is worth more than it costs: where something is, the highest prices
 * that pods have there are capped. Notes where each may go.
 */
function lowered(
  { launchables, admission, snapshot }: Problem,
  { prices, classes, slot }: ClassDuals,
  { asked, zones }: { readonly asked: readonly Question[]; readonly zones: Map<Question, Set<string>> },
): ClassDuals {
  const width = snapshot.resources.length;
  const admitted = asked.map(({ constraint }) => admission.columns(constraint));
  const result = { prices: prices.map((perUnit) => perUnit.slice()), classes, slot: slot && { ...slot } };
  for (let column = 0; column < launchables.price.length; column++) {
    const zone = launchables.offerings[column]?.zone ?? '';
    const row = launchables.columnRow[column] ?? 0;
    const net = launchables.net.subarray(row * width, (row + 1) * width);
    const here = asked.filter(
      (question, index) => admitted[index]?.[column] === 1 && covers(net, question.least),
    );
    for (const question of here) zones.get(question)?.add(zone);
    const room = roomOf(net, here, (question) => groupsIn(question, zone));
    const worth = roomWorth(result, room);
    const price = Math.max(LEAST_PRICE, launchables.price[column] ?? Infinity);
    if (worth > price) cap(result, room, (price / worth) * (1 - ROUNDING));
  }
  return result;
}

interface LoweredDuals extends ClassDuals {
  readonly slot: { readonly classes: readonly PodClass[]; price: number } | undefined;
}

/** Lowers the highest prices for a room to this share of what they are; a slot too. */
function cap(duals: LoweredDuals, room: Room, share: number): void {
  room.amounts.forEach((_, index) => {
    const most = highestPrice(duals, room, index) * share;
    for (const group of room.groups) {
      const perUnit = duals.prices[group];
      if (perUnit !== undefined) perUnit[index] = Math.min(most, perUnit[index] ?? 0);
    }
  });
  if (room.hasSlot && duals.slot !== undefined) duals.slot.price *= share;
}

function covers(net: Float64Array, least: Float64Array): boolean {
  for (let index = 0; index < net.length; index++)
    if ((net[index] ?? 0) < Math.max(0, least[index] ?? 0)) return false;
  return true;
}

function groupIn({ zones }: PricedClasses, zone: string): number | undefined {
  return zones.get(zone) ?? zones.get(ANY_ZONE);
}

function groupsIn(question: PricedClasses, zone: string): readonly number[] {
  const group = groupIn(question, zone);
  return group === undefined ? [] : [group];
}

/** Room with the prices of the pods that may use it. */
interface Room {
  /** R amounts; no more pods than would fit if each were the smallest. */
  readonly amounts: Float64Array;
  readonly groups: readonly number[];
  readonly hasSlot: boolean;
}

function roomOf(
  free: Float64Array,
  asked: readonly Question[],
  groupsOf: (question: Question) => readonly number[],
): Room {
  const priced = asked.filter((question) => groupsOf(question).length > 0);
  const amounts = free.map((amount) => Math.max(0, amount));
  amounts[PODS_AXIS] = mostPods(amounts, priced);
  return {
    amounts,
    groups: [...new Set(priced.flatMap(groupsOf))],
    hasSlot: priced.some(({ inSlot }) => inSlot),
  };
}

/** Most that pods in this room can be worth: each resource at the highest price that any pod has for it, and a slot. */
function roomWorth(duals: ClassDuals, room: Room): number {
  let worth = room.hasSlot ? (duals.slot?.price ?? 0) : 0;
  for (let index = 0; index < room.amounts.length; index++)
    worth += (room.amounts[index] ?? 0) * highestPrice(duals, room, index);
  return worth;
}

function highestPrice({ prices }: ClassDuals, { groups }: Room, index: number): number {
  let most = 0;
  for (const group of groups) most = Math.max(most, prices[group]?.[index] ?? 0);
  return most;
}

function mostPods(room: Float64Array, asked: readonly Question[]): number {
  let most = Infinity;
  for (let index = 0; index < room.length; index++) {
    const least = Math.min(...asked.map((question) => question.least[index] ?? 0));
    if (least > 0) most = Math.min(most, Math.floor((room[index] ?? 0) / least));
  }
  return most === Infinity ? 0 : most;
}

function worthOf({ prices, slot }: ClassDuals, question: Question, pods: PodClass, zone: string): number {
  const perUnit = prices[groupIn(question, zone) ?? -1];
  if (perUnit === undefined) return 0;
  let worth = question.inSlot ? (slot?.price ?? 0) : 0;
  pods.requests.forEach((amount, index) => (worth += amount * (perUnit[index] ?? 0)));
  return worth;
}

function nodeWorth(
  { admission, nodeFree, snapshot }: Problem,
  duals: ClassDuals,
  asked: readonly Question[],
  node: number,
): number {
  const width = snapshot.resources.length;
  const here = asked.filter(({ constraint }) => admission.node(constraint, node));
  const free = nodeFree.subarray(node * width, (node + 1) * width);
  return roomWorth(
    duals,
    roomOf(free, here, ({ zones }) => [...zones.values()]),
  );
}

/** As `PlanDuals`, by class; a class that is not listed is worth nothing. */
export interface ClassDuals {
  /** Groups of prices: USD/h per unit, R each. */
  readonly prices: readonly Float64Array[];
  readonly classes: readonly PricedClasses[];
  readonly slot?: { readonly classes: readonly PodClass[]; readonly price: number } | undefined;
}

/** Classes that have their prices from the same groups. */
interface PricedClasses {
  readonly classes: readonly PodClass[];
  /** Zone or `*` → index into `prices`. */
  readonly zones: ReadonlyMap<string, number>;
}

/** The prices that prove `Problem.lowerBound`: one group per part of the problem, the same in all zones. */
export function aggregatedDuals(problem: Problem): ClassDuals {
  const classes = problem.classes.filter(({ blocked }) => blocked === undefined);
  const parts = pricedParts({ ...problem, classes }).filter(({ prices }) => prices.lowerBound > 0);
  return {
    prices: parts.map(({ prices }) => prices.perUnit),
    classes: parts.map((part, group) => ({ classes: part.classes, zones: new Map([[ANY_ZONE, group]]) })),
  };
}

/** By pod instead of by class. */
export function planDuals({ snapshot }: Problem, { prices, classes, slot }: ClassDuals): PlanDuals {
  return {
    prices: prices.map(
      (perUnit) =>
        new Map(
          snapshot.resources.flatMap((name, resource) => {
            const price = perUnit[resource] ?? 0;
            return price > 0 ? [[name, price] as const] : [];
          }),
        ),
    ),
    pods: classes.map((list) => ({ pods: podKeys(snapshot, list.classes), zones: list.zones })),
    ...(slot && { slot: { pods: podKeys(snapshot, slot.classes), perNode: 1, price: slot.price } }),
  };
}

function podKeys({ pods }: Snapshot, classes: readonly PodClass[]): readonly string[] {
  return classes.flatMap((each) => each.pods.map((pod) => pods.keys[pod] ?? '')).sort();
}
