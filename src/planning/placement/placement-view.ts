/** What placement asks of the cluster; every answer costs the same however large the cluster is. */
import type { Pod } from '../../domain/pods/pod.js';

/** A node as far as placement looks at it. */
export interface PlacementNode {
  readonly name: string;
  /** It is going away: disrupted, or deletion was asked for. */
  readonly leaving: boolean;
  /** It should empty out: no pod is to come to it that has a place elsewhere. */
  readonly emptying: boolean;
  /** Some of its room is held: reserved, or kept for DaemonSet pods that are still to come. */
  readonly guarded: boolean;
  /** Used and held share of cpu and memory, 0 to 1. */
  readonly fullness: number;
  /** USD/h, or undefined where it is not known. */
  readonly hourlyPrice: number | undefined;
  /** When it expires, in milliseconds since 1970; Infinity for never. */
  readonly endsAt: number;
}

/** What scoring looks at, by the rows of the known nodes. A row is valid until the next change. */
export interface NodeColumns {
  /** 1 for a node that is going away. */
  readonly leaving: Uint8Array;
  /** 1 for a node that is leaving or guarded. */
  readonly restricted: Uint8Array;
  /** 1 for a node that should empty out. */
  readonly emptying: Uint8Array;
  /** USD/h; NaN where it is not known. */
  readonly hourlyPrice: Float64Array;
  /** As of a PlacementNode. */
  readonly endsAt: Float64Array;
  /** As of a PlacementNode. */
  fullnessAt(row: number): number;
  /** −1: no such node is known. */
  rowOf(name: string): number;
  /** The same by the bytes of the name. */
  rowAt(bytes: Uint8Array, start: number, end: number): number;
}

/** Where a pod is to go by its plan. */
export interface PlannedPlace {
  /** undefined while the claim has no node. */
  readonly nodeName: string | undefined;
  /** The node can take pods: registered, ready, without startup taints, not cordoned. */
  readonly ready: boolean;
  /** The reservation that says so. */
  readonly reservation: string;
}

/** Why a pod cannot have room on a node, or that it can. */
export type Shortage = 'none' | 'reserved' | 'daemonRoom';

/** What placement needs to know of a pod; an ObservedPod is one. */
export interface PlacementPod extends Pod {
  readonly templateHash: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface PlacementView {
  /** undefined: no such node is known yet. */
  node(name: string): PlacementNode | undefined;
  readonly columns: NodeColumns;
  /** The names of exactly those known nodes that are leaving or guarded. */
  readonly restricted: ReadonlySet<string>;
  /** Whether the pod is of a gang of which, with it, fewer members than its minimum run or could be bound now. */
  waitsForGang(pod: PlacementPod): boolean;
  /** Whether a pod is still to be bound that must be, by the plan, before this one. */
  waitsForOthers(pod: PlacementPod): boolean;
  /** Whether the place that is planned for the pod is being written: it is known in a moment. */
  awaitsPlace(pod: PlacementPod): boolean;
  /** Empty for a pod without a plan. A place that is going away is none. */
  placesOf(pod: PlacementPod): readonly PlannedPlace[];
  /** Whether the pod can have the room that is held for it there, without taking more than that from others. */
  admits(pod: PlacementPod, place: PlannedPlace): boolean;
  /** Whether the node has room for a pod without a plan, once the pods with the uids in `freed` are gone. */
  shortage(pod: PlacementPod, node: PlacementNode, freed?: readonly string[]): Shortage;
}
