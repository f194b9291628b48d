/** What packing reads of each class most often, in arrays of its own; made once per problem. */
import {
  type BinProblem,
  CPU_AXIS,
  FIRST_OTHER_AXIS,
  MEMORY_AXIS,
  PODS_AXIS,
} from '../problem/bin-problem.js';
import { flag, real, whole } from '../problem/typed-read.js';

/** Share of the items above which those that rules bind do not count. */
const FREE_SHARE = 0.9;

export class ClassTable {
  readonly count: number;
  readonly cpu: Float64Array;
  readonly memory: Float64Array;
  readonly pods: Float64Array;
  /** 1 where cpu, memory and pods are all that limits the class: no cap, no quota, no other resource. */
  readonly plain: Uint8Array;
  /** 1 where no other class shares its cap or its quota: what keeps it out says nothing of others. */
  readonly alone: Uint8Array;
  /** 1 where the class may not go to every zone alike: a zone mask or a quota binds it. */
  readonly zoneBound: Uint8Array;
  /** Items of all classes. */
  readonly items: number;
  /** What the average item asks. */
  readonly meanCpu: number;
  readonly meanMemory: number;
  /** Whether hardly anything but its size tells an item from others: few are bound by a cap, a quota, a zone or a resource. */
  readonly isFree: boolean;
  /** Most pods that an item holds. */
  readonly mostPods: number;

  constructor(problem: BinProblem) {
    const { classes, resources } = problem;
    this.count = classes.count;
    this.cpu = axis(problem, CPU_AXIS);
    this.memory = axis(problem, MEMORY_AXIS);
    this.pods = axis(problem, PODS_AXIS);
    this.plain = new Uint8Array(this.count);
    this.zoneBound = new Uint8Array(this.count);
    const inCap = members(classes.capGroup, problem.cap.length);
    const inQuota = members(classes.quotaGroup, problem.quota.length);
    this.alone = new Uint8Array(this.count);
    const everywhere = 2 ** problem.zones - 1;
    for (let k = 0; k < this.count; k++) {
      const free = whole(classes.capGroup, k) < 0 && whole(classes.quotaGroup, k) < 0;
      this.plain[k] = free && !asksOther(classes.requests, k, resources) ? 1 : 0;
      const shares =
        whole(inCap, whole(classes.capGroup, k)) > 1 || whole(inQuota, whole(classes.quotaGroup, k)) > 1;
      this.alone[k] = shares ? 0 : 1;
      const mask = whole(classes.zoneMask, k) & everywhere;
      this.zoneBound[k] = mask !== everywhere || whole(classes.quotaGroup, k) >= 0 ? 1 : 0;
    }
    this.items = classes.items.reduce((sum, items) => sum + items, 0);
    this.meanCpu = mean(this.cpu, classes.items);
    const isFree = this.plain.map((plain, k) => (flag(this.zoneBound, k) === 1 ? 0 : plain));
    this.isFree = mean(isFree, classes.items) > FREE_SHARE;
    this.mostPods = this.pods.reduce((most, pods) => Math.max(most, pods), 0);
    this.meanMemory = mean(this.memory, classes.items);
  }
}

/** Group → its classes. */
function members(groups: Int32Array, count: number): Int32Array {
  const sizes = new Int32Array(count);
  for (let k = 0; k < groups.length; k++) {
    const group = whole(groups, k);
    if (group >= 0) sizes[group] = whole(sizes, group) + 1;
  }
  return sizes;
}

function axis({ classes, resources }: BinProblem, resource: number): Float64Array {
  const amounts = new Float64Array(classes.count);
  for (let k = 0; k < classes.count; k++) amounts[k] = real(classes.requests, k * resources + resource);
  return amounts;
}

function asksOther(requests: Float64Array, k: number, resources: number): boolean {
  for (let r = FIRST_OTHER_AXIS; r < resources; r++) if (real(requests, k * resources + r) > 0) return true;
  return false;
}

function mean(amounts: Float64Array | Uint8Array, items: Int32Array): number {
  let sum = 0;
  let count = 0;
  for (let k = 0; k < amounts.length; k++) {
    sum += (amounts[k] ?? 0) * whole(items, k);
    count += whole(items, k);
  }
  return count > 0 ? sum / count : 0;
}

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
  /** While picking by sample: share of the bin's CPU that an item takes, less its share of memory. */
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
