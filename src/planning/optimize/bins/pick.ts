/** Picks items by sample while a bin has much room: what balances best and is worth most goes in. */
import { CPU_AXIS, MEMORY_AXIS } from '../problem/bin-problem.js';
import { dropCandidate } from './candidates.js';
import { mayTake, mostOf, take } from './open-bin.js';
import { flag, real, whole } from '../problem/typed-read.js';
import type { Workspace } from './workspace.js';

/** Candidates compared per pick. */
const SAMPLE = 24;
/** Mean items of room from which one more item of a class is picked at once: later picks balance what it tilts. */
const ROOM_PER_ITEM = 12;
/** A step that shares no factor with small counts, so that samples start everywhere. */
const SAMPLE_STRIDE = 7919;

/** Whether there is room for some mean candidates, in cpu and in memory. */
export function hasRoomFor({ bin, candidates }: Workspace, items: number): boolean {
  const each = items / candidates.count;
  return (
    real(bin.room, CPU_AXIS) > candidates.cpuSum * each &&
    real(bin.room, MEMORY_AXIS) > candidates.memorySum * each
  );
}

/** Picks while there is room for more than some mean candidates, as they were at the start. */
export function pickInBulk(w: Workspace, items: number): void {
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
