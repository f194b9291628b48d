/** What is measured of the cluster's nodes and NodePools when metrics are scraped: Karpenter's names, labels and types. */
import { gauge } from './metric-factory.js';

/** Labels of a node, Karpenter's well-known labels among them. */
export const NODE_LABELS = [
  'node_name',
  'nodepool',
  'phase',
  'managed',
  'zone',
  'region',
  'instance_type',
  'arch',
  'os',
  'capacity_type',
  'windows_build',
] as const;
export type NodeLabels = Readonly<Record<(typeof NODE_LABELS)[number], string>>;

const OF_RESOURCE = [...NODE_LABELS, 'resource_type'] as const;
/** What all gauges of nodes say of their labels. */
const BY_NODE = 'by the labels of the node; node_name is empty where nodes are added up (--metrics-detail)';

export const NODE_METRICS = {
  nodesAllocatable: gauge(
    'karpenter_nodes_allocatable',
    `Allocatable resources of nodes, ${BY_NODE}.`,
    OF_RESOURCE,
  ),
  nodesPodRequests: gauge(
    'karpenter_nodes_total_pod_requests',
    `Resources requested by the pods on nodes, those of DaemonSets included, ${BY_NODE}.`,
    OF_RESOURCE,
  ),
  nodesDaemonRequests: gauge(
    'karpenter_nodes_total_daemon_requests',
    `Resources requested by the pods of DaemonSets on nodes, ${BY_NODE}.`,
    OF_RESOURCE,
  ),
  nodesSystemOverhead: gauge(
    'karpenter_nodes_system_overhead',
    `Capacity of nodes that is not allocatable, ${BY_NODE}.`,
    OF_RESOURCE,
  ),
  nodesCurrentLifetime: gauge(
    'karpenter_nodes_current_lifetime_seconds',
    `Age of nodes in seconds, of the oldest where nodes are added up, ${BY_NODE}.`,
    NODE_LABELS,
  ),
  clusterUtilization: gauge(
    'karpenter_cluster_utilization_percent',
    'Share of the allocatable resources of all nodes that pods request, in percent, by resource_type.',
    ['resource_type'],
  ),
  clusterStateSynced: gauge(
    'karpenter_cluster_state_synced',
    'Whether the caches of all watched resources are synced: 1 or 0.',
  ),
  clusterStateUnsynced: gauge(
    'karpenter_cluster_state_unsynced_time_seconds',
    'For how long the caches of watched resources have not been synced, 0 when they are.',
  ),
  clusterStateNodes: gauge('karpenter_cluster_state_node_count', 'Number of nodes in the cluster state.'),
  nodePoolUsage: gauge(
    'karpenter_nodepools_usage',
    'Total resources of the nodes of a NodePool, by resource_type and nodepool.',
    ['resource_type', 'nodepool'],
  ),
  nodePoolLimit: gauge(
    'karpenter_nodepools_limit',
    'Resource limits of a NodePool (spec.limits), by resource_type and nodepool.',
    ['resource_type', 'nodepool'],
  ),
  nodePoolCost: gauge(
    'karpenter_nodepools_cost_total',
    'Total price of the instances of a NodePool in USD/h, by nodepool.',
    ['nodepool'],
  ),
  namespaceCost: gauge(
    'berth_namespace_cost',
    "Price in USD/h of the share that a namespace's pods request of their nodes, by namespace and nodepool: of cpu and memory the larger share. Namespaces beyond the 100 with the highest cost are (other).",
    ['namespace', 'nodepool'],
  ),
  idleCost: gauge(
    'berth_idle_cost',
    'Price in USD/h of what no pod requests of the nodes of a NodePool, by nodepool.',
    ['nodepool'],
  ),
};
