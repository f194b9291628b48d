/** The classes that may still go into the bin being filled, side by side, so that scanning them reads few cache lines. */
export class Candidates {
  count = 0;
  /** What one item of each asks together, and the least that any asks. */
  cpuSum = 0;
  memorySum = 0;
  leastCpu = 0;
  leastMemory = 0;
  readonly classes: Int32Array;
  readonly cpu: Float64Array;
  readonly memory: Float64Array;
  /** USD/h for choosing: with boosts and corrections, above 0. */
  readonly worth: Float64Array;
  /** While picking by sample: share of the machine's cpu that an item takes, less its share of memory. */
  readonly skew: Float64Array;
  /** While picking by sample: what speaks for a candidate, whatever else is in the bin. */
  readonly merit: Float64Array;

  constructor(classes: number) {
    this.classes = new Int32Array(classes);
    this.cpu = new Float64Array(classes);
    this.memory = new Float64Array(classes);
    this.worth = new Float64Array(classes);
    this.skew = new Float64Array(classes);
    this.merit = new Float64Array(classes);
  }
}

/** The classes that bins of one zone may hold, whatever room they have; good as long as nothing has moved. */
export class ZoneCandidates {
  count = 0;
  signature = -1;
  /** `Leftovers.moves` when they were listed. */
  moves = -1;
  readonly classes: Int32Array;
  readonly cpu: Float64Array;
  readonly memory: Float64Array;
  readonly worth: Float64Array;

  constructor(most: number) {
    this.classes = new Int32Array(most);
    this.cpu = new Float64Array(most);
    this.memory = new Float64Array(most);
    this.worth = new Float64Array(most);
  }
}

/** Drops a candidate while picking by sample: the last takes its place. */
export function dropCandidate(candidates: Candidates, i: number): void {
  const last = --candidates.count;
  moveCandidate(candidates, last, i);
  candidates.skew[i] = candidates.skew[last] ?? 0;
  candidates.merit[i] = candidates.merit[last] ?? 0;
}

/** Puts the candidate of one place at another; its skew and merit stay behind. */
export function moveCandidate(candidates: Candidates, from: number, to: number): void {
  candidates.classes[to] = candidates.classes[from] ?? 0;
  candidates.cpu[to] = candidates.cpu[from] ?? 0;
  candidates.memory[to] = candidates.memory[from] ?? 0;
  candidates.worth[to] = candidates.worth[from] ?? 0;
}
