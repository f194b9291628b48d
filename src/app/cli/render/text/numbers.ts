/** Numbers and counted nouns as people read them, the same in every locale. */
const MEBI = 2 ** 20;
const GIBI = 2 ** 30;

/** USD per hour to a hundredth of a cent: `1.2340`. */
export function formatPrice(usd: number): string {
  return usd.toFixed(4);
}

/** A price as JSON carries it: six decimals at most, so that sums of floats print alike everywhere. */
export function roundPrice(usd: number): number {
  return Number(usd.toFixed(6));
}

/** Memory in GiB with at most one decimal, below one GiB in MiB: `15.6Gi`, `512Mi`. */
export function formatMemory(bytes: number): string {
  if (bytes < GIBI) return `${trimZero((bytes / MEBI).toFixed(0))}Mi`;
  return `${trimZero((bytes / GIBI).toFixed(1))}Gi`;
}

/** CPU in cores with at most two decimals: `3.92`. */
export function formatCores(millis: number): string {
  return trimZeros((millis / 1000).toFixed(2));
}

function trimZero(text: string): string {
  return text.endsWith('.0') ? text.slice(0, -2) : text;
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
