/** The bin being filled: the room that is left, what went in, and what of caps and quotas it uses. */
import type { BinProblem } from '../problem/bin-problem.js';
import { CPU_AXIS, FIRST_OTHER_AXIS, MEMORY_AXIS, PODS_AXIS } from '../problem/bin-problem.js';
import type { Contents } from './bin-list.js';
import { flag, real, whole } from '../problem/typed-read.js';
import type { Workspace } from './workspace.js';

export class OpenBin {
  binType = 0;
  zone = 0;
  /** Place of the zone's values. */
  valueStart = 0;
  /** USD/h by the linear program's prices. */
  value = 0;
  readonly room: Float64Array;
  /** Classes inside, in the order in which they came. */
  touched = 0;
  readonly classes: Int32Array;
  /** Class → items inside. */
  readonly used: Int32Array;
  /** Cap group, quota group → items inside. */
  readonly capUsed: Int32Array;
  readonly quotaUsed: Int32Array;

  constructor({ classes, cap, quota, zones, resources }: BinProblem) {
    this.room = new Float64Array(resources);
    this.classes = new Int32Array(classes.count);
    this.used = new Int32Array(classes.count);
    this.capUsed = new Int32Array(cap.length);
    this.quotaUsed = new Int32Array(quota.length / Math.max(1, zones));
  }
}

/** Empties the bin and makes it one of this bin type in this zone. */
export function openBin(w: Workspace, binType: number, zone: number): void {
  const { bin, problem } = w;
  const { capGroup, quotaGroup } = problem.classes;
  for (let i = 0; i < bin.touched; i++) {
    const k = whole(bin.classes, i);
    bin.used[k] = 0;
    if (whole(capGroup, k) >= 0) bin.capUsed[whole(capGroup, k)] = 0;
    if (whole(quotaGroup, k) >= 0) bin.quotaUsed[whole(quotaGroup, k)] = 0;
  }
  bin.touched = 0;
  bin.value = 0;
  bin.binType = binType;
  bin.zone = zone;
  bin.valueStart = zone * problem.classes.count;
  const first = binType * problem.resources;
  for (let r = 0; r < problem.resources; r++) bin.room[r] = real(problem.binTypes.capacity, first + r);
}

/** Puts items of a class in; they fit. */
export function take(w: Workspace, k: number, items: number): void {
  const { bin, table } = w;
  const { room } = bin;
  const before = whole(bin.used, k);
  if (before === 0) bin.classes[bin.touched++] = k;
  bin.used[k] = before + items;
  bin.value += items * real(w.prices.value, bin.valueStart + k);
  room[CPU_AXIS] = real(room, CPU_AXIS) - items * real(table.cpu, k);
  room[MEMORY_AXIS] = real(room, MEMORY_AXIS) - items * real(table.memory, k);
  room[PODS_AXIS] = real(room, PODS_AXIS) - items * real(table.pods, k);
  if (flag(table.plain, k) === 0) takeBound(w, k, items);
}

function takeBound({ bin, problem }: Workspace, k: number, items: number): void {
  const { classes, resources } = problem;
  for (let r = FIRST_OTHER_AXIS; r < resources; r++) {
    bin.room[r] = real(bin.room, r) - items * real(classes.requests, k * resources + r);
  }
  const cap = whole(classes.capGroup, k);
  if (cap >= 0) bin.capUsed[cap] = whole(bin.capUsed, cap) + items;
  const quota = whole(classes.quotaGroup, k);
  if (quota >= 0) bin.quotaUsed[quota] = whole(bin.quotaUsed, quota) + items;
}

/** Whether one more item of a class may go in, as far as anything but cpu and memory goes. */
export function mayTake(w: Workspace, k: number): boolean {
  const { bin, table } = w;
  if (whole(bin.used, k) >= whole(w.left.remaining, k)) return false;
  if (real(table.pods, k) > real(bin.room, PODS_AXIS)) return false;
  return flag(table.plain, k) === 1 || boundMayTake(w, k, 1);
}

/** Whether some more items of a class that is not plain keep to caps, quotas and other resources. */
function boundMayTake({ bin, problem, left }: Workspace, k: number, items: number): boolean {
  const { classes, resources, cap, zones } = problem;
  const capGroup = whole(classes.capGroup, k);
  if (capGroup >= 0 && whole(bin.capUsed, capGroup) + items > whole(cap, capGroup)) return false;
  const quota = whole(classes.quotaGroup, k);
  if (quota >= 0 && whole(bin.quotaUsed, quota) + items > whole(left.quota, quota * zones + bin.zone)) {
    return false;
  }
  for (let r = FIRST_OTHER_AXIS; r < resources; r++) {
    if (items * real(classes.requests, k * resources + r) > real(bin.room, r)) return false;
  }
  return true;
}

