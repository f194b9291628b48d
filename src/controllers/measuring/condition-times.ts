/** Conditions of NodeClaims, nodes and policies: which objects have them, since when, and how long each lasted. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { isNodeClassKind } from '../../domain/policies/node-class.js';
import type { PolicyStatus } from '../../domain/policies/policy.js';
import { INITIALIZED, NODEPOOL } from '../../domain/values/labels.js';
import type { ConditionGroup, TerminationGroup } from '../../runtime/metrics/condition-metrics.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import {
  hasSeriesForEach,
  LabelledValues,
  type GaugeGroup,
  type MeasuringContext,
} from './measuring-context.js';

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
  readonly groups: readonly { readonly metrics: ConditionGroup; readonly labels: Labels }[];
  readonly ends: readonly { readonly metrics: TerminationGroup; readonly labels: Labels }[];
}

/** The gauges of conditions, set at every scrape. */
export const CONDITION_GAUGES: GaugeGroup = {
  reset: ({ conditions, terminations }) => {
    for (const { count, currentSeconds } of Object.values(conditions))
      for (const gauge of [count, currentSeconds]) gauge.reset();
    for (const { terminatingSeconds } of Object.values(terminations)) terminatingSeconds.reset();
  },
  measure: (context) => {
    const isEach = hasSeriesForEach(context);
    const counts = new Map<ConditionGroup, LabelledValues<Labels>>();
    const ages = new Map<ConditionGroup, LabelledValues<Labels>>();
    const ends = new Map<TerminationGroup, LabelledValues<Labels>>();
    const now = context.clock.now();
    for (const object of everything(context)) {
      const named = { namespace: '', name: isEach ? object.name : '' };
      for (const { metrics, labels } of object.groups)
        for (const { since, ...condition } of object.conditions) {
          valuesOf(counts, metrics).put({ ...named, ...condition, ...labels }, 1);
          const seconds = (now - since) / 1000;
          valuesOf(ages, metrics).put({ ...named, ...condition, ...labels }, seconds, Math.max);
        }
      if (object.deletionTimestamp === undefined) continue;
      const seconds = (now - object.deletionTimestamp) / 1000;
      for (const { metrics, labels } of object.ends)
        valuesOf(ends, metrics).put({ ...named, ...labels }, seconds, Math.max);
    }
    for (const [{ count }, values] of counts) setAll(count, values);
    for (const [{ currentSeconds }, values] of ages) setAll(currentSeconds, values);
    for (const [{ terminatingSeconds }, values] of ends) setAll(terminatingSeconds, values);
  },
};

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

function* everything({ cluster, metrics }: MeasuringContext): Iterable<Conditioned> {
  for (const claim of cluster.nodeClaims.values()) yield ofClaim(metrics, claim);
  for (const node of cluster.nodes.values()) yield ofNode(metrics, node);
  for (const status of cluster.policyStatuses.values()) yield ofPolicy(metrics, status);
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
      { metrics: conditions.nodeclaim, labels },
      { metrics: conditions.any, labels: any },
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
    groups: [{ metrics: conditions.node, labels }],
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
      ...(kind === 'NodePool' ? [{ metrics: conditions.nodepool, labels: {} }] : []),
      ...(kind === EC2_NODE_CLASS ? [{ metrics: conditions.ec2nodeclass, labels: {} }] : []),
      ...(isMeant ? [{ metrics: conditions.any, labels: { group, kind } }] : []),
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

function valuesOf<Key>(all: Map<Key, LabelledValues<Labels>>, key: Key): LabelledValues<Labels> {
  const known = all.get(key) ?? new LabelledValues<Labels>();
  all.set(key, known);
  return known;
}

function setAll(gauge: ConditionGroup['count'], values: LabelledValues<Labels>): void {
  for (const { labels, value } of values.values()) gauge.set({ ...labels }, value);
}
