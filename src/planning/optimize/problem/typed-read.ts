/** Reads typed arrays at places known to be inside: one function per kind of array, so that each sees one kind and stays fast. */

export function real(array: Float64Array, index: number): number {
  return array[index] ?? 0;
}

export function whole(array: Int32Array, index: number): number {
  return array[index] ?? 0;
}

export function flag(array: Uint8Array, index: number): number {
  return array[index] ?? 0;
}