/** Most items of a class that the bin can still take, in everything. */
export function mostOf(w: Workspace, k: number): number {
  const { bin, table, problem } = w;
  let most = whole(w.left.remaining, k) - whole(bin.used, k);
  most = limited(most, real(bin.room, CPU_AXIS), real(table.cpu, k));
  most = limited(most, real(bin.room, MEMORY_AXIS), real(table.memory, k));
  most = limited(most, real(bin.room, PODS_AXIS), real(table.pods, k));
  if (flag(table.plain, k) === 1 || most === 0) return most;
  const { classes, resources, cap, zones } = problem;
  for (let r = FIRST_OTHER_AXIS; r < resources; r++) {
    most = limited(most, real(bin.room, r), real(classes.requests, k * resources + r));
  }
  const group = whole(classes.capGroup, k);
  if (group >= 0) most = Math.min(most, whole(cap, group) - whole(bin.capUsed, group));
  const quota = whole(classes.quotaGroup, k);
  if (quota < 0) return Math.max(0, most);
  const share = whole(w.left.quota, quota * zones + bin.zone) - whole(bin.quotaUsed, quota);
  return Math.max(0, Math.min(most, share));
}

function limited(most: number, room: number, each: number): number {
  if (most * each <= room) return most;
  const fitting = Math.max(0, Math.floor(room / each));
  return fitting * each > room ? fitting - 1 : fitting;
}

/** Whether items of two classes go in together when each alone does; cpu and memory are seen to. */
export function mayTakeBoth(w: Workspace, a: number, b: number): boolean {
  const { bin, table } = w;
  if (a === b && whole(bin.used, a) + 2 > whole(w.left.remaining, a)) return false;
  if (real(table.pods, a) + real(table.pods, b) > real(bin.room, PODS_AXIS)) return false;
  if (flag(table.plain, a) === 1 || flag(table.plain, b) === 1) return true;
  return a === b ? boundMayTake(w, a, 2) : boundMayTakeAll(w, a, b, -1);
}

/** Whether items of three classes go in together when each two do; cpu and memory are seen to. */
export function mayTakeThree(w: Workspace, a: number, b: number, c: number): boolean {
  const { bin, table } = w;
  if (a === b && b === c && whole(bin.used, a) + 3 > whole(w.left.remaining, a)) return false;
  const pods = real(table.pods, a) + real(table.pods, b) + real(table.pods, c);
  if (pods > real(bin.room, PODS_AXIS)) return false;
  if (flag(table.plain, a) + flag(table.plain, b) + flag(table.plain, c) > 0) return true;
  return boundMayTakeAll(w, a, b, c);
}

/** The same for two (`c` is -1) or three classes that are not plain. */
function boundMayTakeAll(w: Workspace, a: number, b: number, c: number): boolean {
  const { bin, problem, left } = w;
  const { classes, resources, zones, cap } = problem;
  for (let r = FIRST_OTHER_AXIS; r < resources; r++) {
    const third = c < 0 ? 0 : real(classes.requests, c * resources + r);
    const sum = real(classes.requests, a * resources + r) + real(classes.requests, b * resources + r) + third;
    if (sum > real(bin.room, r)) return false;
  }
  const capGroup = sameGroup(classes.capGroup, a, b, c);
  const more = c < 0 ? 2 : 3;
  if (capGroup >= 0 && whole(bin.capUsed, capGroup) + more > whole(cap, capGroup)) return false;
  const quota = sameGroup(classes.quotaGroup, a, b, c);
  return quota < 0 || whole(bin.quotaUsed, quota) + more <= whole(left.quota, quota * zones + bin.zone);
}

/** The group that all have, or -1. */
function sameGroup(groups: Int32Array, a: number, b: number, c: number): number {
  const group = whole(groups, a);
  return group === whole(groups, b) && (c < 0 || group === whole(groups, c)) ? group : -1;
}

/** Notes what the bin holds. */
export function copyContents(bin: OpenBin, into: Contents): void {
  into.binType = bin.binType;
  into.zone = bin.zone;
  into.value = bin.value;
  into.count = bin.touched;
  for (let i = 0; i < bin.touched; i++) {
    const k = whole(bin.classes, i);
    into.classes[i] = k;
    into.items[i] = whole(bin.used, k);
  }
}
