/** How a request tells faulty-worker.ts to misbehave: by its PlanOptions.maxInstanceTypes. */
import { BroadcastChannel } from 'node:worker_threads';
import type { PlanQuestion } from '../../../src/ports/planner.js';
import type { Cluster } from '../../../src/state/cluster/cluster.js';
import { planQuestion } from '../../contract/planner.js';

/** Bits: what it does once it has said all that it says. `linger` hangs, but ends when nothing waits for the answer. */
export const MISDEEDS = {
  hang: 1024,
  fail: 2048,
  end: 4096,
  draft: 8192,
  swell: 16_384,
  linger: 32_768,
} as const;

/** Where the thread tells tests that its drafts are on their way. */
export const DRAFTED = 'berth-test-drafted';

/** `draft` says two drafts first: one with a single instance type for each instance, then one with the usual many. */
export function misbehaving(cluster: Cluster, ...misdeeds: readonly (keyof typeof MISDEEDS)[]): PlanQuestion {
  const question = planQuestion(cluster, 9);
  const maxInstanceTypes = misdeeds.reduce((sum, name) => sum + MISDEEDS[name], 0);
  return { ...question, options: { ...question.options, maxInstanceTypes } };
}

/** Resolves when a thread has said its drafts from now on. */
export function drafted(): Promise<void> {
  const channel = new BroadcastChannel(DRAFTED);
  return new Promise((resolve) => {
    channel.onmessage = () => {
      channel.close();
      resolve();
    };
  });
}
