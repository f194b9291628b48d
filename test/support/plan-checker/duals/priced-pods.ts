/** Pods by what they ask and what duals say they are worth. */
import { HOSTNAME } from '../../../../src/domain/values/labels.js';
import { selects } from '../../../../src/domain/values/label-selector.js';
import type { Pod, PodSpec } from '../../../../src/domain/pods/pod.js';
import { PODS, type ResourceList } from '../../../../src/domain/values/resources.js';
import type { Taint } from '../../../../src/domain/values/taint.js';
import { ANY_ZONE, type PlanDuals } from '../../../../src/planning/plan.js';
import { admittedByLabels, nodeRulesKey, toleratesAll, type Selectable } from '../node-rules.js';
import type { Findings } from '../violation.js';
import type { Volumes } from '../volumes.js';

/** Pods that are alike in all that proving a bound looks at. */
export interface PodKind {
  /** By what they request. */
  readonly sizes: readonly PodSize[];
  /** The least that one of them requests of each resource. */
  readonly least: ResourceList;
  /** Zone → prices; undefined for pods that are worth nothing. */
  readonly zones: ReadonlyMap<string, number> | undefined;
  readonly inSlot: boolean;
  /** Equal for kinds that may run on the same nodes. */
  readonly rules: string;
  /** Features that an existing node has to declare. */
  readonly features: readonly string[];
  /** Whether labels, taints and volumes let the pods onto a node. */
  readonly mayRun: (node: Selectable, taints: readonly Taint[], volumes: Volumes) => boolean;
}

interface PodSize {
  readonly requests: ResourceList;
  readonly pods: number;
}

export class PricedPodKinds {
  readonly all: readonly PodKind[];
  readonly #duals: PlanDuals;
  /** USD/h; 0 when the slot is not believed. */
  readonly #slotPrice: number;

  constructor(duals: PlanDuals, pending: ReadonlyMap<string, Pod>, findings: Findings) {
    this.#duals = duals;
    this.all = kindsOf(duals, pending, findings);
    this.#slotPrice = duals.slot?.price ?? 0;
    checkPrices(duals, findings);
    checkSlot(duals, pending, findings);
  }

  /** USD/h of one pod of a kind in a zone. */
  worth(kind: PodKind, requests: ResourceList, zone: string): number {
    const prices = this.#duals.prices[kind.zones?.get(zone) ?? kind.zones?.get(ANY_ZONE) ?? -1];
    const slot = prices !== undefined && kind.inSlot ? this.#slotPrice : 0;
    return dot(requests, prices) + slot;
  }

