/** The NodePools and the EC2NodeClass of a day: what they say, as manifests and as judges read it. */
import { nodeClass, nodePool } from '../../../scenario/objects.js';
import type { Manifest } from '../../../scenario/world.js';
import type { BudgetReason } from '../../../../src/domain/policies/budget.js';
import type { Draw } from '../../../fuzz/draw.js';

/** Those that budgets are drawn for, and judged by. */
export const BUDGET_REASONS = [
  'Empty',
  'Drifted',
  'Underutilized',
] as const satisfies readonly BudgetReason[];

export interface BudgetTerms {
  /** `20%` or `2`. */
  readonly nodes: string;
  readonly reasons?: readonly BudgetReason[];
  /** Each day from this hour (UTC) for so many hours; always, when not given. */
  readonly window?: { readonly hour: number; readonly hours: number };
}

/** A NodePool as far as it differs between days. */
export interface PoolTerms {
  readonly name: string;
  readonly weight: number;
  readonly capacityTypes: readonly string[];
  readonly policy: 'WhenEmpty' | 'WhenEmptyOrUnderutilized';
  readonly consolidateAfter: string;
  readonly budgets: readonly BudgetTerms[];
  /** Cores. */
  readonly cpuLimit: number | undefined;
  readonly expireAfter: string;
  readonly terminationGracePeriod: string | undefined;
  /** Nodes of another generation have drifted. */
  readonly generation: number;
}

const ARCHITECTURES = ['amd64', 'arm64'];

export function poolManifest(terms: PoolTerms): Manifest {
  const { name, weight, capacityTypes, cpuLimit, expireAfter, terminationGracePeriod, generation } = terms;
  return nodePool({
    name,
    requirements: { 'kubernetes.io/arch': ARCHITECTURES, 'karpenter.sh/capacity-type': capacityTypes },
    labels: { generation: `g${String(generation)}` },
    template: { expireAfter, ...(terminationGracePeriod !== undefined && { terminationGracePeriod }) },
    spec: {
      weight,
      ...(cpuLimit !== undefined && { limits: { cpu: String(cpuLimit) } }),
      disruption: {
        consolidationPolicy: terms.policy,
        consolidateAfter: terms.consolidateAfter,
        budgets: terms.budgets.map(budgetManifest),
      },
    },
  });
}

function budgetManifest({ nodes, reasons, window }: BudgetTerms): Readonly<Record<string, unknown>> {
  return {
    nodes,
    ...(reasons && { reasons }),
    ...(window && { schedule: `0 ${String(window.hour)} * * *`, duration: `${String(window.hours)}h` }),
  };
}

/** Instances of another generation have drifted: it is one of their tags. */
export function classManifest(generation: number): Manifest {
  return nodeClass('default', { tags: { generation: `g${String(generation)}` } });
}

/** What a day begins with. */
export function drawPools(draw: Draw): readonly PoolTerms[] {
  const common = {
    weight: 1,
    consolidateAfter: draw.oneOf(['30s', '1m', '5m']),
    policy: 'WhenEmptyOrUnderutilized' as const,
    budgets: drawBudgets(draw),
    cpuLimit: undefined,
    expireAfter: draw.oneOf(['6h', '12h', '720h', 'Never']),
    terminationGracePeriod: draw.chance(0.3) ? '45m' : undefined,
    generation: 1,
  };
  return [
    {
      ...common,
      name: 'general',
      weight: 10,
      capacityTypes: ['spot', 'on-demand'],
      cpuLimit: draw.integer(60, 140),
    },
    {
      ...common,
      name: 'steady',
      capacityTypes: ['on-demand'],
      policy: draw.oneOf(['WhenEmpty', 'WhenEmptyOrUnderutilized']),
      budgets: drawBudgets(draw),
      cpuLimit: draw.integer(16, 64),
      terminationGracePeriod: undefined,
    },
    {
      ...common,
      name: 'spot',
      capacityTypes: ['spot'],
      budgets: drawBudgets(draw),
      cpuLimit: draw.integer(32, 96),
    },
  ];
}

export function drawBudgets(draw: Draw): readonly BudgetTerms[] {
  const budgets: BudgetTerms[] = [{ nodes: draw.oneOf(['1', '2', '10%', '20%', '34%', '50%']) }];
  if (draw.chance(0.4))
    budgets.push({ nodes: '0', reasons: draw.part(BUDGET_REASONS), window: drawWindow(draw) });
  if (draw.chance(0.3)) budgets.push({ nodes: '1', reasons: ['Drifted'] });
  return budgets;
}

function drawWindow(draw: Draw): NonNullable<BudgetTerms['window']> {
  return { hour: draw.integer(0, 23), hours: draw.integer(1, 8) };
}
