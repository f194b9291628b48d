/** The classes that may still go into the bin being filled, side by side, so that scanning them reads few cache lines. */
export class Candidates {
  count = 0;
  /** What one item of each asks together. */
  cpuSum = 0;
  memorySum = 0;
  readonly classes: Int32Array;
  readonly cpu: Float64Array;
  readonly memory: Float64Array;
  /** USD/h for choosing: with boosts and corrections, above 0. */
  readonly worth: Float64Array;

  constructor(classes: number) {
    this.classes = new Int32Array(classes);
    this.cpu = new Float64Array(classes);
    this.memory = new Float64Array(classes);
    this.worth = new Float64Array(classes);
  }
}

/** Puts the candidate of one place at another. */
export function moveCandidate(candidates: Candidates, from: number, to: number): void {
  candidates.classes[to] = candidates.classes[from] ?? 0;
  candidates.cpu[to] = candidates.cpu[from] ?? 0;
  candidates.memory[to] = candidates.memory[from] ?? 0;
  candidates.worth[to] = candidates.worth[from] ?? 0;
}
