/** Fills one machine in one zone with what is left: picks by balance and worth while there is much room, then closes it. */
import { CPU_AXIS, MEMORY_AXIS } from './bin-problem.js';
import { moveCandidate } from './candidates.js';
import { takeBestTogether } from './close-bin.js';
import { mayTake, mostOf, openBin, take } from './open-bin.js';
import { flag, real, whole } from './typed-read.js';
import type { Workspace } from './workspace.js';

/** Classes looked at per fill; of more, every n-th. */
const MOST_CANDIDATES = 512;
/** Candidates compared per pick. */
const SAMPLE = 24;
/** Mean items of room from which picking by sample is worth while again: small classes are left when large ones no longer fit. */
const BULK_AGAIN_ITEMS = 16;
/** A step that shares no factor with small counts, so that samples start everywhere. */
const SAMPLE_STRIDE = 7919;
/** Mean items of room below which a bin is closed with care. */
const CLOSING_ITEMS = 3.5;
/** What an item is worth at least for choosing, so that items of no price are packed too. */
const LEAST_WORTH = 1e-9;

/** Fills `w.bin` anew; `forced`, if not -1, is a class of which one item must go in first, and fits. */
export function fillBin(w: Workspace, machine: number, zone: number, forced: number): void {
  w.fills++;
  openBin(w, machine, zone);
  const { room } = w.bin;
  w.perCpu = inverse(real(room, CPU_AXIS));
  w.perMemory = inverse(real(room, MEMORY_AXIS));
  w.perWorth = w.worthWeight / real(w.problem.machines.price, machine * w.problem.zones + zone);
  if (forced >= 0) take(w, forced, 1);
  gatherCandidates(w);
  const { candidates } = w;
  let bulkItems = CLOSING_ITEMS;
  while (candidates.count > 1) {
    if (hasRoomFor(w, bulkItems)) pickInBulk(w, bulkItems);
    bulkItems = BULK_AGAIN_ITEMS;
    refreshCandidates(w);
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

/** Lists the classes that the bin may hold. */
function gatherCandidates(w: Workspace): void {
  const { bin, left, problem } = w;
  w.candidates.count = 0;
  w.candidates.cpuSum = 0;
  w.candidates.memorySum = 0;
  const row = whole(problem.machines.signature, bin.machine) * problem.requirementSets;
  let classes = 0;
  for (let block = 0; block < left.blocks; block++) {
    if (isOpenTo(w, block, row)) classes += whole(left.blockEnd, block) - whole(left.blockStart, block);
  }
  const stride = Math.max(1, Math.ceil(classes / MOST_CANDIDATES));
  let offset = stride > 1 ? w.rotation++ % stride : 0;
  for (let block = 0; block < left.blocks; block++) {
    if (isOpenTo(w, block, row)) offset = gatherBlock(w, block, offset, stride);
  }
}

function isOpenTo({ bin, left, problem }: Workspace, block: number, row: number): boolean {
  return (
    flag(problem.admits, row + whole(left.blockSet, block)) === 1 &&
    ((whole(left.blockMask, block) >> bin.zone) & 1) === 1
  );
}

/** Lists every `stride`-th class of a block from `offset` on; returns where the next block is to begin. */
function gatherBlock(w: Workspace, block: number, offset: number, stride: number): number {
  const { bin, left, table, candidates } = w;
  const cpuRoom = real(bin.room, CPU_AXIS);
  const memoryRoom = real(bin.room, MEMORY_AXIS);
  const end = whole(left.blockEnd, block);
  let i = whole(left.blockStart, block) + offset;
  let n = candidates.count;
  let cpuSum = 0;
  let memorySum = 0;
  for (; i < end; i += stride) {
    const k = whole(left.active, i);
    const cpu = real(table.cpu, k);
    const memory = real(table.memory, k);
    if (cpu > cpuRoom || memory > memoryRoom || !mayTake(w, k)) continue;
    candidates.classes[n] = k;
    candidates.cpu[n] = cpu;
    candidates.memory[n] = memory;
    candidates.worth[n++] = worthOf(w, k);
    cpuSum += cpu;
    memorySum += memory;
  }
  candidates.count = n;
  candidates.cpuSum += cpuSum;
  candidates.memorySum += memorySum;
  return i - end;
}

function worthOf(w: Workspace, k: number): number {
  const worth = Math.max(LEAST_WORTH, real(w.worth, w.bin.valueStart + k));
  const cap = whole(w.problem.classes.capGroup, k);
  return cap >= 0 ? worth * real(w.capFactor, cap) : worth;
}

/** Drops candidates that no longer fit, and takes the mean of the others. */
function refreshCandidates(w: Workspace): void {
  const { bin, candidates } = w;
  const cpuRoom = real(bin.room, CPU_AXIS);
  const memoryRoom = real(bin.room, MEMORY_AXIS);
  let kept = 0;
  let cpu = 0;
  let memory = 0;
  for (let i = 0; i < candidates.count; i++) {
    if (real(candidates.cpu, i) > cpuRoom || real(candidates.memory, i) > memoryRoom) continue;
    if (!mayTake(w, whole(candidates.classes, i))) continue;
    if (kept !== i) moveCandidate(candidates, i, kept);
    cpu += real(candidates.cpu, i);
    memory += real(candidates.memory, i);
    kept++;
  }
  candidates.count = kept;
  candidates.cpuSum = cpu;
  candidates.memorySum = memory;
}

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
  const { room } = w.bin;
  const each = items / w.candidates.count;
  const cpu = w.candidates.cpuSum * each;
  const memory = w.candidates.memorySum * each;
  while (w.candidates.count > 1 && real(room, CPU_AXIS) > cpu && real(room, MEMORY_AXIS) > memory) {
    const i = bestOfSample(w);
    if (i >= 0) take(w, whole(w.candidates.classes, i), 1);
  }
}

/** The candidate of a sample that balances best and is worth most, or -1; drops what it meets that no longer fits. */
function bestOfSample(w: Workspace): number {
  const { bin, candidates } = w;
  const cpuRoom = real(bin.room, CPU_AXIS);
  const memoryRoom = real(bin.room, MEMORY_AXIS);
  const { perCpu, perMemory, perWorth } = w;
  const base = cpuRoom * perCpu - memoryRoom * perMemory;
  let n = candidates.count;
  const samples = Math.min(n, SAMPLE);
  const step = n <= SAMPLE ? 1 : 1 + Math.floor(n / SAMPLE);
  if (n > SAMPLE) w.rotation = (w.rotation + SAMPLE_STRIDE) % n;
  let i = n > SAMPLE ? w.rotation : 0;
  let best = -1;
  let bestScore = -Infinity;
  for (let j = 0; j < samples && j < n; j++) {
    if (i >= n) i = i % n;
    const cpu = real(candidates.cpu, i);
    const memory = real(candidates.memory, i);
    if (cpu > cpuRoom || memory > memoryRoom || !mayTake(w, whole(candidates.classes, i))) {
      moveCandidate(candidates, --n, i);
      if (best === n) best = i;
      continue;
    }
    const skew = cpu * perCpu - memory * perMemory;
    const score =
      real(candidates.worth, i) * perWorth - Math.abs(base - skew) + w.skewWeight * Math.abs(skew);
    if (score > bestScore) {
      bestScore = score;
      best = i;
    }
    i += step;
  }
  candidates.count = n;
  return best;
}
