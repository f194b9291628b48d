/** Conditions of NodeClaims, nodes and policies: which objects have them, since when, and how long each lasted. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { isNodeClassKind } from '../../domain/policies/node-class.js';
import type { PolicyStatus } from '../../domain/policies/policy.js';
import { INITIALIZED, NODEPOOL } from '../../domain/values/labels.js';
import type { ConditionGroup, TerminationGroup } from '../../runtime/metrics/condition-metrics.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { hasSeriesForEach, type GaugeGroup, type MeasuringContext } from './measuring-context.js';

type Labels = Readonly<Record<string, string>>;

interface TimedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  /** When the status last changed, in milliseconds since 1970. */
  readonly since: number;
}

/** An object with conditions, as its metrics see it. */
interface Conditioned {
  readonly name: string;
  readonly uid: string;
  readonly conditions: readonly TimedCondition[];
  /** Milliseconds since 1970. */
  readonly deletionTimestamp: number | undefined;
  /** Where it is counted: metrics, and the labels that these have beside the common ones. */
  readonly groups: readonly {
    /** Tells groups apart. */
    readonly kind: string;
    readonly metrics: ConditionGroup;
    readonly labels: Labels;
  }[];
  readonly ends: readonly { readonly metrics: TerminationGroup; readonly labels: Labels }[];
}

/** The same labels for all objects in `bounded` detail, with what is counted by them. */
interface Series {
  readonly gauges: ConditionGroup;
  readonly labels: Labels;
  count: number;
  /** The earliest transition, in milliseconds since 1970. */
  since: number;
}

/** The gauges of conditions, set at every scrape. */
export class ConditionGauges implements GaugeGroup {
  /** Objects stay as they are, and so do the series that they count in. */
  readonly #seriesOf = new WeakMap<object, readonly (readonly [Series, since: number])[]>();
  readonly #series = new Map<string, Series>();

  reset({ conditions, terminations }: Metrics): void {
    for (const { count, currentSeconds } of Object.values(conditions))
      for (const gauge of [count, currentSeconds]) gauge.reset();
    for (const { terminatingSeconds } of Object.values(terminations)) terminatingSeconds.reset();
  }

  measure(context: MeasuringContext): void {
    const isEach = hasSeriesForEach(context);
    const now = context.clock.now();
    for (const series of this.#series.values()) series.count = 0;
    for (const [object, read] of everything(context)) {
      if (isEach) setEach(read(), now);
      else this.#add(object, read);
    }
    for (const { gauges, labels, count, since } of this.#series.values()) {
      if (count === 0) continue;
      gauges.count.set({ ...labels }, count);
      gauges.currentSeconds.set({ ...labels }, (now - since) / 1000);
    }
    setTerminations(context, isEach ? undefined : '');
  }

  #add(object: object, read: () => Conditioned): void {
    let own = this.#seriesOf.get(object);
    if (own === undefined) this.#seriesOf.set(object, (own = this.#found(read())));
    for (const [series, since] of own) {
      series.since = series.count === 0 ? since : Math.min(series.since, since);
      series.count++;
    }
  }

  #found({ groups, conditions }: Conditioned): readonly (readonly [Series, since: number])[] {
    return groups.flatMap(({ kind, metrics: gauges, labels: own }) =>
      conditions.map(({ since, ...condition }) => {
        const labels = { namespace: '', name: '', ...condition, ...own };
        const key = [kind, ...Object.values(labels)].join('\n');
        const series = this.#series.get(key) ?? { gauges, labels, count: 0, since };
        this.#series.set(key, series);
        return [series, since] as const;
      }),
    );
  }
}

function setEach({ name, groups, conditions }: Conditioned, now: number): void {
  for (const { metrics, labels: own } of groups)
    for (const { since, ...condition } of conditions) {
      const labels = { namespace: '', name, ...condition, ...own };
      metrics.count.set(labels, 1);
      metrics.currentSeconds.set(labels, (now - since) / 1000);
    }
}

/** Few objects are on their way out at once. `name`: of all, where they are added up. */
function setTerminations({ cluster, clock, metrics }: MeasuringContext, name: string | undefined): void {
  const now = clock.now();
  const going = [
    ...[...cluster.nodeClaims.values()].filter(isGoing).map((claim) => ofClaim(metrics, claim)),
    ...[...cluster.nodes.values()].filter(isGoing).map((node) => ofNode(metrics, node)),
  ];
  const oldest = going.sort(
    (one, other) => (one.deletionTimestamp ?? now) - (other.deletionTimestamp ?? now),
  );
  // The oldest comes last, and stays where several have the same labels.
  for (const object of oldest.reverse())
    for (const { metrics: own, labels } of object.ends) {
      const seconds = (now - (object.deletionTimestamp ?? now)) / 1000;
      own.terminatingSeconds.set({ namespace: '', name: name ?? object.name, ...labels }, seconds);
    }
}

function isGoing({ deletionTimestamp }: { readonly deletionTimestamp: number | undefined }): boolean {
  return deletionTimestamp !== undefined;
}

