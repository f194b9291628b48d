/** What runs in a cluster for a day: Deployments with a peak that the day curve scales, their PodDisruptionBudgets, a DaemonSet. */
import { daemonSet, deployment, podDisruptionBudget } from '../../../scenario/objects.js';
import type { Manifest } from '../../../scenario/world.js';
import type { Draw } from '../../../fuzz/draw.js';

export interface DeploymentTerms {
  readonly name: string;
  /** Replicas at the height of the day. */
  readonly peak: number;
  readonly requests: Readonly<Record<string, string>>;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly spreads: boolean;
  /** Seconds. */
  readonly grace: number;
  /** Of its PodDisruptionBudget; undefined: it has none. */
  readonly budget: Readonly<Record<string, unknown>> | undefined;
}

const CPU = ['250m', '500m', '1', '1500m', '2'] as const;
const MEMORY = ['512Mi', '1Gi', '2Gi', '4Gi'] as const;
const SELECTORS: readonly [Readonly<Record<string, string>>, ...Readonly<Record<string, string>>[]] = [
  {},
  {},
  {},
  { 'karpenter.sh/capacity-type': 'spot' },
  { 'karpenter.sh/nodepool': 'steady' },
  { 'kubernetes.io/arch': 'arm64' },
];
const BUDGETS: readonly [DeploymentTerms['budget'], ...DeploymentTerms['budget'][]] = [
  undefined,
  undefined,
  { maxUnavailable: 1 },
  { maxUnavailable: '34%' },
  { minAvailable: '50%' },
];
/** When demand is highest, in hours of the day (UTC), and what share of the peak is left twelve hours later. */
const PEAK_HOUR = 14;
const EBB = 0.3;

export function drawRequests(draw: Draw): Readonly<Record<string, string>> {
  return { cpu: draw.oneOf(CPU), memory: draw.oneOf(MEMORY) };
}

export function drawDeployments(draw: Draw): readonly DeploymentTerms[] {
  return Array.from({ length: draw.integer(7, 10) }, (_, index) => ({
    name: `web-${String(index)}`,
    peak: draw.integer(2, 8),
    requests: drawRequests(draw),
    nodeSelector: draw.oneOf(SELECTORS),
    spreads: draw.chance(0.25),
    grace: draw.oneOf([1, 5, 30]),
    // One that nobody may evict is in most clusters.
    budget: index === 0 ? { maxUnavailable: 0 } : draw.oneOf(BUDGETS),
  }));
}

/** Replicas at this hour of the day, `noise` about 1. */
export function replicasAt({ peak, budget }: DeploymentTerms, hour: number, noise: number): number {
  // A workload that nobody may evict stays small.
  const most = budget?.['maxUnavailable'] === 0 ? Math.min(peak, 2) : peak;
  const swing = (1 + Math.cos(((hour - PEAK_HOUR) / 12) * Math.PI)) / 2;
  return Math.max(0, Math.round(most * (EBB + (1 - EBB) * swing) * noise));
}

/** `revision` is part of its pods' template: another one is a roll-out. */
export function deploymentManifest(terms: DeploymentTerms, replicas: number, revision = 1): Manifest {
  const { name, requests, nodeSelector, spreads, grace } = terms;
  const spread = {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: name } },
  };
  return deployment({
    name,
    replicas,
    requests,
    labels: { revision: `r${String(revision)}` },
    pod: {
      terminationGracePeriodSeconds: grace,
      nodeSelector,
      ...(spreads && { topologySpreadConstraints: [spread] }),
    },
  });
}

/** All of them at the hour at which the day begins, and what goes with them. */
export function workloadManifests(
  deployments: readonly DeploymentTerms[],
  hour: number,
): readonly Manifest[] {
  return [
    daemonSet({ name: 'agent', requests: { cpu: '50m', memory: '64Mi' } }),
    ...deployments.flatMap((terms) => [
      ...(terms.budget === undefined ? [] : [podDisruptionBudget(terms.name, terms.budget)]),
      deploymentManifest(terms, replicasAt(terms, hour, 1)),
    ]),
  ];
}
