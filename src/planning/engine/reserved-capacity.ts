/**
 * What capacity reservations have left, as nodes that a plan may fill: it is paid for whether instances run or not, and it is
 * limited.
 */
import {
  leastVolumeLimits,
  placeLabels,
  reservationLabels,
  type InstanceType,
  type Offering,
  type OfferingReservation,
} from '../../domain/nodes/instance-type.js';
import { labelledTenancy } from '../../domain/nodes/tenancy.js';
import { HOSTNAME, type Labels } from '../../domain/values/labels.js';
import type { Node } from '../../domain/nodes/node.js';
import { labelsSatisfy } from '../../domain/values/requirements.js';
import { PoolUsage } from '../model/pool-usage.js';
import { compileTemplates, type Template } from '../model/launch/template.js';
import { typesOffered } from '../snapshot/cluster-input.js';
import { compareText } from '../snapshot/sorted-objects.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** A node that would be launched into a capacity reservation. */
export interface ReservedNode {
  /** As it would register; no node of a cluster has such a name. */
  readonly node: Node;
  readonly template: Template;
  readonly type: InstanceType;
  readonly offering: Offering;
  readonly reservation: OfferingReservation;
}

/** A pool that may launch into a reservation. */
interface ReservedOffer {
  readonly template: Template;
  readonly type: InstanceType;
  readonly offering: Offering;
}

interface Reservation {
  readonly reservation: OfferingReservation;
  /** In the order in which pools are offered a pod. */
  readonly offers: readonly ReservedOffer[];
}

/** Pools that are tried for one reservation. */
const MOST_POOLS = 3;
const DIGITS = 6;

export class ReservedCapacity {
  readonly #snapshot: Snapshot;
  readonly #reservations: readonly Reservation[];
  readonly #pending: number;
  readonly #features: ReadonlySet<string>;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#reservations = reservationsOf(snapshot);
    this.#pending = snapshot.pods.node.reduce((sum, node) => sum + Number(node < 0), 0);
    // Its kubelet is taken to be as new as the scheduler.
    this.#features = new Set(snapshot.specs.flatMap(({ requiredFeatures }) => requiredFeatures));
  }

  /** How often `offer` has something else to offer. */
  get rounds(): number {
    return Math.min(MOST_POOLS, Math.max(0, ...this.#reservations.map(({ offers }) => offers.length)));
  }

  /**
   * What the reservations have beside the nodes in `kept`, each as a node of the pool whose turn it is, within the limits of
   * pools; at most as many as there are pending pods.
   */
  offer(round: number, kept: readonly ReservedNode[]): readonly ReservedNode[] {
    const usage = new PoolUsage(this.#snapshot);
    for (const { template, type } of kept) usage.take(template.pool, type.capacity);
    return this.#reservations.flatMap(({ reservation, offers }, rank) => {
      const offer = offers[round];
      const inUse = kept.filter((node) => node.reservation.id === reservation.id).length;
      const most = Math.min(this.#pending, reservation.count - inUse);
      const nodes: ReservedNode[] = [];
      while (offer !== undefined && nodes.length < most) {
        const { pool } = offer.template;
        if (!usage.hasRoom(pool, offer.type.capacity)) break;
        usage.take(pool, offer.type.capacity);
        const name = nameOf(round, rank, nodes.length);
        nodes.push({ ...offer, node: this.#node(name, offer), reservation });
      }
      return nodes;
    });
  }

  #node(name: string, offer: ReservedOffer): Node {
    const { allocatable, capacity } = offer.type;
    return {
      name,
      labels: new Map([...labelsOf(offer), [HOSTNAME, name]]),
      taints: offer.template.offer.pool.template.taints,
      unschedulable: false,
      allocatable,
      capacity,
      providerID: undefined,
      volumeLimits: leastVolumeLimits([offer.type]),
      devices: offer.type.devices,
      declaredFeatures: this.#features,
    };
  }
}

/** Sorted behind every node that exists, so that these are filled first. */
function nameOf(...numbers: readonly number[]): string {
  return `~${numbers.map((number) => String(number).padStart(DIGITS, '0')).join('.')}`;
}

/** By reservation. A claim for one is of one type, so that pools with minValues do not use them. */
function reservationsOf(snapshot: Snapshot): readonly Reservation[] {
  const reservations = new Map<string, Reservation & { readonly offers: ReservedOffer[] }>();
  for (const offer of firstTemplates(snapshot).flatMap(offersOf)) {
    const { reservation, available } = offer.offering;
    if (reservation === undefined || !available) continue;
    if (!labelsSatisfy(offer.template.requirements, labelsOf(offer))) continue;
    const known = reservations.get(reservation.id);
    if (known === undefined) reservations.set(reservation.id, { reservation, offers: [offer] });
    else known.offers.push(offer);
  }
  return [...reservations.values()].sort((left, right) =>
    compareText(left.reservation.id, right.reservation.id),
  );
}

function offersOf(template: Template): readonly ReservedOffer[] {
  const { pool } = template.offer;
  if (pool.template.requirements.some(({ minValues }) => minValues > 1)) return [];
  return typesOffered(template.offer, template.chosen).flatMap((type) =>
    type.offerings.map((offering) => ({ template, type, offering })),
  );
}

/** Of each pool and tenancy the template with the default choices. */
function firstTemplates(snapshot: Snapshot): readonly Template[] {
  const first = new Map<string, Template>();
  for (const template of compileTemplates(snapshot)) {
    const key = `${String(template.pool)} ${labelledTenancy(template.chosen)}`;
    if (!first.has(key)) first.set(key, template);
  }
  return [...first.values()];
}

function labelsOf({ template, type, offering }: ReservedOffer): Labels {
  return new Map([
    ...template.labels,
    ...type.labels,
    ...placeLabels(offering),
    ...(offering.reservation ? reservationLabels(offering.reservation) : []),
  ]);
}
