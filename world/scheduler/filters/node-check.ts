/** A question about one node, prepared for one pod: what kube-scheduler calls a filter plugin. */
import type { ObjectRef, Resource } from '../../cluster/cluster-api.js';
import type { KubeObject } from '../../cluster/objects.js';
import type { ClaimAllocation } from '../../devices/objects.js';
import type { NodeInfo } from './node-info.js';
import type { PodInfo } from './pod-info.js';

export interface Refusal {
  /** As kube-scheduler names its plugins; `Extender` for extenders. */
  readonly plugin: string;
  /** In kube-scheduler's words. */
  readonly reasons: readonly string[];
  /** Whether it could change with fewer pods on the node. */
  readonly resolvable: boolean;
}

/** undefined: the node will do. */
export type NodeCheck = (node: NodeInfo) => Refusal | undefined;

/** The cluster as it is during one attempt. */
export interface Facts {
  /** Those that have a Node object. */
  readonly nodes: readonly NodeInfo[];
  readonly hasAntiAffinity: boolean;
  /** Anything that is neither pod nor node: claims, volumes, namespaces. */
  get(resource: Resource, ref: ObjectRef): KubeObject | undefined;
  list(resource: Resource): readonly KubeObject[];
  /** Whether a claim that only one pod may use is in use by another one. */
  usesOf(claimKey: string): number;
  /** ResourceClaim by uid → the devices that a pod gets which is being bound. */
  readonly allocating: ReadonlyMap<string, ClaimAllocation>;
}

/** Prepares the question. Throws EarlyRefusal when no node needs to be asked. */
export type NodeFilter = (pod: PodInfo, facts: Facts) => NodeCheck;

/** The pod is refused before any node is looked at. */
export class EarlyRefusal extends Error {
  readonly plugin: string;

  constructor(plugin: string, message: string) {
    super(message);
    this.name = 'EarlyRefusal';
    this.plugin = plugin;
  }
}

export function refusal(plugin: string, reason: string, resolvable: boolean): Refusal {
  return { plugin, reasons: [reason], resolvable };
}
