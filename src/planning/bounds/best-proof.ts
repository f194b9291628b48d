/** The best lower bound that dual values prove for a problem, with them: by the optimizer's prices, or by part. */
import { ZONE } from '../../domain/labels.js';
import { DEFAULT_OPTIMIZER_OPTIONS, type BinProblem } from '../optimize/problem/bin-problem.js';
import { priceMachines } from '../optimize/prices/machine-prices.js';
import { binDuals, isKeptApart } from './bin-duals.js';
import { NEW_HOST } from '../model/constraints/domains.js';
import { binTables, classesOfItems, compileBins, type CompiledBins } from '../pack/guided/compile-bins.js';
import { Packing } from '../rules/packing.js';
import { aggregatedDuals } from './plan-duals.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';
import { provenBound, type ProvenBound } from './proven-bound.js';

/** As much work as a plan itself takes; for those who want the proof. */
export function bestProof(problem: Problem): ProvenBound {
  const byPart = provenBound(problem, aggregatedDuals(problem));
  const packing = new Packing(problem);
  const compiled = compileBins(packing, binTables(packing));
  if (compiled === undefined) return byPart;
  const free = withoutShares(problem, compiled);
  const { duals } = priceMachines(free, DEFAULT_OPTIMIZER_OPTIONS.maxPivots);
  const byBins = provenBound(problem, binDuals(problem, { compiled: { ...compiled, problem: free }, duals }));
  return byBins.bound > byPart.bound ? byBins : byPart;
}

/** The problem as far as every plan has to keep to it: pods go to any zone, and share machines unless they shun each other. */
function withoutShares(problem: Problem, compiled: CompiledBins): BinProblem {
  const { problem: bins } = compiled;
  const masks = new Map<PodClass, number>();
  const maskOf = (pods: PodClass): number => {
    const mask = masks.get(pods) ?? zonesOf(problem, pods);
    masks.set(pods, mask);
    return mask;
  };
  const classesOf = classesOfItems(compiled);
  const apart = Array.from(bins.cap, (cap, group) => {
    const members = classesOf.filter((_, item) => bins.classes.capGroup[item] === group);
    return cap === 1 && isKeptApart(members.flat());
  });
  return {
    ...bins,
    classes: {
      ...bins.classes,
      zoneMask: bins.classes.zoneMask.map((mask, item) =>
        (classesOf[item] ?? []).reduce((wide, pods) => wide | maskOf(pods), mask),
      ),
      quotaGroup: bins.classes.quotaGroup.map(() => -1),
      capGroup: bins.classes.capGroup.map((group) => (apart[group] === true ? group : -1)),
    },
    quota: new Int32Array(),
  };
}

/** Bit z is set where something that the pods insist on is offered in zone z. */
function zonesOf({ admission, domains }: Problem, { asks }: PodClass): number {
  const constraint = asks.at(-1)?.constraint;
  if (constraint === undefined) return 0;
  let mask = 0;
  admission.columns(constraint).forEach((isAdmitted, column) => {
    const zone = isAdmitted === 1 ? domains.at(ZONE, { target: NEW_HOST, column }) : -1;
    if (zone >= 0) mask |= 1 << zone;
  });
  return mask;
}
