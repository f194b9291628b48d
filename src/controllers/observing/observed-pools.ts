/** What another system may launch, as NodePools: its own, or for node groups those that `berth convert` would make of them. */
import { decodeAcceptedPolicy } from '../../apis/berth/accepted-policy.js';
import type { CapacityType, InstanceType } from '../../domain/nodes/instance-type.js';
import { labelledTenancy, type LaunchedAs } from '../../domain/nodes/tenancy.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import { isCustomResource, type JsonObject } from '../../domain/policies/policy.js';
import type { ObservedSystem } from '../../domain/records/observation.js';
import { CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE, type Labels } from '../../domain/values/labels.js';
import { CPU } from '../../domain/values/resources.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { InstanceCatalogue } from '../../ports/cloud.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { PoolOffers } from '../provisioning/pool-offers.js';
import type { ManagedKarpenter } from './observed-catalogue.js';
import type { Bought } from './model-nodes.js';

/** Node groups of a cloud. */
export interface NodeGroups {
  /** NodePools for the groups that Nodes, as JSON, are of. */
  readonly nodePools: (nodes: readonly JsonObject[]) => readonly JsonObject[];
  /** The NodePool of a node with these labels, and what it was bought as; undefined for a node of no group. */
  readonly groupOf: (
    labels: Labels,
  ) => { readonly nodePool: string; readonly capacityType: CapacityType } | undefined;
}

export interface ObservedPoolsOptions {
  /** As it is. */
  readonly cluster: Cluster;
  readonly offers: Pick<PoolOffers, 'now' | 'typesOf'>;
  readonly catalogue: () => InstanceCatalogue;
  /** undefined for a cloud without node groups. */
  readonly nodeGroups: NodeGroups | undefined;
  /** undefined for a cloud that runs none. */
  readonly managedKarpenter?: ManagedKarpenter | undefined;
}

const CAPACITY_TYPES: readonly CapacityType[] = ['on-demand', 'spot', 'reserved'];

export class ObservedPools {
  readonly #options: ObservedPoolsOptions;
  /** NodePools of groups by name, also of those without a node now, each with what it was read from. */
  readonly #groups = new Map<string, { readonly text: string; readonly pool: NodePool }>();

  #system: ObservedSystem = 'karpenter';

  constructor(options: ObservedPoolsOptions) {
    this.#options = options;
  }

  /** As of the last `now`. */
  get system(): ObservedSystem {
    return this.#system;
  }

  /** Karpenter and EKS Auto Mode have NodePools; where there are none, node groups are observed. */
  #systemNow(): ObservedSystem {
    const { cluster, managedKarpenter } = this.#options;
    let system: ObservedSystem = 'nodegroup';
    for (const { name: configMap, documents } of cluster.policyConfigMaps.values()) {
      if (!isCustomResource({ configMap, key: '' })) continue;
      for (const { kind, value } of documents) {
        if (kind !== 'NodePool') continue;
        const nodeClass = value?.kind === 'NodePool' ? value.nodePool.template.nodeClassRef : undefined;
        if (nodeClass === undefined || managedKarpenter?.isOwn(nodeClass) !== true) return 'karpenter';
        system = 'auto-mode';
      }
    }
    return system;
  }

  /** What could be launched now. A policy of Berth's own with the name of a group counts instead of what is made of it. */
  async now(signal: AbortSignal): Promise<readonly PoolOffer[]> {
    const own = await this.#options.offers.now(signal);
    this.#system = this.#systemNow();
    if (this.#system !== 'nodegroup') return own;
    this.#readGroups();
    const names = new Set(own.map(({ pool }) => pool.name));
    const { instanceTypes } = this.#options.catalogue();
    const groups = [...this.#groups.values()].filter(({ pool }) => !names.has(pool.name));
    return [...own, ...groups.map(({ pool }) => ({ pool, instanceTypes }))];
  }

  typesOf(claim: LaunchedAs): readonly InstanceType[] {
    const { offers, catalogue } = this.#options;
    const types = offers.typesOf(claim);
    return types.length === 0 && this.#groups.has(claim.spec.nodePool) ? catalogue().instanceTypes : types;
  }

  /** What the other system bought as the node; undefined for a node that it does not manage. */
  boughtAs({ labels }: ObservedNode): Bought | undefined {
    const instanceType = labels.get(INSTANCE_TYPE) ?? '';
    const zone = labels.get(ZONE) ?? '';
    const tenancy = labelledTenancy(labels);
    const nodePool = labels.get(NODEPOOL);
    if (nodePool !== undefined) {
      const capacityType = CAPACITY_TYPES.find((type) => type === labels.get(CAPACITY_TYPE)) ?? 'on-demand';
      return { nodePool, instanceType, zone, capacityType, tenancy };
    }
    const group = this.#system === 'nodegroup' ? this.#options.nodeGroups?.groupOf(labels) : undefined;
    return group && { ...group, instanceType, zone, tenancy };
  }

  #readGroups(): void {
    const { cluster, nodeGroups } = this.#options;
    const nodes = [...cluster.nodes.values()].filter(({ labels }) => nodeGroups?.groupOf(labels));
    for (const document of nodeGroups?.nodePools(nodes.map(asJson)) ?? []) {
      const text = JSON.stringify(unlimited(document));
      const value = decodeAcceptedPolicy(unlimited(document));
      if (value?.kind !== 'NodePool' || this.#groups.get(value.nodePool.name)?.text === text) continue;
      this.#groups.set(value.nodePool.name, { text, pool: value.nodePool });
    }
  }
}

/** A group's present size, which a policy for people has as its limit, would keep the model from growing. */
function unlimited({ spec, ...document }: JsonObject): JsonObject {
  const fields = Object.entries(spec as JsonObject).filter(([name]) => name !== 'limits');
  return { ...document, spec: Object.fromEntries(fields) };
}

function asJson({ labels, taints, capacity }: ObservedNode): JsonObject {
  return {
    metadata: { labels: Object.fromEntries(labels) },
    spec: { taints },
    status: { capacity: { cpu: String((capacity.get(CPU) ?? 0) / 1000) } },
  };
}
