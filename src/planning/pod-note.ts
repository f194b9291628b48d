/** What is to be said about a pod of a plan whether or not it has a place. */

/** Some of the pod's preferences had less say in where it goes than they might have. */
export interface PodNote {
  readonly code: 'TooManyPreferences';
  /** `namespace/name` of the first of the pods that are like it. */
  readonly pod: string;
  readonly preferences: number;
  /** Most levels at which preferences are given up. */
  readonly levels: number;
}

/** The note in one sentence: what is the case, and the change that would end it. */
export function describeNote({ preferences, levels }: PodNote): string {
  const together = preferences - levels + 1;
  return `the pod has ${String(preferences)} preferences: the ${String(together)} with the lowest weight are relaxed together, the other ${String(levels - 1)} one at a time; keep at most ${String(levels)}`;
}
