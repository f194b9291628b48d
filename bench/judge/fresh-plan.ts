/** What the pods of a running cluster would cost on new nodes alone. */
import { plan } from '../../src/planning/engine/plan.js';
import type { Plan } from '../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';

/** The same pods, all pending, and no node. */
export function freshPlan(cluster: ClusterInput): Plan {
  const pods = cluster.pods.map((pod) => ({ ...pod, nodeName: undefined, phase: 'Pending' as const }));
  return plan(buildSnapshot({ ...cluster, nodes: [], pods }), DEFAULT_PLAN_OPTIONS);
}
