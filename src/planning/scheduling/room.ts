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

/** Takes the requests of `n` pods out of the free room. */
export function takeRoom(requests: Float64Array, free: Float64Array, n: number): void {
  for (let resource = 0; resource < requests.length; resource++) {
    free[resource] = (free[resource] ?? 0) - n * (requests[resource] ?? 0);
  }
}
