/**
 * Proves a plan before it is carried out: every rule of kube-scheduler that could keep a pod off its node, limits and
 * minValues of pools, that what claims list can be launched, and that an order of binding exists. Written over the snapshot
 * and the plan alone, so that it shares no counter with what made the plan; by specs and nodes rather than by pairs of pods,
 * so that it costs little beside planning.
 */
import type { Plan } from '../plan.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { BindOrder } from './bind-order.js';
import { AffinityProof } from './affinity-proof.js';
import { preventDeadlocks } from './deadlocks.js';
import { NodeProof } from './node-proof.js';
import { OfferProof } from './offer-proof.js';
import { plannedCluster } from './cluster/planned-cluster.js';
import { fullOrder } from './full-order.js';
import type { ProofMemory } from './proof-memory.js';
import type { Refutation } from './refutation.js';
import { SpreadProof } from './spread-proof.js';
import { DomainTable } from './cluster/topology-domains.js';

export interface Proof {
  /** Empty for a plan that holds. */
  readonly refutations: readonly Refutation[];
  /** Pod → the pods that must be bound before it, for the plan to hold; pods that are not listed may be bound at any time. */
  readonly after: ReadonlyMap<string, readonly string[]>;
  /**
   * Where the plan holds only in an order that was searched for: whether spread is kept in it over all domains that could be
   * launched into, or only over those that there are.
   */
  readonly reach?: 'launchable' | 'existing' | undefined;
}

export function provePlan(snapshot: Snapshot, plan: Plan, memory: ProofMemory): Proof {
  const asks = memory.asks(snapshot);
  const isWhole = asks.spread.length + asks.antiAffinity.length + asks.affinity.length > 0;
  const cluster = plannedCluster(snapshot, plan, { forms: memory.forms, isWhole, related: asks.related });
  const { misplaced } = cluster;
  const order = new BindOrder();
  const domains = new DomainTable(cluster.places);
  const refutations: Refutation[] =
    misplaced.length === 0 ? [] : [{ rule: 'answers', pods: misplaced, detail: 'not answered once' }];
  refutations.push(...new NodeProof(cluster, asks, memory.roomOf(snapshot)).check());
  refutations.push(...new OfferProof(cluster, memory.offerFaults).check());
  if (!isWhole) return { refutations, after: order.after };
  // Affinity last: it must hold in whatever order spread makes them wait.
  const spread = new SpreadProof(cluster, asks, domains, order);
  refutations.push(...spread.check());
  refutations.push(...new AffinityProof(cluster, asks, domains, order).check());
  const { tight } = spread;
  if (refutations.length === 0)
    refutations.push(...preventDeadlocks(cluster, { asks, domains, order, tight }));
  if (refutations.length === 0) return { refutations, after: order.after };
  const found = fullOrder({ cluster, plan, memory, asks, domains, spread, refutations, order });
  if (found === undefined) return { refutations, after: order.after };
  const {
    order: { after },
    reach,
  } = found;
  return {
    refutations: preventDeadlocks(cluster, { asks, domains, order: found.order, tight, settled: after }),
    after,
    reach,
  };
}
