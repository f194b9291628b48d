/**
 * Types for nodes whose labels were chosen for some pods. Where a pool leaves a label open and pods ask for many values of
 * it, each value would bring the whole catalogue with it; so a value brings what the pods that ask for it can use.
 */
import type { InstanceType, Offering } from '../../../domain/nodes/instance-type.js';
import type { Labels, LabelLookup } from '../../../domain/values/labels.js';
import type { PodSpec } from '../../../domain/pods/pod.js';
import { labelsSatisfy, type Requirements } from '../../../domain/values/requirements.js';
import { OfferingLabels, offeringsWithin } from './offering-labels.js';
import { typesOffered, type PoolOffer } from '../../snapshot/cluster-input.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { areDevices } from '../../snapshot/device-slots.js';
import { slotsOn } from '../../snapshot/volume-slots.js';
import { nodeConstraint, selectsNode, type NodeConstraint } from '../constraints/node-constraint.js';

/** Up to so many templates each has all types of its pool. */
const FEW_TEMPLATES = 8;
/** Types of which all templates of a pool keep alternatives, together: so many for each of as many templates. */
const ALTERNATIVES = 512;
const MOST_ALTERNATIVES = 16;

/** What is known of the pool before labels are chosen. */
interface PoolFacts {
  /** Of type, zone and capacity type. */
  readonly requirements: Requirements;
  /** Keys that it leaves open. */
  readonly open: ReadonlySet<string>;
  /** How many combinations of labels were chosen. */
  readonly templates: number;
}

/** Pending pods of one spec. */
interface Served {
  readonly spec: PodSpec;
  readonly pods: number;
}

type TypesFor = (chosen: Labels, labels: Labels) => readonly InstanceType[];

/**
 * Types that are kept for a template: those that hold one of its pods, but for those that enough others equal or beat in
 * what the pods need of them, at no higher price wherever they are offered. All of them where templates are few, and
 * where minValues count them.
 */
export function typesServed(
  snapshot: Snapshot,
  offer: PoolOffer,
  { requirements, open, templates }: PoolFacts,
): TypesFor {
  const countsValues = [...requirements.values()].some(({ minValues }) => minValues > 0);
  if (templates <= FEW_TEMPLATES || countsValues) return (chosen) => typesOffered(offer, chosen);
  const alternatives = Math.max(1, Math.min(MOST_ALTERNATIVES, Math.floor(ALTERNATIVES / templates)));
  const own = offer.pool.template.labels;
  const known = new Map<readonly InstanceType[], readonly SizedType[]>();
  const sized = (types: readonly InstanceType[]): readonly SizedType[] => {
    const made =
      known.get(types) ??
      types
        .map((type) => new SizedType(type, requirements, own))
        .sort((left, right) => left.price - right.price);
    known.set(types, made);
    return made;
  };
  const pending = pendingSpecs(snapshot);
  const drivers = [...slotsOn(snapshot.resources).keys()];
  const hasDevices = snapshot.resources.some(areDevices);
  const isAsking = ({ spec }: Served): boolean => [...open].some((key) => names(spec, key));
  const filling = totalOf(
    pending.filter((each) => !isAsking(each)),
    new Map(),
  );
  return (chosen, labels) => {
    const served = pending.filter(({ spec }) => asksFor(spec, chosen));
    return needed(sized(typesOffered(offer, chosen)), {
      served,
      labels,
      wanted: totalOf(served, filling),
      drivers,
      hasDevices,
      alternatives,
    });
  };
}

/** Specs of pending pods, with the number of their pods. */
export function pendingSpecs({ specs, pods }: Snapshot): readonly Served[] {
  const counts = new Int32Array(specs.length);
  pods.spec.forEach((spec, pod) => {
    if (pods.node[pod] === -1) counts[spec] = (counts[spec] ?? 0) + 1;
  });
  return specs.flatMap((spec, index) => {
    const n = counts[index] ?? 0;
    return n > 0 ? [{ spec, pods: n }] : [];
  });
}

/** What the pods request together, beside what others do. */
function totalOf(
  served: readonly Served[],
  beside: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const total = new Map(beside);
  for (const { spec, pods } of served)
    for (const [resource, amount] of spec.requests)
      total.set(resource, (total.get(resource) ?? 0) + pods * amount);
  return total;
}

/** Whether the pods must have a label of this key, or would: others may go to nodes with any value of it. */
function names({ nodeSelector, nodeAffinity }: PodSpec, key: string): boolean {
  if (nodeSelector.has(key)) return true;
  return nodeAffinity.required?.every(({ labels }) => labels.has(key)) ?? false;
}

