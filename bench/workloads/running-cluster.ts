/** A cluster that runs Deployments with the constraints that one finds in clusters, each kept, on nodes that are about half full. */
import { HOSTNAME, ZONE } from '../../src/domain/values/labels.js';
import { deploymentPods, REPLICAS } from './deployment-pods.js';
import { Draw } from './draw.js';
import type { NeutralNode, NeutralPod, Strings } from './workload.js';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

/** Type → allocatable millicores, MiB and pods, less two agents and rounded down, which placing goes by. */
const NODE_TYPES = [
  ['m6i.4xlarge', 15_400, 56_000, 200],
  ['c6i.4xlarge', 15_400, 27_000, 200],
  ['r6i.4xlarge', 15_400, 115_000, 200],
  ['m6i.2xlarge', 7400, 27_000, 50],
] as const;

export interface ClusterWanted {
  readonly nodes: number;
  readonly deployments: number;
  readonly zones: readonly string[];
  readonly seed: number;
}

interface OpenNode {
  readonly node: Omit<NeutralNode, 'pods'>;
  readonly pods: NeutralPod[];
  readonly apps: Set<string>;
  millicores: number;
  mebibytes: number;
  slots: number;
}

/** Pods are dealt to zones in turn, or to the one of their selector or affinity, and there to the roomiest of a few nodes. */
export function runningNodes({ nodes, deployments, zones, seed }: ClusterWanted): readonly NeutralNode[] {
  const draw = new Draw(seed);
  const open = Array.from({ length: nodes }, (_, index) => openNode(index, zones, draw));
  const byZone = new Map(zones.map((zone) => [zone, open.filter(({ node }) => node.zone === zone)]));
  const annotations = Array.from({ length: deployments }, () => annotationsOf(draw));
  deploymentPods(deployments, zones, seed).forEach((pod, index) => {
    const first = Math.floor(index / REPLICAS);
    const isTogether = pod.podAffinity?.some(({ topologyKey }) => topologyKey === ZONE) === true;
    const turn = isTogether ? first : first + (index % REPLICAS);
    const zone = pod.nodeSelector?.[ZONE] ?? zones[turn % zones.length] ?? '';
    place({ ...pod, annotations: annotations[first] }, byZone.get(zone) ?? [], draw);
  });
  return open.map(({ node, pods }) => ({ ...node, pods }));
}

function openNode(index: number, zones: readonly string[], draw: Draw): OpenNode {
  const [instanceType, millicores, mebibytes, slots] = draw.oneOf(NODE_TYPES);
  const zone = zones[index % zones.length] ?? '';
  const name = `node-${String(index)}`;
  const node = { name, instanceType, zone, capacityType: 'on-demand', nodePool: 'default' } as const;
  return { node, pods: [], apps: new Set(), millicores, mebibytes, slots };
}

/** Nodes that are looked at for a pod. */
const LOOKED_AT = 8;

function place(pod: NeutralPod, nodes: readonly OpenNode[], draw: Draw): void {
  const wanted = wantedBy(pod);
  const start = draw.below(nodes.length);
  const around: OpenNode[] = [];
  for (let step = 0; step < nodes.length && around.length < LOOKED_AT; step++) {
    const node = nodes[(start + step) % nodes.length];
    if (node !== undefined && hasRoom(node, wanted)) around.push(node);
  }
  const [chosen] = around.sort((one, other) => other.millicores - one.millicores);
  if (chosen === undefined) throw new Error(`no node has room for ${pod.name}`);
  chosen.pods.push(pod);
  chosen.apps.add(wanted.app);
  chosen.millicores -= wanted.millicores;
  chosen.mebibytes -= wanted.mebibytes;
  chosen.slots--;
}

interface Wanted {
  readonly app: string;
  readonly millicores: number;
  readonly mebibytes: number;
  /** Whether no two replicas may share a host. */
  readonly isApart: boolean;
}

function wantedBy({ labels, requests, podAntiAffinity = [], topologySpread = [] }: NeutralPod): Wanted {
  return {
    app: labels['app'] ?? '',
    millicores: Number.parseInt(requests['cpu'] ?? '0'),
    mebibytes: Number.parseInt(requests['memory'] ?? '0'),
    isApart: [...podAntiAffinity, ...topologySpread].some(({ topologyKey }) => topologyKey === HOSTNAME),
  };
}

function hasRoom(node: OpenNode, { app, millicores, mebibytes, isApart }: Wanted): boolean {
  const fits = node.millicores >= millicores && node.mebibytes >= mebibytes && node.slots > 0;
  return fits && !(isApart && node.apps.has(app));
}

/** Half of the Deployments are ordinary; of the others some weigh half as much, some twice or four times, and a few stay. */
function annotationsOf(draw: Draw): Strings | undefined {
  const chance = draw.number();
  if (chance < 0.5) return undefined;
  if (chance < 0.7) return { [DELETION_COST]: String(-(2 ** 26)) };
  if (chance < 0.9) return { [DELETION_COST]: String(2 ** 27) };
  if (chance < 0.997) return { [DELETION_COST]: String(6 * 2 ** 26) };
  return { [DO_NOT_DISRUPT]: 'true' };
}
