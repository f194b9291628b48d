/** One thing that must hold before requests may come. */

export interface Probe {
  readonly name: string;
  readonly ready: boolean;
  /** What is missing. */
  readonly detail?: string | undefined;
}
