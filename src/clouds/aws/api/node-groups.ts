/** NodePools for the node groups of EKS, as far as their nodes show what the groups are. */
import type { JsonObject } from '../../../domain/policies/policy.js';
import { ARCH, CAPACITY_TYPE, INSTANCE_TYPE, ZONE, type Labels } from '../../../domain/values/labels.js';

const GROUP = 'eks.amazonaws.com/nodegroup';
const GROUP_CAPACITY_TYPE = 'eks.amazonaws.com/capacityType';
/** Labels of the system, which a NodePool does not set. */
const SYSTEM_LABEL =
  /(?:^|[./])(?:kubernetes\.io|k8s\.io|k8s\.aws|amazonaws\.com|karpenter\.sh|eksctl\.io)\//;

interface NodeObject {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly taints?: readonly Taint[] };
  readonly status?: { readonly capacity?: Readonly<Record<string, string>> };
}

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** One for each group, with the types, zones, labels and taints of its nodes, and as many cores as a limit. */
export function nodePoolsOfGroups(objects: readonly JsonObject[]): readonly JsonObject[] {
  const groups = new Map<string, NodeObject[]>();
  for (const object of objects) {
    const node = object as unknown as NodeObject;
    const name = node.metadata.labels?.[GROUP];
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), node]);
  }
  return [...groups]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, nodes]) => poolOf(name, nodes));
}

function poolOf(group: string, nodes: readonly NodeObject[]): JsonObject {
  const labels = sharedLabels(nodes);
  const taints = sharedTaints(nodes);
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: poolName(group) },
    spec: {
      limits: { cpu: String(coresOf(nodes)) },
      template: {
        ...(Object.keys(labels).length > 0 && { metadata: { labels } }),
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [
            requirement(INSTANCE_TYPE, valuesOf(nodes, INSTANCE_TYPE)),
            requirement(ZONE, valuesOf(nodes, ZONE)),
            requirement(ARCH, valuesOf(nodes, ARCH)),
            requirement(CAPACITY_TYPE, capacityTypesOf(nodes)),
          ].filter(({ values }) => values.length > 0),
          ...(taints.length > 0 && { taints }),
        },
      },
    },
  };
}

function requirement(key: string, values: readonly string[]) {
  return { key, operator: 'In', values };
}

function valuesOf(nodes: readonly NodeObject[], key: string): readonly string[] {
  return [...new Set(nodes.flatMap(({ metadata }) => metadata.labels?.[key] ?? []))].sort();
}

function poolName(group: string): string {
  return group.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
}

/** The NodePool of a node with these labels, and what its instance was bought as; undefined for a node of no group. */
export function groupOf(
  labels: Labels,
): { readonly nodePool: string; readonly capacityType: 'spot' | 'on-demand' } | undefined {
  const group = labels.get(GROUP);
  if (group === undefined) return undefined;
  const capacityType = labels.get(GROUP_CAPACITY_TYPE) === 'SPOT' ? 'spot' : 'on-demand';
  return { nodePool: poolName(group), capacityType };
}

/** EKS spells them ON_DEMAND, SPOT and CAPACITY_BLOCK; a node without the label is on demand. */
function capacityTypesOf(nodes: readonly NodeObject[]): readonly string[] {
  const types = nodes.map(({ metadata }) =>
    metadata.labels?.[GROUP_CAPACITY_TYPE] === 'SPOT' ? 'spot' : 'on-demand',
  );
  return [...new Set(types)].sort();
}

function sharedLabels([first, ...others]: readonly NodeObject[]): Readonly<Record<string, string>> {
  const shared = Object.entries(first?.metadata.labels ?? {}).filter(
    ([key, value]) =>
      !SYSTEM_LABEL.test(key) && others.every(({ metadata }) => metadata.labels?.[key] === value),
  );
  return Object.fromEntries(shared);
}

/** A taint that not all nodes have says something about one node, such as that it is cordoned. */
function sharedTaints([first, ...others]: readonly NodeObject[]): readonly Taint[] {
  const isSame = (left: Taint, right: Taint): boolean =>
    left.key === right.key && left.effect === right.effect;
  return (first?.spec?.taints ?? []).filter(
    (taint) =>
      !SYSTEM_LABEL.test(taint.key) &&
      others.every(({ spec }) => spec?.taints?.some((each) => isSame(each, taint)) === true),
  );
}

function coresOf(nodes: readonly NodeObject[]): number {
  const cores = nodes.map(({ status }) => Math.ceil(Number(status?.capacity?.['cpu'] ?? 0)));
  return cores.reduce((sum, each) => sum + (Number.isNaN(each) ? 0 : each), 0);
}
