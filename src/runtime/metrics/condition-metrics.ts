/** What is measured of the conditions of objects: the names of operatorpkg, which Karpenter's dashboards read. */
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { counter, gauge, histogram, makeAll } from './metric-factory.js';

/** Kinds with metrics of their own, and the labels that these have beside the common ones. */
const KINDS = {
  nodeclaim: ['karpenter_k8s_aws_ec2nodeclass', 'karpenter_sh_nodepool'],
  nodepool: [],
  ec2nodeclass: [],
  node: ['karpenter_k8s_aws_ec2nodeclass', 'karpenter_sh_nodepool', 'karpenter_sh_initialized'],
} as const;
type Kind = keyof typeof KINDS;

/** Of Karpenter's older names, which are those of several kinds. */
const ANY = ['group', 'kind'];
const OBJECT = ['namespace', 'name'];
const CONDITION = ['type', 'status', 'reason'];
/** From half a second to two hours and a quarter, as Karpenter's. */
const TRANSITION_SECONDS = Array.from({ length: 15 }, (_, power) => 0.5 * 2 ** power);
const SUMMED =
  'name is empty and the value a sum or the largest where objects are added up (--metrics-detail)';

/** The metrics of the conditions of one kind. */
export interface ConditionGroup {
  readonly count: Gauge;
  readonly currentSeconds: Gauge;
  readonly transitions: Counter;
  readonly transitionSeconds: Histogram;
}

/** The metrics of a kind whose objects take a while to go. */
export interface TerminationGroup {
  readonly terminatingSeconds: Gauge;
  readonly terminationSeconds: Histogram;
}

interface Shape {
  /** Of names. */
  readonly prefix: string;
  /** For help. */
  readonly what: string;
  readonly labels: readonly string[];
}

function shapeOf(kind: Kind): Shape {
  return { prefix: `operator_${kind}_`, what: kind, labels: KINDS[kind] };
}

export const CONDITION_METRICS = {
  conditions: (registry: Registry): Readonly<Record<Kind | 'any', ConditionGroup>> => ({
    nodeclaim: conditionGroup(registry, shapeOf('nodeclaim')),
    nodepool: conditionGroup(registry, shapeOf('nodepool')),
    ec2nodeclass: conditionGroup(registry, shapeOf('ec2nodeclass')),
    node: conditionGroup(registry, shapeOf('node')),
    any: conditionGroup(registry, {
      prefix: 'operator_',
      what: 'NodeClaim, NodePool and node class',
      labels: ANY,
    }),
  }),
  terminations: (registry: Registry): Readonly<Record<'nodeclaim' | 'node' | 'any', TerminationGroup>> => ({
    nodeclaim: terminationGroup(registry, shapeOf('nodeclaim')),
    node: terminationGroup(registry, shapeOf('node')),
    any: terminationGroup(registry, { prefix: 'operator_', what: 'NodeClaim', labels: ANY }),
  }),
};

function conditionGroup(registry: Registry, { prefix, what, labels }: Shape): ConditionGroup {
  return makeAll(registry, {
    count: gauge<string>(
      `${prefix}status_condition_count`,
      `Number of conditions (${what}), by object, type, status and reason; ${SUMMED}.`,
      [...OBJECT, ...CONDITION, ...labels],
    ),
    currentSeconds: gauge<string>(
      `${prefix}status_condition_current_status_seconds`,
      `Time since the last transition of a condition (${what}), by object, type, status and reason; ${SUMMED}.`,
      [...OBJECT, ...CONDITION, ...labels],
    ),
    transitions: counter<string>(
      `${prefix}status_condition_transitions_total`,
      `Number of transitions of conditions (${what}), by type, status and reason.`,
      [...CONDITION, ...labels],
    ),
    transitionSeconds: histogram<string>(
      `${prefix}status_condition_transition_seconds`,
      `Time for which a condition (${what}) had a status before it changed, by type, status and to_status.`,
      TRANSITION_SECONDS,
      ['type', 'status', 'to_status', ...labels],
    ),
  });
}

function terminationGroup(registry: Registry, { prefix, what, labels }: Shape): TerminationGroup {
  return makeAll(registry, {
    terminatingSeconds: gauge<string>(
      `${prefix}termination_current_time_seconds`,
      `Time since the deletion request for an object that is still there (${what}), by object; ${SUMMED}.`,
      [...OBJECT, ...labels],
    ),
    terminationSeconds: histogram<string>(
      `${prefix}termination_duration_seconds`,
      `Duration from the deletion request for an object until it is gone (${what}).`,
      TRANSITION_SECONDS,
      labels,
    ),
  });
}
