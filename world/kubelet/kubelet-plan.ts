/** How long instances take to become nodes, and how many fail on the way. */
import type { Span } from '../cluster/chance.js';

/** Times in milliseconds; other shares from 0 to 1. */
export interface KubeletPlan {
  /** From the launch until the Node is there. */
  readonly registerMillis: Span;
  /** From there until it is Ready. */
  readonly readyMillis: Span;
  /** From Ready until device plugins have told of GPUs. */
  readonly deviceMillis: Span;
  /** What an instance has of its memory beyond the catalogue's estimate, as a share of it; below 0 it has less. */
  readonly memoryBeyond: Span;
  /** An image that the node does not have. */
  readonly pullMillis: Span;
  /** A container whose image is there. */
  readonly createMillis: number;
  readonly neverJoins: number;
  readonly neverReady: number;
  /** Nodes that are Ready and become NotReady after `failureMillis`. */
  readonly failsLater: number;
  readonly failureMillis: Span;
}

/** As on EKS: 30–45 s to register, 5–10 s more to be Ready. */
export const USUAL_PLAN: KubeletPlan = {
  registerMillis: { from: 30_000, to: 45_000 },
  readyMillis: { from: 5_000, to: 10_000 },
  deviceMillis: { from: 15_000, to: 40_000 },
  memoryBeyond: { from: 0, to: 0 },
  pullMillis: { from: 1_500, to: 9_000 },
  createMillis: 800,
  neverJoins: 0,
  neverReady: 0,
  failsLater: 0,
  failureMillis: { from: 60_000, to: 900_000 },
};
