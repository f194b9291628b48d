/** Arithmetic of room: vectors of R amounts, on the resource axis of the snapshot. */

/** How many pods with these requests fit into the free room, at most `wanted`. A zero request is not looked at. */
export function howManyFit(requests: Float64Array, free: Float64Array, wanted: number): number {
  let most = wanted;
  for (let resource = 0; resource < requests.length && most > 0; resource++) {
    const request = requests[resource] ?? 0;
    if (request > 0) most = Math.min(most, Math.floor((free[resource] ?? 0) / request));
  }
  return Math.max(0, most);
}

/**
 * The same for a node yet to come: none where its DaemonSets alone ask for more than it has of anything, even of what
 * the pods do not ask for (Karpenter's resources.Fits). An existing node that is overcommitted may still take pods.
 */
export function howManyFitNew(requests: Float64Array, net: Float64Array, wanted: number): number {
  for (const amount of net) if (amount < 0) return 0;
  return howManyFit(requests, net, wanted);
}

/** howManyFit for row `index` of a matrix with rows as wide as the requests. */
export function howManyFitRow(
  requests: Float64Array,
  matrix: Float64Array,
  index: number,
  wanted: number,
): number {
  const offset = index * requests.length;
  let most = wanted;
  for (let resource = 0; resource < requests.length && most > 0; resource++) {
    const request = requests[resource] ?? 0;
    if (request > 0) most = Math.min(most, Math.floor((matrix[offset + resource] ?? 0) / request));
  }
  return Math.max(0, most);
}

/** Whether row `index` of a matrix with rows of `width` amounts lacks anything: DaemonSets alone ask for more than it has. */
export function isRowNegative(matrix: Float64Array, width: number, index: number): boolean {
  for (let at = index * width; at < (index + 1) * width; at++) if ((matrix[at] ?? 0) < 0) return true;
  return false;
}

/** Row `index` of a matrix with rows of `width` amounts, as a view of it. */
export function rowOf(matrix: Float64Array, width: number, index: number): Float64Array {
  return matrix.subarray(index * width, (index + 1) * width);
}

/** Takes the requests of `n` pods out of the free room. */
export function takeRoom(requests: Float64Array, free: Float64Array, n: number): void {
  for (let resource = 0; resource < requests.length; resource++) {
    free[resource] = (free[resource] ?? 0) - n * (requests[resource] ?? 0);
  }
}
