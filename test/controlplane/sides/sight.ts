/** What a world showed while a scenario ran in it, in words that two worlds can be compared by. */

export interface Sight {
  /** `pool: type capacity-type zone at price` of each claim that came up, in the order of the alphabet. */
  readonly instances: readonly string[];
  /** Of all of them, in USD/h, to the millionth. */
  readonly hourly: string;
  /** Instances that the cloud sold, those without a node too. */
  readonly sold: number;
  /** The longest that a pod was seen without a node before it was seen with one, in whole seconds of the world's. */
  readonly secondsToBound: number;
  /** From beginning to end, in whole seconds of the world's. */
  readonly seconds: number;
  /** `Kind: Action Reason` of Berth's Decisions, each once. */
  readonly decisions: readonly string[];
  /** `Kind: Reason` of the Events, each once. */
  readonly events: readonly string[];
}
