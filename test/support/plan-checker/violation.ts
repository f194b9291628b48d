/** What the plan checker finds wrong, as a closed union of kinds, and the collection it goes into. */

/** One kind per rule; the comment says what it means that the rule is broken. */
export const VIOLATION_KINDS = [
  /** A pending pod is not answered exactly once, or something that is not a pending pod is. */
  'pod-count',
  /** An unschedulable pod lacks a reason for some pool. */
  'reasons',
  /** An unschedulable pod would have a place to go, whatever happens to the other pods. */
  'left-out',
  /** A placement names no listed node or claim, or a claim's pods differ from its placements. */
  'target',
  /** A list is not in the order that the plan promises. */
  'order',
  /** A claim's pool cannot launch, a listed type, zone or capacity type is unknown or never offered, or too many are listed. */
  'offer',
  /** hourlyPrice or hourlyPriceMax is not that of the cheapest or most expensive listed offering. */
  'price',
  /** The plan's cost does not add up. */
  'cost',
  /** A claim's requests or allocatable are not those of its pods, DaemonSets and first type. */
  'amounts',
  /** A listed offering is outside the pool's requirements or contradicts its labels. */
  'pool-requirements',
  'min-values',
  'limits',
  /** nodeSelector or required node affinity. */
  'node-affinity',
  'taint',
  'cordon',
  'resources',
  'host-port',
  'features',
  /** Devices that pods claim are not there, or claims are not planned at all. */
  'dynamic-resources',
  /** Volume topology, binding, attach limits, ReadWriteOncePod. */
  'volume',
  'spread',
  'pod-affinity',
  'pod-anti-affinity',
  /** A pool of higher weight could have held all pods of a claim. */
  'weight',
] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

export interface Violation {
  readonly kind: ViolationKind;
  /** weight is a warning: the plan can be carried out, but is not what the user asked for. */
  readonly level: 'error' | 'warning';
  /** The pod, claim, node or pool it is about. */
  readonly subject: string;
  readonly message: string;
}

/** Violations found so far, at most one of a kind for each subject. */
export class Findings {
  readonly #found = new Map<string, Violation>();

  add(kind: ViolationKind, subject: string, message: string): void {
    const key = `${kind} ${subject}`;
    const level = kind === 'weight' ? 'warning' : 'error';
    if (!this.#found.has(key)) this.#found.set(key, { kind, level, subject, message });
  }

  get all(): readonly Violation[] {
    return [...this.#found.values()];
  }
}

/** One line per violation: `limits pool default: …`. */
export function formatViolations(violations: readonly Violation[]): string {
  return violations.map(({ kind, subject, message }) => `${kind} ${subject}: ${message}`).join('\n');
}
