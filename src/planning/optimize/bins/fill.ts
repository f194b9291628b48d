/** Fills one bin of a type and zone with what is left: picks by balance and worth while there is much room, then closes it. */
import { dropCandidate, moveCandidate, type ZoneCandidates } from './class-table.js';
import { takeBestTogether } from './close-bin.js';
import { mayTake, mostOf, openBin, take } from './open-bin.js';
import type { Workspace } from './workspace.js';
import { CPU_AXIS, FIRST_OTHER_AXIS, MEMORY_AXIS, PODS_AXIS } from '../problem/bin-problem.js';
import { flag, real, whole } from '../problem/typed-read.js';

/** Mean items of room from which picking by sample is worth while again: small classes are left when large ones no longer fit. */
const BULK_AGAIN_ITEMS = 16;

/** Fills `w.bin` from empty; `forced`, if not -1, is a class of which one item must go in first, and fits. */
export function fillBin(w: Workspace, binType: number, zone: number, forced: number): void {
  w.fills++;
  openBin(w, binType, zone);
  const { room } = w.bin;
  w.perCpu = inverse(real(room, CPU_AXIS));
  w.perMemory = inverse(real(room, MEMORY_AXIS));
  w.perWorth = w.settings.worthWeight / real(w.problem.binTypes.price, binType * w.problem.zones + zone);
  if (forced >= 0) take(w, forced, 1);
  gatherCandidates(w);
  const { candidates } = w;
  w.looks += candidates.count;
  let bulkItems = w.settings.closingItems;
  while (candidates.count > 1) {
    if (hasRoomFor(w, bulkItems)) {
      pickInBulk(w, bulkItems);
      refreshCandidates(w);
    }
    bulkItems = BULK_AGAIN_ITEMS;
    if (candidates.count > 1) takeBestTogether(w);
    refreshCandidates(w);
  }
  if (candidates.count === 1) {
    const k = whole(candidates.classes, 0);
    take(w, k, mostOf(w, k));
  }
}

function inverse(amount: number): number {
  return amount > 0 ? 1 / amount : 0;
}

/** What an item is worth at least for choosing, so that items of no price are packed too. */
const LEAST_WORTH = 1e-9;

/**
 * Lists the classes that the bin may hold. What its zone offers to bin types of its signature is looked up once for all
 * bins that are tried before the next one is bought.
 */
function gatherCandidates(w: Workspace): void {
  const { bin, left, problem } = w;
  const { resources, binTypes } = problem;
  const signature = whole(binTypes.signature, bin.binType);
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
function refreshCandidates(w: Workspace): void {
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

/** Candidates compared per pick. */
const SAMPLE = 24;
/** Mean items of room from which one more item of a class is picked at once: later picks balance what it tilts. */
const ROOM_PER_ITEM = 12;
/** A step that shares no factor with small counts, so that samples start everywhere. */
const SAMPLE_STRIDE = 7919;

/** Whether there is room for some mean candidates, in cpu and in memory. */
function hasRoomFor({ bin, candidates }: Workspace, items: number): boolean {
  const each = items / candidates.count;
  return (
    real(bin.room, CPU_AXIS) > candidates.cpuSum * each &&
    real(bin.room, MEMORY_AXIS) > candidates.memorySum * each
  );
}

/** Picks while there is room for more than some mean candidates, as they were at the start. */
function pickInBulk(w: Workspace, items: number): void {
  const { bin, candidates } = w;
  weigh(w);
  const each = items / candidates.count;
  const cpu = candidates.cpuSum * each;
  const memory = candidates.memorySum * each;
  while (candidates.count > 1) {
    const cpuRoom = real(bin.room, CPU_AXIS);
    const memoryRoom = real(bin.room, MEMORY_AXIS);
    if (cpuRoom <= cpu || memoryRoom <= memory) return;
    w.looks += SAMPLE;
    const i = bestOfSample(w, cpuRoom * w.perCpu - memoryRoom * w.perMemory);
    const k = whole(candidates.classes, i);
    const isLarge = real(candidates.cpu, i) > cpuRoom || real(candidates.memory, i) > memoryRoom;
    if (!isLarge && mayTake(w, k)) {
      const room = (Math.min(cpuRoom / cpu, memoryRoom / memory) * items) / ROOM_PER_ITEM;
      take(w, k, room < 2 ? 1 : Math.min(Math.floor(room), mostOf(w, k)));
    } else if (isLarge || !isSharedlyOut(w, k)) dropCandidate(candidates, i);
    else dropBlocked(w);
  }
}

/** Whether a class that may not go in is kept out by what it shares with others. */
function isSharedlyOut({ bin, table, left }: Workspace, k: number): boolean {
  return flag(table.alone, k) === 0 && whole(bin.used, k) < whole(left.remaining, k);
}

function dropBlocked(w: Workspace): void {
  const { candidates } = w;
  for (let i = candidates.count - 1; i >= 0; i--) {
    if (!mayTake(w, whole(candidates.classes, i))) dropCandidate(candidates, i);
  }
}

/** Notes of every candidate what picking reads. */
function weigh({ candidates, perCpu, perMemory, perWorth, settings }: Workspace): void {
  const { cpu, memory, worth, skew, merit } = candidates;
  const { skewWeight } = settings;
  for (let i = 0; i < candidates.count; i++) {
    const own = real(cpu, i) * perCpu - real(memory, i) * perMemory;
    skew[i] = own;
    merit[i] = real(worth, i) * perWorth + skewWeight * Math.abs(own);
  }
}

/** The candidate of a sample that balances best and is worth most; `base` is the skew of the room. It may no longer fit. */
function bestOfSample(w: Workspace, base: number): number {
  const { merit, skew, count } = w.candidates;
  let i = 0;
  let step = 1;
  if (count > SAMPLE) {
    w.rotation = (w.rotation + SAMPLE_STRIDE) % count;
    i = w.rotation;
    step = 1 + Math.floor(count / SAMPLE);
  }
  let best = 0;
  let bestScore = -Infinity;
  for (let j = Math.min(count, SAMPLE); j > 0; j--) {
    if (i >= count) i -= count;
    const score = real(merit, i) - Math.abs(base - real(skew, i));
    if (score > bestScore) {
      bestScore = score;
      best = i;
    }
    i += step;
  }
  return best;
}
