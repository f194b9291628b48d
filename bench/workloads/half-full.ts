/** A cluster that runs already: nodes of four types in all zones, filled to about half, and pods that wait. */
import { Draw } from './draw.js';
import { mixedPods } from './plain-pods.js';
import type { NeutralNode, NeutralPod } from './workload.js';

/** Type → allocatable millicores and MiB, rounded down, which the filling goes by. */
const NODE_TYPES = [
  ['m6i.2xlarge', 7700, 27_000],
  ['c6i.2xlarge', 7700, 13_000],
  ['r6i.xlarge', 3700, 28_000],
  ['m6i.xlarge', 3700, 13_000],
] as const;
/** Two agents run on every node. */
const AGENT_MILLICORES = 250;
const AGENT_MEBIBYTES = 384;

export interface NodesWanted {
  readonly nodes: number;
  /** Pods that run on each. */
  readonly podsPerNode: number;
  readonly zones: readonly string[];
  readonly seed: number;
}

/** Nodes whose pods, equal on each, take 40 to 60 % of the CPU and four fifths of that share of the memory. */
export function halfFullNodes({ nodes, podsPerNode, zones, seed }: NodesWanted): readonly NeutralNode[] {
  const draw = new Draw(seed);
  return Array.from({ length: nodes }, (_, index) => {
    const [instanceType, millicores, mebibytes] = draw.oneOf(NODE_TYPES);
    const share = 0.4 + 0.2 * draw.number();
    const cpu = Math.floor((share * (millicores - AGENT_MILLICORES)) / podsPerNode);
    const memory = Math.floor((0.8 * share * (mebibytes - AGENT_MEBIBYTES)) / podsPerNode);
    const requests = { cpu: `${String(cpu)}m`, memory: `${String(memory)}Mi` };
    const pods = Array.from({ length: podsPerNode }, (_each, number): NeutralPod => ({
      name: `r${String(index)}-${String(number)}`,
      labels: { app: `r${String(index % 100)}` },
      requests,
    }));
    const zone = zones[index % zones.length] ?? '';
    const name = `node-${String(index)}`;
    return { name, instanceType, zone, capacityType: 'on-demand', nodePool: 'default', pods };
  });
}

/** What waits beside a half-full cluster: mixed pods. */
export function waitingPods(count: number, seed: number): readonly NeutralPod[] {
  return mixedPods(count, seed).map((pod) => ({ ...pod, name: `w-${pod.name}` }));
}
