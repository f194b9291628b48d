/** NodePools: what may be launched, in one version, defaults applied. */
import type { AllowWindow, DisruptionBudget, Freeze, LoadBudget } from './budget.js';
import type { DriftRollout } from './drift-rollout.js';
import type { Economics } from './economics.js';
import type { RepairPolicy } from './repair-policy.js';
import type { Labels } from '../values/labels.js';
import type { Requirement } from '../values/requirement.js';
import type { ResourceList } from '../values/resources.js';
import type { Taint } from '../values/taint.js';

export interface NodeClassRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export interface NodeTemplate {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  /** Removed after start-up by the component that owns them, so ignored when pods are planned. */
  readonly startupTaints: readonly Taint[];
  /** As written; several may name one key. */
  readonly requirements: readonly Requirement[];
  readonly nodeClassRef: NodeClassRef;
  /** Seconds, or undefined for Never. */
  readonly expireAfterSeconds: number | undefined;
  /** Seconds, or undefined for no hard stop. */
  readonly terminationGracePeriodSeconds: number | undefined;
}

export const CONSOLIDATION_POLICIES = ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'] as const;
export type ConsolidationPolicy = (typeof CONSOLIDATION_POLICIES)[number];

/** Whether expired nodes go at once, as Karpenter has it, or wait for budgets and windows. */
export const EXPIRATIONS = ['Forceful', 'Budgeted'] as const;
export type Expiration = (typeof EXPIRATIONS)[number];

/** What Karpenter has, where it cannot be set. */
export const DEFAULT_MOST_UNHEALTHY_PERCENT = 20;

export interface Disruption {
  readonly consolidationPolicy: ConsolidationPolicy;
  /** Seconds, or undefined for Never. */
  readonly consolidateAfterSeconds: number | undefined;
  readonly budgets: readonly DisruptionBudget[];
  readonly loadBudgets: readonly LoadBudget[];
  /** When reasons are allowed at all; a reason that none names always is. */
  readonly windows: readonly AllowWindow[];
  /** When nodes stay, whatever windows and budgets allow. */
  readonly freezes: readonly Freeze[];
  /** Over the nodes of all pools together. */
  readonly clusterBudgets: readonly DisruptionBudget[];
  readonly expiration: Expiration;
  readonly economics: Economics;
  /** Whether nodes that are replaced go first where there is never room for both. */
  readonly terminateFirst: boolean;
  /** How nodes that have drifted are replaced in stages; undefined: as budgets let them go. */
  readonly driftRollout: DriftRollout | undefined;
  /** Unhealthy nodes are replaced while no more than so many percent of the pool's nodes, rounded up, are unhealthy. */
  readonly mostUnhealthyPercent: number;
  /** Those for certain reasons first. Conditions that none of them matches are the cloud's. */
  readonly repairPolicies: readonly RepairPolicy[];
}

export interface NodePool {
  readonly name: string;
  /** Higher is tried first; 1 to 100, 0 when not given. */
  readonly weight: number;
  readonly template: NodeTemplate;
  readonly disruption: Disruption;
  /** Most that all nodes of the pool together may have as capacity; `nodes` counts nodes. */
  readonly limits: ResourceList;
  /** Fixed number of nodes for a static pool; undefined for a dynamic one. */
  readonly replicas: number | undefined;
  /** A dynamic pool has at least so many nodes, whatever pods want; 0: none. */
  readonly minimumNodes: number;
}
