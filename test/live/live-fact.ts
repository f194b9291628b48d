/** Facts of Karpenter that are tried on the real Karpenter and on Berth, both beside a real control plane. */
import type { Stage } from './stage/stage.js';

export interface LiveFact {
  /** A suite of test/karpenter/behaviour, and the fact of it. */
  readonly suite: string;
  readonly fact: string;
  /** Whether nothing else may be played meanwhile: Karpenter merges the nodes of several NodePools at once, and only some of them. */
  readonly alone?: boolean;
  /** Sets up a cluster, lets the system act, and answers what was seen: plain values that can be compared. */
  readonly play: (stage: Stage) => Promise<unknown>;
  /** What is seen of Karpenter, and of Berth unless it differs. */
  readonly seen: unknown;
  /** What is seen of Berth instead; the fact of the suite gives the reason. */
  readonly berth?: unknown;
}
