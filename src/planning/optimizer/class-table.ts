/** What packing reads of each class most often, in arrays of its own; made once per problem. */
import type { BinProblem } from './bin-problem.js';
import { CPU_AXIS, FIRST_OTHER_AXIS, MEMORY_AXIS, PODS_AXIS } from './bin-problem.js';
import { real, whole } from './typed-read.js';

export class ClassTable {
  readonly count: number;
  readonly cpu: Float64Array;
  readonly memory: Float64Array;
  readonly pods: Float64Array;
  /** 1 where cpu, memory and pods are all that limits the class: no cap, no quota, no other resource. */
  readonly plain: Uint8Array;
  /** 1 where the class may not go to every zone alike: a zone mask or a quota binds it. */
  readonly zoneBound: Uint8Array;
  /** What the average item asks. */
  readonly meanCpu: number;
  readonly meanMemory: number;

  constructor(problem: BinProblem) {
    const { classes, resources } = problem;
    this.count = classes.count;
    this.cpu = axis(problem, CPU_AXIS);
    this.memory = axis(problem, MEMORY_AXIS);
    this.pods = axis(problem, PODS_AXIS);
    this.plain = new Uint8Array(this.count);
    this.zoneBound = new Uint8Array(this.count);
    const everywhere = 2 ** problem.zones - 1;
    for (let k = 0; k < this.count; k++) {
      const free = whole(classes.capGroup, k) < 0 && whole(classes.quotaGroup, k) < 0;
      this.plain[k] = free && !asksOther(classes.requests, k, resources) ? 1 : 0;
      const mask = whole(classes.zoneMask, k) & everywhere;
      this.zoneBound[k] = mask !== everywhere || whole(classes.quotaGroup, k) >= 0 ? 1 : 0;
    }
    this.meanCpu = mean(this.cpu, classes.items);
    this.meanMemory = mean(this.memory, classes.items);
  }
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

function mean(amounts: Float64Array, items: Int32Array): number {
  let sum = 0;
  let count = 0;
  for (let k = 0; k < amounts.length; k++) {
    sum += real(amounts, k) * whole(items, k);
    count += whole(items, k);
  }
  return count > 0 ? sum / count : 0;
}
