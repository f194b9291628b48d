/** A NodeClaim's spec: one machine asked for (immutable; DESIGN's durable intent). */
import type { NodeClassRef } from './node-pool.js';
import type { Requirement } from './requirement.js';
import type { ResourceList } from './resources.js';
import type { Taint } from './taint.js';

export interface NodeClaimSpec {
  readonly nodePool: string;
  readonly nodeClassRef: NodeClassRef;
  /** Ranked types, zones and capacity types the machine may have, with the pool's own requirements. */
  readonly requirements: readonly Requirement[];
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  /** What its planned pods and DaemonSets request. */
  readonly requests: ResourceList;
  /** Seconds, or undefined for Never. */
  readonly expireAfterSeconds: number | undefined;
  /** Seconds, or undefined for no hard stop. */
  readonly terminationGracePeriodSeconds: number | undefined;
}
