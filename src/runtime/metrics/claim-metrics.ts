/** What is counted of NodeClaims and of the nodes that come of them: Karpenter's names, labels and types. */
import { STARTUP_SECONDS, counter, histogram, summary } from './metric-factory.js';

/** Labels of a NodeClaim that is disrupted. */
export const DISRUPTED_LABELS = [
  'reason',
  'nodepool',
  'capacity_type',
  'consolidation_policy',
  'termination_mode',
] as const;

const QUARTER_HOUR = 900;
const DAY = 86_400;
/** From a quarter of an hour to ninety days. */
const LIFETIME_SECONDS = [
  ...[1, 2, 4, 8, 16, 24, 32, 48, 64].map((quarters) => quarters * QUARTER_HOUR),
  ...[1, 2, 3, 5, 7, 14, 30, 60, 90].map((days) => days * DAY),
];

export const CLAIM_METRICS = {
  nodeClaimsCreated: counter(
    'karpenter_nodeclaims_created_total',
    'Number of NodeClaims created, by reason, nodepool and whether minValues was relaxed.',
    ['reason', 'nodepool', 'min_values_relaxed'],
  ),
  nodeClaimsTerminated: counter(
    'karpenter_nodeclaims_terminated_total',
    'Number of NodeClaims whose instance was terminated, by nodepool, capacity_type and zone.',
    ['nodepool', 'capacity_type', 'zone'],
  ),
  nodeClaimsDisrupted: counter(
    'karpenter_nodeclaims_disrupted_total',
    "Number of NodeClaims disrupted, by reason, nodepool, capacity_type, consolidation_policy (only where consolidation is the reason) and termination_mode (graceful, eventual or forceful, by the NodeClaim's terminationGracePeriod).",
    DISRUPTED_LABELS,
  ),
  unhealthyDisrupted: counter(
    'karpenter_nodeclaims_unhealthy_disrupted_total',
    'Number of NodeClaims disrupted because their node is unhealthy, by condition, nodepool, capacity_type, image_id and termination_mode.',
    ['condition', 'nodepool', 'capacity_type', 'image_id', 'termination_mode'],
  ),
  nodeClaimsTermination: histogram(
    'karpenter_nodeclaims_termination_duration_seconds',
    'Duration from the deletion request for a NodeClaim until the NodeClaim is removed, by nodepool.',
    STARTUP_SECONDS,
    ['nodepool'],
  ),
  instanceTermination: histogram(
    'karpenter_nodeclaims_instance_termination_duration_seconds',
    'Duration from the termination request for an instance until the cloud reports it terminated, by nodepool.',
    STARTUP_SECONDS,
    ['nodepool'],
  ),
  nodesCreated: counter(
    'karpenter_nodes_created_total',
    'Number of nodes that registered, by nodepool and zone.',
    ['nodepool', 'zone'],
  ),
  nodesTerminated: counter(
    'karpenter_nodes_terminated_total',
    'Number of nodes drained and terminated, by nodepool and zone.',
    ['nodepool', 'zone'],
  ),
  nodesDrained: counter('karpenter_nodes_drained_total', 'Number of nodes drained, by nodepool.', [
    'nodepool',
  ]),
  nodesTermination: summary(
    'karpenter_nodes_termination_duration_seconds',
    'Duration from the deletion request for a node until the node is removed, by nodepool.',
    ['nodepool'],
  ),
  nodesLifetime: histogram(
    'karpenter_nodes_lifetime_duration_seconds',
    'Duration from the creation of a node until it is removed, by nodepool.',
    LIFETIME_SECONDS,
    ['nodepool'],
  ),
};
