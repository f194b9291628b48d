/** A half-full cluster that Berth may consolidate within budgets: what it moves, what is saved, and what that takes of Berth. */
import { setTimeout as sleep } from 'node:timers/promises';
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import { ConsolidationPlanner } from '../../../src/planning/disrupt/curve/consolidation-curve.js';
import type { ConsolidationPoint } from '../../../src/planning/disrupt/curve/consolidation-question.js';
import { REGION } from '../../../world/demo/embedded/embedded-region.js';
import { freshPlan } from '../../judge/fresh-plan.js';
import { priceAt } from '../../judge/price-at.js';
import { clusterInputOf } from '../../workloads/cluster-input.js';
import type { CaseRequest } from '../options.js';
import { consolidationFigures, type ConsolidationFigures, type NodeBudget } from '../measuring/journal.js';
import { HALF_FULL_POOLS, halfFullCluster } from '../world/half-full-cluster.js';
import { giveRow, Phase, type CaseContext } from './phase.js';

const POLL_MILLIS = 1000;
const TELL_MILLIS = 20_000;
/** Longer than Berth waits for anything: for quiet nodes, for its next look, or after a decision that was taken back. */
const QUIET_MILLIS = 90_000;
/** Of the case's time, for the row of what was not reached. */
const RESERVE_SECONDS = 40;
const MOST_CPU_SECONDS = 60;
/** By how much the cluster may cost more than the curve says for as many moves: its points are plans, not optima. */
const MOST_BY_CURVE = 1.01;
const SHARE = 0.99;

/** What the planner says of the same cluster, asked for all at once. */
interface Reference {
  readonly curve: readonly ConsolidationPoint[];
  /** USD/h of a fresh plan. */
  readonly fresh: number;
}

export async function measureConsolidation(context: CaseContext): Promise<void> {
  const { cluster, request, tell } = context;
  const end = Date.now() + (request.limitSeconds - RESERVE_SECONDS) * 1000;
  const reference = referenceOf(request);
  const start = reference.curve[0]?.hourly ?? NaN;
  tell(`${usd(start)} now, ${usd(reference.fresh)} for a fresh plan`);
  await cluster.api.reset();
  const berth = await cluster.startBerth();
  const phase = Phase.ofStart(context);
  await berth.ready();
  const readyAt = Date.now();
  const readyCpuSeconds = phase.cpu().all;
  tell(`ready with ${readyCpuSeconds.toFixed(1)} s of CPU`);
  if (request.profile) berth.beginProfile();
  const isQuiet = await untilQuiet(context, phase, end);
  const unplaced = await cluster.api.unplaced();
  const journal = await cluster.api.journal();
  const phaseFigures = await phase.end();
  const budgets = new Map(HALF_FULL_POOLS.map(({ name, budget }): [string, NodeBudget] => [name, budget]));
  const figures = consolidationFigures(journal, readyAt, budgets);
  const last = journal.at(-1)?.at ?? readyAt;
  const worst = Math.max(
    ...figures.points.map(({ moves, hourly }) => hourly / priceAt(reference.curve, moves)),
  );
  giveRow(context, phaseFigures, {
    name: `consolidate ${String(request.nodes)} x ${String(request.podsPerNode)}`,
    seconds: (last - readyAt) / 1000,
    more: {
      readyCpuSeconds,
      ...countsOf(figures),
      ...{ usdBefore: start, usdAfter: figures.hourly, byFreshPlan: figures.hourly / reference.fresh },
      mostByCurve: worst,
      unplaced,
    },
    goals: [
      { what: 'pods moved twice', figure: figures.movedAgain, atMost: 0 },
      { what: 'times the price of the curve for as many moves', figure: worst, atMost: MOST_BY_CURVE },
      { what: 'CPU s', figure: phaseFigures.cpu.all, atMost: MOST_CPU_SECONDS },
    ],
    failed: [
      ...(isQuiet ? [] : ['it was not quiet in time']),
      ...(figures.overBudget > 0 ? [`${String(figures.overBudget)} decisions exceeded a budget`] : []),
      ...(unplaced > 0 ? [`${String(unplaced)} pods have no place`] : []),
      ...(figures.unbound > 0 ? [`${String(figures.unbound)} evicted pods were not bound again`] : []),
    ],
    points: figures.points.map((point) => ({ ...point, curve: priceAt(reference.curve, point.moves) })),
  });
}

function referenceOf(request: CaseRequest): Reference {
  const catalogue = catalogueFor(REGION);
  const input = clusterInputOf(halfFullCluster(catalogue, request), catalogue.instanceTypes);
  return { curve: new ConsolidationPlanner().curve(input), fresh: freshPlan(input).cost.hourly };
}

/** Whether nothing has happened to nodes and evicted pods for long, and nothing is on its way, before the time is over. */
async function untilQuiet({ cluster, tell }: CaseContext, phase: Phase, end: number): Promise<boolean> {
  const { journal: first } = await cluster.api.state();
  let [known, hasBegun] = [first, false];
  let [since, told] = [Date.now(), Date.now()];
  while (Date.now() < end) {
    await sleep(POLL_MILLIS);
    const { journal, bound, objects } = await cluster.api.state();
    if (journal !== known) since = Date.now();
    hasBegun ||= journal > first;
    known = journal;
    if (Date.now() - told >= TELL_MILLIS) {
      told = Date.now();
      const nodes = String(objects['nodes'] ?? 0);
      tell(`${nodes} nodes, ${String(bound)} pods bound again, ${phase.cpu().all.toFixed(1)} s of CPU`);
    }
    if (hasBegun && Date.now() - since >= QUIET_MILLIS) return true;
  }
  return false;
}

function countsOf(figures: ConsolidationFigures): Readonly<Record<string, number>> {
  const { moves, movedAgain, mostMoves, nodesGone, launched, overBudget, takenBack, unboundSeconds } =
    figures;
  return {
    ...{ moves, podsMovedTwice: movedAgain, mostMovesOfAPod: mostMoves, nodesGone, launched },
    ...{ overBudget, takenBack },
    unboundP99Seconds: unboundSeconds[Math.ceil(SHARE * unboundSeconds.length) - 1] ?? 0,
  };
}

function usd(hourly: number): string {
  return `${hourly.toFixed(2)} USD/h`;
}
