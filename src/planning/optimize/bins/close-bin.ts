/** Closes a bin: finds the one, two or three candidates that together are worth most in the room that is left. */
import { CPU_AXIS, MEMORY_AXIS } from '../problem/bin-problem.js';
import { mayTakeBoth, mayTakeThree, take } from './open-bin.js';
import { cellOf, fillGrid } from './rank-grid.js';
import { real, whole } from '../problem/typed-read.js';
import type { Workspace } from './workspace.js';

/** Triples tried: so many first classes, and second classes for each; the grid gives the third. */
const FIRST_CLASSES = 8;
const SECOND_CLASSES = 16;

/** Takes the best one, two or three candidates; each of the candidates fits alone, and there is at least one. */
export function takeBestTogether(w: Workspace): void {
  const { bin, candidates, closing, grid } = w;
  fillGrid(grid, candidates, real(bin.room, CPU_AXIS), real(bin.room, MEMORY_AXIS));
  closing.worth = 0;
  findOneOrTwo(w);
  findThree(w);
  const first = whole(candidates.classes, closing.first);
  const second = closing.second < 0 ? -1 : whole(candidates.classes, closing.second);
  const third = closing.third < 0 ? -1 : whole(candidates.classes, closing.third);
  take(w, first, 1);
  if (second >= 0) take(w, second, 1);
  if (third >= 0) take(w, third, 1);
}

function findOneOrTwo(w: Workspace): void {
  const { bin, candidates, closing, grid } = w;
  const { cpu, memory, worth, classes } = candidates;
  const cpuRoom = real(bin.room, CPU_AXIS);
  const memoryRoom = real(bin.room, MEMORY_AXIS);
  const most = real(grid.worth, cellOf(grid, cpuRoom, memoryRoom));
  for (let i = 0; i < candidates.count; i++) {
    const own = real(worth, i);
    if (own > closing.worth) close(w, own, i, -1);
    if (own + most <= closing.worth) continue;
    const cell = cellOf(grid, cpuRoom - real(cpu, i), memoryRoom - real(memory, i));
    const other = real(grid.worth, cell);
    if (other <= 0 || own + other <= closing.worth) continue;
    const j = whole(grid.best, cell);
    if (mayTakeBoth(w, whole(classes, i), whole(classes, j))) close(w, own + other, i, j);
  }
}

function close({ closing }: Workspace, worth: number, first: number, second: number): void {
  closing.worth = worth;
  closing.first = first;
  closing.second = second;
  closing.third = -1;
}

function findThree(w: Workspace): void {
  const { count } = w.candidates;
  const step = Math.max(1, Math.ceil(count / FIRST_CLASSES));
  const secondStep = Math.max(1, Math.ceil(count / SECOND_CLASSES));
  for (let i = w.rotation++ % step; i < count; i += step) {
    findSecondAndThird(w, i, (i + step) % secondStep, secondStep);
  }
}

function findSecondAndThird(w: Workspace, i: number, start: number, step: number): void {
  const { bin, candidates, closing, grid } = w;
  const { cpu, memory, worth } = candidates;
  const cpuRoom = real(bin.room, CPU_AXIS) - real(cpu, i);
  const memoryRoom = real(bin.room, MEMORY_AXIS) - real(memory, i);
  const own = real(worth, i);
  for (let j = start; j < candidates.count; j += step) {
    const cpuLeft = cpuRoom - real(cpu, j);
    const memoryLeft = memoryRoom - real(memory, j);
    if (cpuLeft < 0 || memoryLeft < 0) continue;
    const cell = cellOf(grid, cpuLeft, memoryLeft);
    const two = own + real(worth, j);
    const all = two + real(grid.worth, cell);
    if (all > closing.worth) closeWith(w, i, j, real(grid.worth, cell) > 0 ? whole(grid.best, cell) : -1);
  }
}

/** Keeps two candidates, and a third if not -1, where they go together. */
function closeWith(w: Workspace, i: number, j: number, third: number): void {
  const { closing, candidates } = w;
  const { classes, worth } = candidates;
  const a = whole(classes, i);
  const b = whole(classes, j);
  if (!mayTakeBoth(w, a, b)) return;
  const two = real(worth, i) + real(worth, j);
  if (third < 0) {
    close(w, two, i, j);
    return;
  }
  const c = whole(classes, third);
  if (!mayTakeBoth(w, a, c) || !mayTakeBoth(w, b, c) || !mayTakeThree(w, a, b, c)) return;
  close(w, two + real(worth, third), i, j);
  closing.third = third;
}