/** Whether the pods name one of the chosen labels with its value. */
function asksFor({ nodeSelector, nodeAffinity }: PodSpec, chosen: Labels): boolean {
  for (const [key, value] of chosen) {
    if (nodeSelector.get(key) === value) return true;
    const isMet = ({ labels }: { readonly labels: Requirements }): boolean => {
      const stated = labels.get(key);
      return stated !== undefined && labelsSatisfy(new Map([[key, stated]]), chosen);
    };
    if (nodeAffinity.required?.some(isMet)) return true;
    if (nodeAffinity.preferred.some(({ term }) => isMet(term))) return true;
  }
  return false;
}

/** A type with its cheapest price in every place in which the pool may launch it. */
class SizedType {
  readonly type: InstanceType;
  readonly offerings: readonly Offering[];
  /** Zone and capacity type → USD/h. */
  readonly prices = new Map<string, number>();
  /** USD/h of the cheapest offering. */
  readonly price: number;

  constructor(type: InstanceType, requirements: Requirements, own: Labels) {
    this.type = type;
    this.offerings = offeringsWithin(requirements, own, type);
    let price = Infinity;
    for (const offering of this.offerings) {
      this.prices.set(`${offering.zone} ${offering.capacityType}`, offering.price);
      price = Math.min(price, offering.price);
    }
    this.price = price;
  }

  /** Whether it has as much of what is needed as the other, at no higher price wherever that is offered. */
  equals(
    other: SizedType,
    { wanted: needed, drivers, hasDevices }: Pick<Wanted, 'wanted' | 'drivers' | 'hasDevices'>,
  ): boolean {
    for (const [resource, amount] of needed) {
      const useful = Math.min(amount, other.type.allocatable.get(resource) ?? 0);
      if ((this.type.allocatable.get(resource) ?? 0) < useful) return false;
    }
    if (hasDevices && this.type.devices !== other.type.devices) return false;
    for (const driver of drivers) if (this.#canAttach(driver) < other.#canAttach(driver)) return false;
    for (const [place, price] of other.prices) if ((this.prices.get(place) ?? Infinity) > price) return false;
    return true;
  }

  #canAttach(driver: string): number {
    return this.type.volumeLimits?.get(driver) ?? Infinity;
  }
}

/** The name of a node yet to come is unknown. */
const NO_FIELDS: LabelLookup = { get: () => undefined };

interface Wanted {
  readonly served: readonly Served[];
  /** Labels of the template, the chosen ones among them. */
  readonly labels: Labels;
  /** Resource → amount of all pods that such nodes may hold. */
  readonly wanted: ReadonlyMap<string, number>;
  /** CSI drivers whose volumes pods have. */
  readonly drivers: readonly string[];
  /** Whether pods claim devices: then types with other devices are no alternatives. */
  readonly hasDevices: boolean;
  readonly alternatives: number;
}

function needed(types: readonly SizedType[], { served, labels, ...wanted }: Wanted): readonly InstanceType[] {
  const kept = new Set<InstanceType>();
  // What outclasses a type holds every pod that the type holds, so that one look at dominance does for all requests.
  const alike = new Map<string, { readonly constraint: NodeConstraint; readonly specs: PodSpec[] }>();
  for (const { spec } of served) {
    const constraint = nodeConstraint(spec, []);
    const known = alike.get(constraint.key);
    if (known === undefined) alike.set(constraint.key, { constraint, specs: [spec] });
    else known.specs.push(spec);
  }
  for (const { constraint, specs } of alike.values()) {
    const admitted = types.filter(
      (type) => specs.some((spec) => holds(type, spec)) && admits(constraint, type, labels),
    );
    for (const type of undominated(admitted, wanted)) kept.add(type.type);
  }
  return types.flatMap(({ type }) => (kept.has(type) ? type : []));
}

function holds({ type }: SizedType, { requests }: PodSpec): boolean {
  for (const [resource, amount] of requests) if ((type.allocatable.get(resource) ?? 0) < amount) return false;
  return true;
}

/** Taints are the pool's; what is preferred may be given up. */
function admits(constraint: NodeConstraint, { type, offerings }: SizedType, labels: Labels): boolean {
  return offerings.some((offering) =>
    selectsNode(constraint, {
      labels: new OfferingLabels(labels, type, offering),
      fields: NO_FIELDS,
      taints: [],
      features: undefined,
    }),
  );
}

/** Of types by ascending price those that fewer than `alternatives` cheaper ones equal or beat. */
function undominated(
  types: readonly SizedType[],
  { alternatives, ...wanted }: Omit<Wanted, 'served' | 'labels'>,
): readonly SizedType[] {
  const kept: SizedType[] = [];
  for (const type of types) {
    let beaten = 0;
    for (const other of kept) if (beaten < alternatives && other.equals(type, wanted)) beaten++;
    if (beaten < alternatives) kept.push(type);
  }
  return kept;
}
