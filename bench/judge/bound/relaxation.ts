/**
 * A planning question with everything left out that makes it hard: instances and pods may be divided, and zones, spread
 * and affinity are not looked at. What this costs at least, the question itself costs at least.
 */

/** Amounts may be in any unit, the same for classes and instances. */
export interface Relaxation {
  /** R. */
  readonly resources: number;
  readonly classes: {
    readonly count: number;
    /** classes × R. */
    readonly requests: Float64Array;
    readonly pods: Float64Array;
  };
  readonly instances: {
    readonly count: number;
    /** instances × R. */
    readonly capacity: Float64Array;
    /** USD/h; 0 for what is there already. */
    readonly price: Float64Array;
    /** instances × L: what one takes of each limit. */
    readonly charge: Float64Array;
  };
  /** Limit → how much of it there is; L of them. */
  readonly limits: Float64Array;
  /** instances × classes: 1 where the instance may hold pods of the class, and a whole one at least. */
  readonly admits: Uint8Array;
}

/** What anybody may claim: that a pod of each class is worth this much, and a unit of each limit that. Nothing is below 0. */
export interface Prices {
  /** Class → USD/h. */
  readonly pod: Float64Array;
  /** Limit → USD/h per unit. */
  readonly limit: Float64Array;
}

/** The element; 0 outside. */
export function at(values: ArrayLike<number>, index: number): number {
  return values[index] ?? 0;
}
