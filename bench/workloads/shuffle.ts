/** The same question asked in other words: pods in another order, under other names. */
import { Draw } from './draw.js';
import type { Workload } from './workload.js';

/** The workload with its pending pods in the order, and under the names, of a seed. */
export function shuffled(workload: Workload, seed: number): Workload {
  const draw = new Draw(seed);
  const numbers = draw.shuffled(workload.pods.map((_, index) => index));
  const pods = draw
    .shuffled(workload.pods)
    .map((pod, index) => ({ ...pod, name: `x${String(numbers[index] ?? index)}` }));
  return { ...workload, pods };
}