/** Counts transitions and ends from now on. Answers what ends that. */
export function followConditions(
  context: Pick<MeasuringContext, 'cluster' | 'clock' | 'metrics'>,
): readonly (() => void)[] {
  const { cluster, metrics, clock } = context;
  const changed = (before: Conditioned | undefined, after: Conditioned | undefined): void => {
    if (before !== undefined && after?.uid !== before.uid) countEnd(before, clock.now());
    if (after !== undefined) countTransitions(before?.uid === after.uid ? before : undefined, after);
  };
  return [
    cluster.nodeClaims.subscribe(({ before, after }) => {
      if (before?.status.conditions !== after?.status.conditions)
        changed(before && ofClaim(metrics, before), after && ofClaim(metrics, after));
    }),
    cluster.nodes.subscribe(({ before, after }) => {
      if (before?.conditions !== after?.conditions)
        changed(before && ofNode(metrics, before), after && ofNode(metrics, after));
    }),
    cluster.policyStatuses.subscribe(({ before, after }) => {
      changed(before && ofPolicy(metrics, before), after && ofPolicy(metrics, after));
    }),
  ];
}

function countTransitions(before: Conditioned | undefined, after: Conditioned): void {
  for (const { type, status, reason, since } of after.conditions) {
    const last = before?.conditions.find((condition) => condition.type === type);
    if (last?.status === status) continue;
    for (const { metrics, labels } of after.groups) {
      metrics.transitions.inc({ type, status, reason, ...labels });
      if (last === undefined) continue;
      const seconds = Math.max(0, since - last.since) / 1000;
      metrics.transitionSeconds.observe({ type, status: last.status, to_status: status, ...labels }, seconds);
    }
  }
}

function countEnd({ deletionTimestamp, ends }: Conditioned, now: number): void {
  if (deletionTimestamp === undefined) return;
  for (const { metrics, labels } of ends)
    metrics.terminationSeconds.observe({ ...labels }, Math.max(0, now - deletionTimestamp) / 1000);
}

/** Every object, and how to read it. */
function* everything({
  cluster,
  metrics,
}: MeasuringContext): Iterable<readonly [object: object, read: () => Conditioned]> {
  for (const claim of cluster.nodeClaims.values()) yield [claim, () => ofClaim(metrics, claim)];
  for (const node of cluster.nodes.values()) yield [node, () => ofNode(metrics, node)];
  for (const status of cluster.policyStatuses.values()) yield [status, () => ofPolicy(metrics, status)];
}

/** The node class with which Karpenter's metrics have a label and a name of their own. */
const EC2_NODE_CLASS = 'EC2NodeClass';
const EC2_NODE_CLASS_LABEL = 'karpenter.k8s.aws/ec2nodeclass';

function ofClaim({ conditions, terminations }: Metrics, claim: NodeClaim): Conditioned {
  const { kind, name: nodeClass } = claim.spec.nodeClassRef;
  const labels = {
    karpenter_k8s_aws_ec2nodeclass: kind === EC2_NODE_CLASS ? nodeClass : '',
    karpenter_sh_nodepool: claim.spec.nodePool,
  };
  const any = { group: 'berth.sh', kind: 'NodeClaim' };
  return {
    name: claim.name,
    uid: claim.uid,
    conditions: timed(claim.status.conditions),
    deletionTimestamp: claim.deletionTimestamp,
    groups: [
      { kind: 'nodeclaim', metrics: conditions.nodeclaim, labels },
      { kind: 'any', metrics: conditions.any, labels: any },
    ],
    ends: [
      { metrics: terminations.nodeclaim, labels },
      { metrics: terminations.any, labels: any },
    ],
  };
}

function ofNode({ conditions, terminations }: Metrics, node: ObservedNode): Conditioned {
  const labels = {
    karpenter_k8s_aws_ec2nodeclass: node.labels.get(EC2_NODE_CLASS_LABEL) ?? '',
    karpenter_sh_nodepool: node.labels.get(NODEPOOL) ?? '',
    karpenter_sh_initialized: node.labels.get(INITIALIZED) ?? '',
  };
  return {
    name: node.name,
    uid: node.uid,
    conditions: node.conditions.map(({ type, status, since }) => ({
      type,
      status,
      reason: '',
      since: since ?? node.createdAt,
    })),
    deletionTimestamp: node.deletionTimestamp,
    groups: [{ kind: 'node', metrics: conditions.node, labels }],
    ends: [{ metrics: terminations.node, labels }],
  };
}

function ofPolicy(
  { conditions }: Metrics,
  { policy, uid, kind, conditions: own }: PolicyStatus,
): Conditioned {
  const group = kind === 'NodePool' ? 'karpenter.sh' : 'karpenter.k8s.aws';
  const isMeant = kind === 'NodePool' || isNodeClassKind(kind);
  return {
    name: policy,
    uid,
    conditions: timed(own),
    deletionTimestamp: undefined,
    groups: [
      ...(kind === 'NodePool' ? [{ kind, metrics: conditions.nodepool, labels: {} }] : []),
      ...(kind === EC2_NODE_CLASS ? [{ kind, metrics: conditions.ec2nodeclass, labels: {} }] : []),
      ...(isMeant ? [{ kind: 'any', metrics: conditions.any, labels: { group, kind } }] : []),
    ],
    ends: [],
  };
}

function timed(conditions: PolicyStatus['conditions']): readonly TimedCondition[] {
  return conditions.map(({ type, status, reason, lastTransitionTime: since }) => ({
    type,
    status,
    reason,
    since,
  }));
}
