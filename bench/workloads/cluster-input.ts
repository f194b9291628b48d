/** A neutral workload as the planner takes it: domain objects, new ones at every call. */
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';
import { requirement, type Requirement } from '../../src/domain/values/requirement.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../test/support/builders/cluster-input.js';
import {
  nodeTerm,
  podTerm,
  requiredTerms,
  spreadOver,
  tolerateKey,
} from '../../test/support/builders/constraints.js';
import { daemonSet } from '../../test/support/builders/daemon-set.js';
import { node } from '../../test/support/builders/node.js';
import { poolOffer } from '../../test/support/builders/node-pool.js';
import { pod, type PodSpecOverrides } from '../../test/support/builders/pod.js';
import type { Pod } from '../../src/domain/pods/pod.js';
import type { NeutralNode, NeutralPod, NeutralPool, NeutralRequirement, Workload } from './workload.js';

/**
 * The workload over these types. Pods that differ in nothing but their name share a spec, as pods of
 * one template do.
 * @throws Error when a node is of a type that is not among them.
 */
export function clusterInputOf(workload: Workload, types: readonly InstanceType[]): ClusterInput {
  const byName = new Map(types.map((type) => [type.name, type]));
  const nodes = workload.nodes.map((item) => nodeOf(item, byName));
  const running = workload.nodes.flatMap((item) => podsOf(item.pods, item.name));
  return clusterInput({
    pods: [...podsOf(workload.pods), ...running],
    nodes,
    daemonSets: workload.daemonsets.map(({ name, requests, tolerateAll }) =>
      daemonSet({ name, requests, tolerations: tolerateAll ? [tolerateKey()] : [] }),
    ),
    pools: workload.nodePools.map((pool) => offerOf(pool, types)),
  });
}

function podsOf(pods: readonly NeutralPod[], nodeName?: string): readonly Pod[] {
  const made = new Map<string, Pod>();
  return pods.map(({ name, ...template }) => {
    const key = JSON.stringify(template);
    const first = made.get(key) ?? podOf({ name, ...template }, nodeName);
    made.set(key, first);
    return { ...first, name, uid: `uid-default-${name}` };
  });
}

function podOf(item: NeutralPod, nodeName: string | undefined): Pod {
  const { name, annotations } = item;
  return pod({ ...specOf(item), name, nodeName, ...(annotations && { annotations }) });
}

function specOf(item: NeutralPod): PodSpecOverrides {
  const terms = (item.nodeAffinity ?? []).map((term) => nodeTerm(...term.map(requirementOf)));
  return {
    labels: item.labels,
    requests: item.requests,
    ...(item.nodeSelector === undefined ? {} : { nodeSelector: item.nodeSelector }),
    ...(terms.length === 0 ? {} : { nodeAffinity: requiredTerms(...terms) }),
    spread: (item.topologySpread ?? []).map(({ topologyKey, labels, maxSkew }) =>
      spreadOver(topologyKey, labels, { maxSkew }),
    ),
    podAffinity: {
      required: (item.podAffinity ?? []).map(({ topologyKey, labels }) => podTerm(topologyKey, labels)),
    },
    podAntiAffinity: {
      required: (item.podAntiAffinity ?? []).map(({ topologyKey, labels }) => podTerm(topologyKey, labels)),
    },
    tolerations: (item.tolerations ?? []).map(({ key }) => tolerateKey(key)),
  };
}

function requirementOf({ key, operator, values }: NeutralRequirement): Requirement {
  return requirement(key, operator, values);
}

function offerOf(
  { name, weight, requirements, taints, limits }: NeutralPool,
  types: readonly InstanceType[],
) {
  return poolOffer({ name, weight, requirements: requirements.map(requirementOf), taints, limits }, types);
}

function nodeOf(item: NeutralNode, types: ReadonlyMap<string, InstanceType>) {
  const type = types.get(item.instanceType);
  if (type === undefined) throw new Error(`node ${item.name} is of the unknown type ${item.instanceType}`);
  const { name, zone, capacityType, nodePool } = item;
  return node({ name, type, zone, capacityType, nodePool });
}
