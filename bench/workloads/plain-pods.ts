/** Pods without constraints: all equal, each of its own shape, or of a given number of shapes. */
import { Draw } from './draw.js';
import type { NeutralPod, Strings } from './workload.js';

/** Every pod asks for 1 CPU and 2 GiB. */
export function homogeneousPods(count: number): readonly NeutralPod[] {
  const labels = { app: 'a' };
  const requests = { cpu: '1', memory: '2Gi' };
  return Array.from({ length: count }, (_, index) => ({ name: `p${String(index)}`, labels, requests }));
}

/** 0.1 to 4 CPU in steps of 100m, and, independently of it, 256 MiB to 16 GiB in steps of 256 MiB. */
export function mixedPods(count: number, seed: number): readonly NeutralPod[] {
  const draw = new Draw(seed);
  return Array.from({ length: count }, (_, index) => ({
    name: `p${String(index)}`,
    labels: { app: `b${String(index % 50)}` },
    requests: mixedRequests(draw),
  }));
}

/** As mixed, but of `shapes` shapes, which differ from each other; a pod has any of them. */
export function podsOfShapes(count: number, shapes: number, seed: number): readonly NeutralPod[] {
  const draw = new Draw(seed);
  const distinct = new Map<string, Strings>();
  while (distinct.size < shapes) {
    const requests = mixedRequests(draw);
    distinct.set(JSON.stringify(requests), requests);
  }
  const drawn = [...distinct.values()];
  return Array.from({ length: count }, (_, index) => {
    // Every shape occurs, the rest is left to chance.
    const shape = index < shapes ? index : draw.below(shapes);
    const requests = drawn[shape] ?? {};
    return { name: `p${String(index)}`, labels: { app: `s${String(shape)}` }, requests };
  });
}

function mixedRequests(draw: Draw): Strings {
  const cpu = 100 * (1 + draw.below(40));
  const memory = 256 * (1 + draw.below(64));
  return { cpu: `${String(cpu)}m`, memory: `${String(memory)}Mi` };
}