  /**
   * Most that any pods in this room are worth, no more of them than would fit if each were the smallest; `zone` undefined: at
   * the highest of each pod's prices.
   */
  mostWorth(room: ResourceList, zone: string | undefined, admits: (kind: PodKind) => boolean): number {
    const priced = this.all.filter((kind) => this.#groupsOf(kind, zone).length > 0 && admits(kind));
    if (priced.length === 0) return 0;
    const highest = new Map<string, number>();
    for (const group of new Set(priced.flatMap((kind) => this.#groupsOf(kind, zone))))
      for (const [name, price] of this.#duals.prices[group] ?? [])
        highest.set(name, Math.max(price, highest.get(name) ?? 0));
    const slots = priced.some(({ inSlot }) => inSlot) ? (this.#duals.slot?.perNode ?? 0) : 0;
    return dot(new Map([...room, [PODS, mostPods(room, priced)]]), highest) + slots * this.#slotPrice;
  }

  #groupsOf({ zones }: PodKind, zone: string | undefined): readonly number[] {
    if (zones === undefined) return [];
    if (zone === undefined) return [...zones.values()];
    const group = zones.get(zone) ?? zones.get(ANY_ZONE);
    return group === undefined ? [] : [group];
  }
}

/** What fits of the smallest in the room; every pod takes one of `pods`. */
function mostPods(room: ResourceList, kinds: readonly PodKind[]): number {
  const most = [...room].map(([name, amount]) => {
    const smallest = Math.min(...kinds.map(({ least }) => least.get(name) ?? 0));
    return smallest > 0 ? Math.floor(amount / smallest) : Infinity;
  });
  return Math.min(...most);
}

/** Room below zero is worth nothing. */
function dot(amounts: ResourceList, prices: ResourceList | undefined): number {
  let sum = 0;
  for (const [name, price] of prices ?? []) sum += Math.max(0, amounts.get(name) ?? 0) * price;
  return sum;
}

function kindsOf(
  { pods, slot }: PlanDuals,
  pending: ReadonlyMap<string, Pod>,
  findings: Findings,
): readonly PodKind[] {
  const priced = new Map<string, number>();
  pods.forEach((list, index) => {
    for (const key of list.pods) {
      if (!pending.has(key)) findings.add('cost', key, 'has a price and is no pending pod');
      if (priced.has(key)) findings.add('cost', key, 'has a price twice');
      priced.set(key, index);
    }
  });
  const slots = new Set(slot?.pods ?? []);
  const kinds = new Map<string, KindDraft>();
  for (const [key, { spec }] of pending) {
    const list = priced.get(key);
    const inSlot = slots.has(key);
    const rules = JSON.stringify([nodeRulesKey(spec), spec.volumes, spec.requiredFeatures]);
    const requests = [...spec.requests].filter(([, amount]) => amount > 0).sort();
    const like = JSON.stringify([list, inSlot, requests.map(([name]) => name), rules]);
    const zones = list === undefined ? undefined : pods[list]?.zones;
    const kind: KindDraft = kinds.get(like) ?? {
      sizes: new Map<string, PodSize>(),
      inSlot,
      rules,
      features: spec.requiredFeatures,
      mayRun: mayRun(spec),
      zones,
    };
    kinds.set(like, kind);
    const size = JSON.stringify(requests);
    kind.sizes.set(size, {
      requests: new Map(requests),
      pods: (kind.sizes.get(size)?.pods ?? 0) + 1,
    });
  }
  return [...kinds.values()].map(({ sizes, ...kind }) => ({
    ...kind,
    sizes: [...sizes.values()],
    least: leastOf([...sizes.values()]),
  }));
}

interface KindDraft extends Omit<PodKind, 'sizes' | 'least'> {
  readonly sizes: Map<string, PodSize>;
}

/** All sizes of a kind request the same resources. */
function leastOf(sizes: readonly PodSize[]): ResourceList {
  const least = new Map(sizes[0]?.requests);
  for (const { requests } of sizes)
    for (const [name, amount] of requests) least.set(name, Math.min(amount, least.get(name) ?? Infinity));
  return least;
}

function mayRun(spec: PodSpec): PodKind['mayRun'] {
  return (node, taints, volumes) =>
    toleratesAll(spec, taints) && admittedByLabels(spec, node) && volumes.problem(spec, node) === undefined;
}

function checkPrices({ prices, pods }: PlanDuals, findings: Findings): void {
  prices.forEach((list, group) => {
    for (const [name, price] of list)
      if (!(price >= 0 && price < Infinity))
        findings.add('cost', `prices ${String(group)}`, `${name} at ${String(price)}`);
  });
  for (const { zones } of pods)
    for (const [zone, group] of zones)
      if (prices[group] === undefined) findings.add('cost', zone, `names prices ${String(group)}`);
}

/** A slot is worth something only where the pods really keep each other off: by anti-affinity over the hostname. */
function checkSlot({ slot }: PlanDuals, pending: ReadonlyMap<string, Pod>, findings: Findings): void {
  if (slot === undefined) return;
  if (!(slot.price >= 0 && slot.price < Infinity)) findings.add('cost', 'slot', `at ${String(slot.price)}`);
  if (new Set(slot.pods).size !== slot.pods.length) findings.add('cost', 'slot', 'lists a pod twice');
  const specs = new Map<string, PodSpec>();
  for (const key of slot.pods) {
    const spec = pending.get(key)?.spec;
    if (spec === undefined) findings.add('cost', key, 'has a slot and is no pending pod');
    else specs.set(affinityKey(spec), spec);
  }
  const apart = [...specs.values()].every((spec) =>
    [...specs.values()].every((other) => repels(spec, other)),
  );
  if (!apart || slot.perNode < 1) findings.add('cost', 'slot', 'its pods may share a node');
}

/** The same text for pods that look the same to anti-affinity, and have the same themselves. */
function affinityKey({ namespace, labels, podAntiAffinity }: PodSpec): string {
  return JSON.stringify([namespace, labels, podAntiAffinity.required], (_key, value: unknown) => {
    if (value instanceof Map) return [...(value as ReadonlyMap<string, unknown>)].sort();
    return value instanceof Set ? [...(value as ReadonlySet<unknown>)].sort() : value;
  });
}

/** Whether either keeps the other off its host. Namespaces by selector are not looked at. */
function repels(spec: PodSpec, other: PodSpec): boolean {
  const shuns = (from: PodSpec, whom: PodSpec): boolean =>
    from.podAntiAffinity.required.some(
      ({ topologyKey, selector, namespaces }) =>
        topologyKey === HOSTNAME &&
        namespaces.names.has(whom.namespace) &&
        selector !== undefined &&
        selects(selector, whom.labels),
    );
  return shuns(spec, other) || shuns(other, spec);
}
