/**
 * Proves a plan before it is carried out: every rule of kube-scheduler that could keep a pod off its node, limits and
 * minValues of pools, that what claims list can be launched, and that an order of binding exists. Written over the snapshot
 * and the plan alone, so that it shares no counter with what made the plan; by specs and nodes rather than by pairs of pods,
 * so that it costs little beside planning.
 */
import type { Plan } from '../plan.js';
import type { PlanOptions } from '../plan-options.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { BindOrder } from './bind-order.js';
import { CompanyProof } from './company-proof.js';
import { NodeProof } from './node-proof.js';
import { OfferProof } from './offer-proof.js';
import { plannedCluster } from './planned-cluster.js';
import type { Refutation } from './refutation.js';
import { SpecIndex } from './spec-index.js';
import { SpreadProof } from './spread-proof.js';

export interface Proof {
  /** Empty for a plan that holds. */
  readonly refutations: readonly Refutation[];
  /** Pod → the pods that must be bound before it, for the plan to hold; pods that are not listed may be bound at any time. */
  readonly after: ReadonlyMap<string, readonly string[]>;
}

export function provePlan(
  snapshot: Snapshot,
  plan: Plan,
  options: Pick<PlanOptions, 'defaultSpread'>,
): Proof {
  const cluster = plannedCluster(snapshot, plan);
  const { misplaced } = cluster;
  const order = new BindOrder();
  const index = new SpecIndex(snapshot);
  const company = new CompanyProof(cluster, index, order);
  const refutations = [
    ...(misplaced.length === 0
      ? []
      : [{ rule: 'answers', pods: misplaced, detail: 'not answered once' } as const]),
    ...new NodeProof(cluster).check(),
    ...new OfferProof(cluster).check(),
    ...company.check(),
    ...new SpreadProof(cluster, index, options, order).check(),
  ];
  return { refutations, after: order.after };
}
