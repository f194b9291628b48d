/** Lists the classes that the bin being filled may hold, and drops those that no longer fit. */
import { CPU_AXIS, FIRST_OTHER_AXIS, MEMORY_AXIS, PODS_AXIS } from '../problem/bin-problem.js';
import { moveCandidate, type ZoneCandidates } from './candidates.js';
import { mayTake } from './open-bin.js';
import { flag, real, whole } from '../problem/typed-read.js';
import type { Workspace } from './workspace.js';

/** What an item is worth at least for choosing, so that items of no price are packed too. */
const LEAST_WORTH = 1e-9;

/**
 * Lists the classes that the bin may hold. What its zone offers to machines of its signature is looked up once for all
 * bins that are tried before the next one is bought.
 */
export function gatherCandidates(w: Workspace): void {
  const { bin, left, problem } = w;
  const { resources, machines } = problem;
  const signature = whole(machines.signature, bin.machine);
  const there = w.inZone[bin.zone];
  if (there === undefined) return;
  if (there.signature !== signature || there.moves !== left.moves) {
    there.signature = signature;
    there.moves = left.moves;
    gatherZone(w, there);
  }
  const isChecked =
    resources > FIRST_OTHER_AXIS || bin.touched > 0 || real(bin.room, PODS_AXIS) < w.table.mostPods;
  selectFitting(w, there, isChecked);
}

/** Keeps those of a zone's classes that the bin has room for; `isChecked`: more than cpu and memory may keep them out. */
function selectFitting(
  w: Workspace,
  { count, classes, cpu, memory, worth }: ZoneCandidates,
  isChecked: boolean,
): void {
  const { bin, candidates } = w;
  const cpuRoom = real(bin.room, CPU_AXIS);
  const memoryRoom = real(bin.room, MEMORY_AXIS);
  let n = 0;
  let cpuSum = 0;
  let memorySum = 0;
  for (let i = 0; i < count; i++) {
    const itemCpu = real(cpu, i);
    const itemMemory = real(memory, i);
    if (itemCpu > cpuRoom || itemMemory > memoryRoom) continue;
    const k = whole(classes, i);
    if (isChecked && !mayTake(w, k)) continue;
    candidates.classes[n] = k;
    candidates.cpu[n] = itemCpu;
    candidates.memory[n] = itemMemory;
    candidates.worth[n++] = real(worth, i);
    cpuSum += itemCpu;
    memorySum += itemMemory;
  }
  candidates.count = n;
  candidates.cpuSum = cpuSum;
  candidates.memorySum = memorySum;
  candidates.leastCpu = 0;
  candidates.leastMemory = 0;
}

function gatherZone(w: Workspace, there: ZoneCandidates): void {
  const { left, problem } = w;
  there.count = 0;
  const row = there.signature * problem.requirementSets;
  let classes = 0;
  for (let block = 0; block < left.blocks; block++) {
    if (isOpenTo(w, block, row)) classes += whole(left.blockEnd, block) - whole(left.blockStart, block);
  }
  const stride = Math.max(1, Math.ceil(classes / w.settings.mostCandidates));
  let offset = stride > 1 ? w.rotation++ % stride : 0;
  for (let block = 0; block < left.blocks; block++) {
    if (isOpenTo(w, block, row)) offset = gatherBlock(w, there, block, { offset, stride });
  }
}

function isOpenTo({ bin, left, problem }: Workspace, block: number, row: number): boolean {
  return (
    flag(problem.admits, row + whole(left.blockSet, block)) === 1 &&
    ((whole(left.blockMask, block) >> bin.zone) & 1) === 1
  );
}

/** Lists every `stride`-th class of a block from `offset` on; returns where the next block is to begin. */
function gatherBlock(
  w: Workspace,
  there: ZoneCandidates,
  block: number,
  { offset, stride }: { readonly offset: number; readonly stride: number },
): number {
  const { bin, left, table, worth } = w;
  const { active, remaining } = left;
  const isPlain = flag(left.blockPlain, block) === 1;
  const end = whole(left.blockEnd, block);
  let i = whole(left.blockStart, block) + offset;
  let n = there.count;
  for (; i < end; i += stride) {
    const k = whole(active, i);
    if (whole(remaining, k) === 0 || (!isPlain && !hasQuota(w, k))) continue;
    there.classes[n] = k;
    there.cpu[n] = real(table.cpu, k);
    there.memory[n] = real(table.memory, k);
    const own = Math.max(LEAST_WORTH, real(worth, bin.valueStart + k));
    there.worth[n++] = isPlain ? own : own * capFactorOf(w, k);
  }
  there.count = n;
  return i - end;
}

function hasQuota({ bin, left, problem }: Workspace, k: number): boolean {
  const quota = whole(problem.classes.quotaGroup, k);
  return quota < 0 || whole(left.quota, quota * problem.zones + bin.zone) > 0;
}

function capFactorOf({ problem, capFactor }: Workspace, k: number): number {
  const cap = whole(problem.classes.capGroup, k);
  return cap >= 0 ? real(capFactor, cap) : 1;
}

/** Drops candidates that no longer fit, and takes the mean and the least of the others. */
export function refreshCandidates(w: Workspace): void {
  const { bin, candidates } = w;
  const cpuRoom = real(bin.room, CPU_AXIS);
  const memoryRoom = real(bin.room, MEMORY_AXIS);
  const isFull = cpuRoom < candidates.leastCpu || memoryRoom < candidates.leastMemory;
  const before = isFull ? 0 : candidates.count;
  let kept = 0;
  let cpuSum = 0;
  let memorySum = 0;
  let leastCpu = Infinity;
  let leastMemory = Infinity;
  for (let i = 0; i < before; i++) {
    const cpu = real(candidates.cpu, i);
    const memory = real(candidates.memory, i);
    if (cpu > cpuRoom || memory > memoryRoom || !mayTake(w, whole(candidates.classes, i))) continue;
    if (kept !== i) moveCandidate(candidates, i, kept);
    cpuSum += cpu;
    memorySum += memory;
    leastCpu = Math.min(leastCpu, cpu);
    leastMemory = Math.min(leastMemory, memory);
    kept++;
  }
  candidates.count = kept;
  candidates.cpuSum = cpuSum;
  candidates.memorySum = memorySum;
  candidates.leastCpu = leastCpu;
  candidates.leastMemory = leastMemory;
}
