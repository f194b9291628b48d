/** A NodePool document of v1 as the domain has it. */
import type { NodePool } from '../../domain/policies/node-pool.js';
import { resourceListOf } from '../fields/amount.js';
import { budgetOf } from '../fields/budget.js';
import { durationSeconds } from '../fields/duration.js';
import { labelsOf } from '../fields/label-map.js';
import { requirementOf } from '../fields/requirement.js';
import { taintOf } from '../fields/taint.js';
import type { BerthSettings } from './berth-block.js';
import type { NodePoolDocument } from './v1.js';

/** The pool that a document describes; schedules of budgets are read in the time zone of its `berth:` block. */
export function toNodePool({ metadata, spec }: NodePoolDocument, berth: BerthSettings): NodePool {
  const { disruption, limits, weight, replicas } = spec;
  return {
    name: metadata.name,
    weight: weight ?? 0,
    template: toTemplate(spec.template),
    disruption: {
      consolidationPolicy: disruption.consolidationPolicy,
      consolidateAfterSeconds: durationSeconds(disruption.consolidateAfter),
      budgets: disruption.budgets.map((budget) => budgetOf(budget, berth.timeZone)),
      loadBudgets: berth.loadBudgets,
      windows: berth.windows,
      freezes: berth.freezes,
      clusterBudgets: berth.clusterBudgets,
      expiration: berth.expiration,
      economics: berth.economics,
      terminateFirst: berth.terminateFirst,
      driftRollout: berth.driftRollout,
      mostUnhealthyPercent: berth.mostUnhealthyPercent,
      repairPolicies: berth.repairPolicies,
    },
    limits: resourceListOf(limits ?? {}),
    replicas,
    minimumNodes: berth.minimumNodes,
  };
}

function toTemplate({ metadata, spec }: NodePoolDocument['spec']['template']): NodePool['template'] {
  const grace = spec.terminationGracePeriod;
  return {
    labels: labelsOf(metadata?.labels),
    annotations: labelsOf(metadata?.annotations),
    taints: (spec.taints ?? []).map(taintOf),
    startupTaints: (spec.startupTaints ?? []).map(taintOf),
    requirements: spec.requirements.map(requirementOf),
    nodeClassRef: spec.nodeClassRef,
    expireAfterSeconds: durationSeconds(spec.expireAfter),
    terminationGracePeriodSeconds: grace === undefined ? undefined : durationSeconds(grace),
  };
}
