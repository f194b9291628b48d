/** The disruptor beside a cluster that it may change as it likes: asked again and again, each answer carried out, until it rests. */
import { DEFAULT_ECONOMICS } from '../../src/domain/policies/economics.js';
import { FIRST_PASS } from '../../src/planning/disrupt/methods/consolidation.js';
import { disrupt } from '../../src/planning/disrupt/methods.js';
import {
  DEFAULT_DISRUPTION_OPTIONS,
  type DisruptionInput,
  type DisruptionOptions,
} from '../../src/planning/disrupt/question/disruption.js';
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import { DisruptionMemory } from '../../src/planning/disrupt/draft.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { afterAnswer } from '../../test/planning/disrupt/check-commands.js';
import { disruptionTerms, managedNode, NOW } from '../../test/support/builders/disruption-input.js';
import { observedPod } from '../../test/support/builders/observed-pod.js';
import { clusterInputOf } from '../workloads/cluster-input.js';
import { pose, type Question } from '../workloads/question.js';
import { offeredPrice } from '../judge/curve-plan.js';
import { freshPlan } from '../judge/fresh-plan.js';
import { priceAt } from '../judge/price-at.js';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../src/domain/values/labels.js';
import type { Node } from '../../src/domain/nodes/node.js';
import { processorSeconds, timed } from './stopwatch.js';

/** One question to the disruptor, and the cluster after its answer was carried out. */
export interface DisruptorPass {
  readonly seconds: number;
  readonly cpu: number;
  /** Plans made. */
  readonly simulations: number;
  readonly nodesGone: number;
  readonly launched: number;
  /** Pods moved. */
  readonly moves: number;
  readonly nodes: number;
  /** USD/h of the cluster afterwards. */
  readonly hourly: number;
}

/** What one answer does within a budget of nodes, beside the curve of price against moving. */
export interface LimitedAnswer {
  /** Share of the nodes that may go. */
  readonly percent: number;
  readonly moves: number;
  /** USD/h afterwards, and what the curve says for as many moves. */
  readonly hourly: number;
  readonly curve: number;
}

export interface DisruptorMeasurement {
  /** USD/h at the start, and of a fresh plan of all pods. */
  readonly before: number;
  readonly fresh: number;
  readonly passes: readonly DisruptorPass[];
  /** Pods that were moved more than once. */
  readonly movedAgain: number;
  readonly limited: readonly LimitedAnswer[];
}

/** More passes than any cluster should need. */
const MOST_PASSES = 400;
/** Moving is free, so that only prices decide. */
const OPTIONS: DisruptionOptions = {
  ...DEFAULT_DISRUPTION_OPTIONS,
  bootHours: 0,
  plan: DEFAULT_PLAN_OPTIONS,
};

export function measureDisruptor(
  question: Question,
  onPass: (pass: DisruptorPass) => void = () => undefined,
): DisruptorMeasurement {
  const { workload, types } = pose(question);
  const running = clusterInputOf(workload, types);
  const memory = new DisruptionMemory();
  let input: DisruptionInput = { ...disruptionInputOf(running, 100), cursor: FIRST_PASS };
  const before = hourlyOf(input);
  const passes: DisruptorPass[] = [];
  const moved = new Map<string, number>();
  while (passes.length < MOST_PASSES) {
    const start = process.cpuUsage();
    const [answer, seconds] = timed(() => disrupt(input, OPTIONS, memory));
    const cpu = processorSeconds(start);
    const { commands, simulations, cursor } = answer;
    const placements = commands.flatMap((command) => command.placements);
    for (const { pod } of placements) moved.set(pod, (moved.get(pod) ?? 0) + 1);
    input = { ...afterAnswer(input, answer), cursor };
    const pass: DisruptorPass = {
      ...{ seconds, cpu, simulations },
      nodesGone: commands.reduce((sum, { nodes }) => sum + nodes.length, 0),
      launched: commands.reduce((sum, { claims }) => sum + claims.length, 0),
      moves: placements.length,
      nodes: input.nodes.length,
      hourly: hourlyOf(input),
    };
    passes.push(pass);
    onPass(pass);
    if (commands.length === 0 && cursor === '') break;
  }
  const movedAgain = [...moved.values()].filter((times) => times > 1).length;
  const fresh = freshPlan(running).cost.hourly;
  return { before, fresh, passes, movedAgain, limited: limitedAnswers(running, memory) };
}

/** Budgets that the first answer is asked for under, in percent of the nodes. */
const BUDGETS: readonly number[] = [5, 10, 20, 30, 40, 50, 60, 70, 80, 90];

function limitedAnswers(cluster: ClusterInput, memory: DisruptionMemory): readonly LimitedAnswer[] {
  const curve = memory.curve.curve(cluster);
  return BUDGETS.map((percent) => {
    const input = disruptionInputOf(cluster, percent);
    const { commands } = disrupt(input, OPTIONS, memory);
    const moves = commands.reduce((sum, { placements }) => sum + placements.length, 0);
    const saving = commands.reduce((sum, command) => sum + command.saving, 0);
    return { percent, moves, hourly: hourlyOf(input) - saving, curve: priceAt(curve, moves) };
  });
}

/** The running cluster as disruption takes it, all nodes managed, quiet, and free to go within the budget, evictions at no cost. */
export function disruptionInputOf(cluster: ClusterInput, percent: number): DisruptionInput {
  const disruption = disruptionTerms({
    budgets: [{ nodes: { percent }, reasons: undefined, window: undefined }],
    economics: { ...DEFAULT_ECONOMICS, evictionCostUsd: 0 },
  });
  const pools = cluster.pools.map((offer) => ({ ...offer, pool: { ...offer.pool, disruption } }));
  const pods = cluster.pods.map((pod) => ({ ...observedPod(), ...pod }));
  return {
    cluster: { ...cluster, pools, pods },
    nodes: cluster.nodes.map((node) =>
      managedNode({ name: node.name, nodePool: 'default', hourlyPrice: priceOfNode(cluster, node) }),
    ),
    pods,
    podDisruptionBudgets: [],
    workloads: [],
    frozenPools: new Set(),
    now: NOW,
    cursor: '',
    resting: new Set(),
  };
}

function hourlyOf({ nodes }: DisruptionInput): number {
  return nodes.reduce((sum, { hourlyPrice }) => sum + (hourlyPrice ?? 0), 0);
}

function priceOfNode({ pools }: ClusterInput, { labels }: Node): number {
  const type = labels.get(INSTANCE_TYPE) ?? '';
  const types = pools.flatMap(({ instanceTypes = [] }) => instanceTypes);
  return offeredPrice(
    types.find(({ name }) => name === type),
    { zone: labels.get(ZONE) ?? '', capacityType: labels.get(CAPACITY_TYPE) ?? '' },
  );
}
