/** One workload asked in other words, over and over: what prices come to when luck is taken out. */
import { boundOf } from './judge/bound/index.js';
import { judgePlan } from './judge/judge-plan.js';
import type { ShuffleRow } from './report/shuffle-row.js';
import { planEachInProcess } from './solvers/berth.js';
import { median } from './solvers/stopwatch.js';
import type { Bench } from './run-workload.js';
import { clusterInputOf } from './workloads/cluster-input.js';
import { pose, type Question } from './workloads/question.js';

/** What `count` shuffles of the workload come to, each judged and measured by a bound of its own. */
export async function runShuffles(
  bench: Bench,
  { workload, folder }: Question,
  count: number,
): Promise<ShuffleRow> {
  const questions = Array.from({ length: count }, (_, index) => ({ workload, folder, shuffle: index + 1 }));
  const planned = await planEachInProcess(bench.program, questions);
  const judged = planned.map(({ question, plan, seconds }) => {
    const { workload: shuffled, types } = pose(question);
    const input = clusterInputOf(shuffled, types);
    const verdict = judgePlan(input, plan);
    if (!verdict.valid)
      bench.report(`${workload}, shuffle ${String(question.shuffle)}: ${verdict.complaints}`);
    return { ...verdict, seconds, ratio: verdict.hourly / boundOf(input) };
  });
  const ratios = judged.map(({ ratio }) => ratio);
  const sum = (of: (item: (typeof judged)[number]) => number): number =>
    judged.reduce((all, item) => all + of(item), 0);
  const spotClaims = sum((item) => item.spotClaims);
  return {
    workload,
    shuffles: count,
    medianRatio: median(ratios),
    worstRatio: Math.max(...ratios),
    ratios,
    highestShare: sum(({ highest }) => highest) / sum(({ hourly }) => hourly),
    diverseSpotShare: spotClaims === 0 ? null : sum((item) => item.diverseSpotClaims) / spotClaims,
    medianSeconds: median(judged.map(({ seconds }) => seconds)),
    valid: judged.every(({ valid }) => valid),
  };
}
