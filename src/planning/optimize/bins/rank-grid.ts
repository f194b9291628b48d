/**
 * Answers "which candidate is worth most of those that fit into this much cpu and memory" in constant time: amounts are
 * rounded to at most 40 levels each, candidates up and room down, and the best of every pair of levels is kept.
 */
import type { Candidates, ClassTable } from './class-table.js';
import { real, whole } from '../problem/typed-read.js';

/** Levels of an axis: fewer where classes are free, since then there are many that nearly fit. */
const MOST_LEVELS = 40;
const MOST_LEVELS_OF_FREE = 20;
/** Steps that room is rounded down to before its level is looked up. */
const STEPS = 1024;

/** One axis of the grid. */
class Levels {
  /** Class → its level, from 1. */
  readonly ofClass: Int32Array;
  /** Room in steps → levels that fit into it. */
  readonly ofRoom = new Int32Array(STEPS + 2);
  readonly stepsPerUnit: number;
  /** Levels, and one more for "nothing fits". */
  readonly size: number;

  constructor(amounts: Float64Array, most: number) {
    const levels = distinctLevels(amounts, most);
    const step = (levels.at(-1) ?? 0) / STEPS || 1;
    let fitting = 0;
    for (let i = 0; i < this.ofRoom.length; i++) {
      while (fitting < levels.length && real(levels, fitting) <= i * step * (1 + 1e-12)) fitting++;
      this.ofRoom[i] = fitting;
    }
    this.ofClass = Int32Array.from(amounts, (amount) => firstAtLeast(levels, amount) + 1);
    this.stepsPerUnit = 1 / step;
    this.size = levels.length + 1;
  }
}

function distinctLevels(amounts: Float64Array, most: number): Float64Array {
  const sorted = Float64Array.from(new Set(amounts)).sort();
  if (sorted.length <= most) return sorted;
  return Float64Array.from({ length: most }, (_, i) =>
    real(sorted, Math.floor(((i + 1) * sorted.length) / most) - 1),
  );
}

function firstAtLeast(levels: Float64Array, amount: number): number {
  let low = 0;
  let high = levels.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (real(levels, middle) < amount) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class RankGrid {
  readonly cpu: Levels;
  readonly memory: Levels;
  /** cpu levels × memory levels: worth of the best candidate that fits there, 0 where none does. */
  readonly worth: Float64Array;
  /** That candidate's place among the candidates. */
  readonly best: Int32Array;
  /** Class → its cell. */
  readonly cellOfClass: Int32Array;

  constructor(table: ClassTable) {
    const most = table.isFree ? MOST_LEVELS_OF_FREE : MOST_LEVELS;
    this.cpu = new Levels(table.cpu, most);
    this.memory = new Levels(table.memory, most);
    this.worth = new Float64Array(this.cpu.size * this.memory.size);
    this.best = new Int32Array(this.worth.length);
    this.cellOfClass = this.cpu.ofClass.map(
      (row, k) => row * this.memory.size + whole(this.memory.ofClass, k),
    );
  }
}

/** The place in the grid of some room; cpu and memory are not negative. */
export function cellOf(grid: RankGrid, cpu: number, memory: number): number {
  const cpuSteps = Math.min(STEPS, cpu * grid.cpu.stepsPerUnit) | 0;
  const memorySteps = Math.min(STEPS, memory * grid.memory.stepsPerUnit) | 0;
  return whole(grid.cpu.ofRoom, cpuSteps) * grid.memory.size + whole(grid.memory.ofRoom, memorySteps);
}

/** Enters the candidates; cells of more room than `cpu` and `memory` are left undefined. */
export function fillGrid(grid: RankGrid, candidates: Candidates, cpu: number, memory: number): void {
  const width = grid.memory.size;
  const corner = cellOf(grid, cpu, memory);
  const rows = (corner / width) | 0;
  const columns = corner % width;
  const { worth, best, cellOfClass } = grid;
  const end = (rows + 1) * width;
  worth.fill(0, 0, end);
  for (let i = 0; i < candidates.count; i++) {
    const cell = whole(cellOfClass, whole(candidates.classes, i));
    if (cell < end && real(candidates.worth, i) > real(worth, cell)) {
      worth[cell] = real(candidates.worth, i);
      best[cell] = i;
    }
  }
  for (let row = 1; row <= rows; row++) spreadRow(grid, row * width, columns);
}

/** Every cell gets the best of itself, the one with less memory and the one with less cpu. */
function spreadRow({ worth, best, memory }: RankGrid, row: number, columns: number): void {
  for (let cell = row + 1; cell <= row + columns; cell++) {
    let most = real(worth, cell);
    const left = real(worth, cell - 1);
    if (left > most) {
      most = left;
      best[cell] = whole(best, cell - 1);
    }
    const above = real(worth, cell - memory.size);
    if (above > most) {
      most = above;
      best[cell] = whole(best, cell - memory.size);
    }
    worth[cell] = most;
  }
}
