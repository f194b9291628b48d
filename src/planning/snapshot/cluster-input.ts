import type { DeviceObjects } from '../../domain/devices/claim.js';
import type { DaemonSet } from '../../domain/pods/daemon-set.js';
import type { Gang } from '../../domain/pods/gang.js';
import type { InstanceType } from '../../domain/nodes/instance-type.js';
import type { PlacementGroup } from '../../domain/nodes/placement-group.js';
import { labelledTenancy } from '../../domain/nodes/tenancy.js';
import { CAPACITY_RESERVATION_ID, type Labels } from '../../domain/values/labels.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import type { Node } from '../../domain/nodes/node.js';
import type { Pod } from '../../domain/pods/pod.js';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../domain/pods/volume.js';
import type { PlannedClaim } from '../plan.js';

/** A pool with what its node class lets it launch. */
export interface PoolOffer {
  readonly pool: NodePool;
  /**
   * Every type with capacity and allocatable under the pool's node class, offerings only in zones where it has
   * subnets. undefined when the node class does not exist.
   */
  readonly instanceTypes: readonly InstanceType[] | undefined;
  /**
   * The same as dedicated instances, while some pods ask for them; undefined where none do, and where `instanceTypes` are dedicated.
   * Whether the pool allows them is for its requirements to say.
   */
  readonly dedicatedTypes?: readonly InstanceType[] | undefined;
  /** Why nothing can be launched from the pool's node class, which exists; `instanceTypes` is undefined then. */
  readonly nodeClassProblem?: string | undefined;
  /** The placement group that its instances are launched into; undefined: none. */
  readonly placementGroup?: OfferedGroup | undefined;
  /** Whether the pool launches nothing because its document is gone; its types are known all the same. */
  readonly frozen?: true | undefined;
  /** Capacity already launched for the pool but not visible as nodes (claims in flight); counts against limits. */
  readonly inFlight?: ReadonlyMap<string, number> | undefined;
}

/** The types of which a node with these chosen labels may be. */
export function typesOffered(
  {
    instanceTypes = NO_TYPES,
    dedicatedTypes = NO_TYPES,
  }: Pick<PoolOffer, 'instanceTypes' | 'dedicatedTypes'>,
  chosen: Labels,
): readonly InstanceType[] {
  return labelledTenancy(chosen) === 'dedicated' ? dedicatedTypes : instanceTypes;
}

const NO_TYPES: readonly InstanceType[] = [];

/** The types of every tenancy: of each name there may be two. */
export function allTypesOffered({
  instanceTypes = NO_TYPES,
  dedicatedTypes = NO_TYPES,
}: Pick<PoolOffer, 'instanceTypes' | 'dedicatedTypes'>): readonly InstanceType[] {
  return dedicatedTypes.length === 0 ? instanceTypes : [...instanceTypes, ...dedicatedTypes];
}

/** The offer with its types, of every tenancy, changed alike. */
export function withTypes(
  offer: PoolOffer,
  change: (types: readonly InstanceType[]) => readonly InstanceType[],
): PoolOffer {
  const { instanceTypes, dedicatedTypes } = offer;
  return {
    ...offer,
    instanceTypes: instanceTypes && change(instanceTypes),
    ...(dedicatedTypes && { dedicatedTypes: change(dedicatedTypes) }),
  };
}

interface OfferedGroup extends Pick<PlacementGroup, 'id' | 'partitions'> {
  /** Why it takes no more nodes than the pool's limits say, where these are its own; undefined where they are not. */
  readonly full?: string | undefined;
}

export interface ClusterInput {
  /** Pending pods that are demand, and every pod bound to a listed node. */
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  readonly daemonSets: readonly DaemonSet[];
  readonly pools: readonly PoolOffer[];
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  /** What ResourceClaims ask for; undefined: pods with claims are not planned. */
  readonly devices?: DeviceObjects | undefined;
  /** Namespace → labels; a namespace that is not listed has only kubernetes.io/metadata.name. */
  readonly namespaces: ReadonlyMap<string, Labels>;
  /** Gangs that pods belong to by `Pod.gang`; a pod whose gang is not here is planned alone. */
  readonly gangs?: readonly Gang[] | undefined;
}

/** Offers of pools once these claims are launched: each takes one instance of its capacity reservation. */
export function offersAfter(
  pools: readonly PoolOffer[],
  claims: readonly Pick<PlannedClaim, 'chosenLabels'>[],
): readonly PoolOffer[] {
  const taken = new Map<string, number>();
  for (const { chosenLabels } of claims) {
    const id = chosenLabels.get(CAPACITY_RESERVATION_ID);
    if (id !== undefined) taken.set(id, (taken.get(id) ?? 0) + 1);
  }
  return withReservations(pools, taken);
}

/** What pools can launch when one more instance fits into the reservation with this id. */
export function offersWithRoom(pools: readonly PoolOffer[], reservationID: string): readonly PoolOffer[] {
  return withReservations(pools, new Map([[reservationID, -1]]));
}

/** The pools when so many instances are taken of reservations, or, where the number is negative, have left them. */
function withReservations(
  pools: readonly PoolOffer[],
  taken: ReadonlyMap<string, number>,
): readonly PoolOffer[] {
  if (taken.size === 0) return pools;
  return pools.map((offer) => withTypes(offer, (types) => types.map((type) => typeAfter(type, taken))));
}

function typeAfter(type: InstanceType, taken: ReadonlyMap<string, number>): InstanceType {
  if (!type.offerings.some(({ reservation }) => taken.has(reservation?.id ?? ''))) return type;
  return {
    ...type,
    offerings: type.offerings.map((offering) => {
      const { reservation } = offering;
      if (reservation === undefined) return offering;
      const of = taken.get(reservation.id) ?? 0;
      const count = reservation.count - of;
      const available = count > 0 && (offering.available || of < 0);
      return { ...offering, available, reservation: { ...reservation, count } };
    }),
  };
}
