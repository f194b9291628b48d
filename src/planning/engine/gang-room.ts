/** What limits of pools and nodes that exist leave for all pending pods together: what is beyond it needs no plan to be known. */
import type { Snapshot } from '../snapshot/snapshot.js';
import type { GangDemand } from './gang-demand.js';

export class GangRoom {
  readonly #snapshot: Snapshot;
  /** R amounts that pending pods may take, at most; Infinity where some pool does not limit it. */
  readonly #most: Float64Array;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    const free = freeOfNodes(snapshot);
    this.#most = Float64Array.from(snapshot.resources, (resource, index) =>
      snapshot.pools.reduce(
        (sum, { pool }) => sum + (pool.limits.get(resource) ?? Infinity),
        free[index] ?? 0,
      ),
    );
  }

  /** Whether there may be room for the gang's minimum beside these pods: false where there is none, whatever goes where. */
  mayHold({ minMembers, bound, pending }: GangDemand, rows: readonly number[]): boolean {
    const { resources, specRequests, pods } = this.#snapshot;
    const width = resources.length;
    return this.#most.every((most, resource) => {
      if (most === Infinity) return true;
      const requestOf = (row: number): number => specRequests[(pods.spec[row] ?? 0) * width + resource] ?? 0;
      const least = pending.map(requestOf).sort((left, right) => left - right);
      const needed = sumOf(least.slice(0, Math.max(0, minMembers - bound)));
      return needed + sumOf(rows.map(requestOf)) <= most;
    });
  }
}

/** R amounts that are free on the nodes together; one that is overcommitted has nothing, and takes nothing from others. */
function freeOfNodes({ nodes, nodeAllocatable, pods, specRequests, resources }: Snapshot): Float64Array {
  const width = resources.length;
  const free = nodeAllocatable.slice();
  pods.node.forEach((node, row) => {
    if (node < 0) return;
    const spec = (pods.spec[row] ?? 0) * width;
    for (let index = 0; index < width; index++)
      free[node * width + index] = (free[node * width + index] ?? 0) - (specRequests[spec + index] ?? 0);
  });
  const total = new Float64Array(width);
  for (let at = 0; at < nodes.length * width; at++)
    total[at % width] = (total[at % width] ?? 0) + Math.max(0, free[at] ?? 0);
  return total;
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
