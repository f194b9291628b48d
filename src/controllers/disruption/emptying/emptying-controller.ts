/**
 * Nodes that should go are emptied without evictions: their claims get a rank, by which extenders send other pods elsewhere, and their
 * pods the pod deletion cost of that rank, so that a ReplicaSet that is scaled in deletes these pods first (Karpenter 1.15:
 * PodDeletionCostManagement). Both are taken back when the node need not go any more.
 */
import { EMPTYING_ANNOTATION, type NodeClaim } from '../../../domain/nodes/node-claim.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import type { Clock } from '../../../ports/clock.js';
import type { ObservedKind } from '../../../ports/cluster-feed.js';
import type { KubeWriter } from '../../../ports/kube-writer.js';
import type { Logger } from '../../../ports/logger.js';
import { hasCode } from '../../../ports/port-error.js';
import { inParallel } from '../../../runtime/concurrency/in-parallel.js';
import { periodic } from '../../../runtime/concurrency/periodic.js';
import type { Metrics } from '../../../runtime/metrics/metrics.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { isLeaving } from '../../../state/nodes/node-state.js';
import { ClusterWriter } from '../../cluster-writer.js';
import type { Safeguards } from '../../safeguards/safeguards.js';
import { whileObserving } from '../../while-observing.js';
import { deletionCostChange, LOWEST_COST } from '../../../domain/pods/deletion-cost.js';
import { assignRanks, readRank } from './emptying-ranks.js';

export interface EmptyingControllerOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly safeguards?: Safeguards | undefined;
  /** Otherwise what was written before is taken back, and nothing else is done. */
  readonly isOn: boolean;
}

const KINDS: readonly ObservedKind[] = ['Pod', 'Node', 'NodeClaim'];
/** Between two looks, as Karpenter's. */
const LOOK_MILLIS = 60_000;
/** Pods written to in one look; the rest has its turn in the next. Other requests go before these. */
const MOST_WRITES = 200;
const WRITES_AT_ONCE = 4;

interface Write {
  readonly pod: ObservedPod;
  readonly change: Readonly<Record<string, string | null>>;
  /** The lower the earlier. */
  readonly cost: number;
}

export class EmptyingController {
  readonly #options: EmptyingControllerOptions;
  readonly #writer: ClusterWriter;
  /** Names of claims, the first to empty out first; undefined as long as that is not known. */
  #wanted: readonly string[] | undefined;

  constructor(options: EmptyingControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
  }

  /** The claims whose nodes should empty out from the next look on, the first first. */
  rank(claims: readonly string[]): void {
    this.#wanted = claims;
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster, clock, logger } = this.#options;
    const task = (own: AbortSignal): Promise<void> => this.look(own);
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe: () => [] }, () =>
      periodic({
        everyMillis: LOOK_MILLIS,
        clock,
        signal,
        task,
        logger,
        name: 'rank nodes that should empty out',
      }),
    );
  }

  /** Brings ranks and deletion costs up to date. @throws PortError, when a claim could not be written. */
  async look(signal: AbortSignal): Promise<void> {
    const { cluster, metrics, safeguards, isOn } = this.#options;
    const wanted = isOn ? this.#wanted : [];
    if (wanted === undefined || safeguards?.isPaused() === true) return;
    const claims = [...cluster.nodeClaims.values()];
    const staying = new Set(wanted.filter((name) => isStaying(cluster, cluster.nodeClaims.get(name))));
    const known = new Map(
      claims.flatMap(({ name, annotations }) => {
        const rank = readRank(annotations.get(EMPTYING_ANNOTATION));
        return rank === undefined ? [] : [[name, rank] as const];
      }),
    );
    const ranks = assignRanks([...staying], known);
    metrics.emptyingNodes.set({}, ranks.size);
    await this.#rankClaims(claims, ranks, signal);
    const writes = isOn ? this.#writes(claims, ranks) : this.#writes([], new Map());
    await inParallel(writes.slice(0, MOST_WRITES), (write) => this.#write(write, signal), {
      atOnce: WRITES_AT_ONCE,
      signal,
    });
  }

  async #rankClaims(
    claims: readonly NodeClaim[],
    ranks: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<void> {
    const changed = claims.filter(
      (claim) =>
        claim.annotations.get(EMPTYING_ANNOTATION) !== textOf(ranks.get(claim.name)) &&
        isStaying(this.#options.cluster, claim),
    );
    const write = (claim: NodeClaim): Promise<boolean> => {
      const rank = textOf(ranks.get(claim.name)) ?? null;
      return this.#writer.annotateClaim(claim, { [EMPTYING_ANNOTATION]: rank }, signal);
    };
    await inParallel(changed, write, { atOnce: WRITES_AT_ONCE, signal });
  }

  /** What is to be written to pods, the lowest cost first, and what is taken back last. */
  #writes(claims: readonly NodeClaim[], ranks: ReadonlyMap<string, number>): readonly Write[] {
    const { cluster } = this.#options;
    const costs = new Map<string, string>();
    for (const claim of claims) {
      const node = claim.status.nodeName;
      const cost = isStaying(cluster, claim) ? textOf(ranks.get(claim.name)) : LOWEST_COST;
      if (node !== undefined && cost !== undefined) costs.set(node, cost);
    }
    const writes: Write[] = [];
    for (const pod of cluster.pods.values()) {
      const cost = costs.get(pod.nodeName ?? '');
      const change = deletionCostChange(pod, cost);
      if (change !== undefined) writes.push({ pod, change, cost: Number(cost ?? 0) });
    }
    return writes.sort((left, right) => left.cost - right.cost);
  }

  /** A pod that another client changes at the same time has its turn in the next look. */
  async #write({ pod, change }: Write, signal: AbortSignal): Promise<void> {
    const { metrics, logger } = this.#options;
    const count = (result: string): void => {
      metrics.deletionCostWrites.inc({ result });
    };
    try {
      const isThere = await this.#writer.annotatePod(pod, change, signal, true);
      count(isThere ? 'updated' : 'skipped_notfound');
    } catch (error) {
      if (signal.aborted) throw error;
      const isConflict = hasCode(error, 'Conflict');
      count(isConflict ? 'skipped_conflict' : 'error');
      if (!isConflict)
        logger.info('Failed to write a pod deletion cost', { pod: `${pod.namespace}/${pod.name}`, error });
    }
  }
}

/** Whether there is such a claim, and it does not go already. */
function isStaying(cluster: Cluster, claim: NodeClaim | undefined): boolean {
  return claim !== undefined && !isLeaving(claim, cluster.nodeOfClaim(claim.name));
}

function textOf(rank: number | undefined): string | undefined {
  return rank === undefined ? undefined : String(rank);
}
