/** A process that has run for a while: lists read, code compiled, the planner's thread started. */
import type { CaseContext } from './phase.js';

const PODS = 3;
const QUIET_SECONDS = 5;
const MOST_SECONDS = 120;

/** Starts Berth, has it plan a few pods, and waits until it has nothing more to write. */
export async function warmUp({ cluster, tell }: CaseContext): Promise<void> {
  const berth = await cluster.startBerth();
  await berth.ready();
  tell('ready');
  await cluster.settle(QUIET_SECONDS, MOST_SECONDS);
  await cluster.api.pending(PODS, PODS);
  await cluster.settle(QUIET_SECONDS, MOST_SECONDS);
  tell('warm');
}
