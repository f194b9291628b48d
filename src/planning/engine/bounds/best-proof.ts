/** The best lower bound that dual values prove for a problem, with them: by the optimizer's prices, or by part. */
import { ZONE } from '../../../domain/values/labels.js';
import { aggregatedDuals, type ClassDuals, provenBound, type ProvenBound } from './proven-bound.js';
import type { PodClass } from '../../model/classes/pod-class.js';
import { NEW_HOST } from '../../model/constraints/domains.js';
import type { Problem } from '../../model/problem.js';
import { priceBinTypes } from '../../optimize/prices/bin-type-prices.js';
import {
  type BinDuals,
  type BinProblem,
  DEFAULT_OPTIMIZER_OPTIONS,
} from '../../optimize/problem/bin-problem.js';
import { binTables, classesOfItems, compileBins, type CompiledBins } from '../../pack/guided/compile-bins.js';
import { Packing } from '../../rules/packing.js';

/** Takes as much work as a plan itself; for `--duals`. */
export function bestProof(problem: Problem): ProvenBound {
  const byPart = provenBound(problem, aggregatedDuals(problem));
  const packing = new Packing(problem);
  const compiled = compileBins(packing, binTables(packing));
  if (compiled === undefined) return byPart;
  const free = withoutShares(problem, compiled);
  const { duals } = priceBinTypes(free, DEFAULT_OPTIMIZER_OPTIONS.maxPivots);
  const byBins = provenBound(problem, binDuals(problem, { compiled: { ...compiled, problem: free }, duals }));
  return byBins.bound > byPart.bound ? byBins : byPart;
}

/** The problem as far as every plan has to keep to it: pods go to any zone, and share nodes unless anti-affinity forbids it. */
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

/** A bin problem as it was compiled, with its dual values. */
interface PricedBins {
  readonly compiled: Pick<CompiledBins, 'problem' | 'axis' | 'origins'>;
  readonly duals: BinDuals;
}

/** Classes of which the optimizer saw no pods are not listed: they are worth nothing. */
function binDuals(problem: Problem, bins: PricedBins): ClassDuals {
  const ofClass = groupsOfClasses(bins);
  const byGroups = new Map<string, { readonly groups: Int32Array; readonly classes: PodClass[] }>();
  for (const [pods, own] of ofClass) {
    const known = byGroups.get(own.join());
    if (known === undefined) byGroups.set(own.join(), { groups: own, classes: [pods] });
    else known.classes.push(pods);
  }
  const slot = slotOf(bins);
  return {
    prices: pricesOf(problem, bins),
    classes: [...byGroups.values()].map((list) => ({
      classes: list.classes,
      zones: zoneMap(problem, list.groups),
    })),
    ...(slot === undefined ? {} : { slot }),
  };
}

/**
 * Class of pods → its group in each zone. Where its pods were kept out of a zone (they were dealt to others), prices of pods
 * that ask for the same there will do: those by which it is worth least, since it fits wherever they are prices for less.
 */
function groupsOfClasses(bins: PricedBins): ReadonlyMap<PodClass, Int32Array> {
  const { zones, classes, resources } = bins.compiled.problem;
  const { groupOf, perUnit } = bins.duals;
  const inSetAndZone = new Map<number, Set<number>>();
  groupOf.forEach((group, index) => {
    const at = (classes.requirementSet[Math.floor(index / zones)] ?? 0) * zones + (index % zones);
    const known = inSetAndZone.get(at);
    if (group >= 0 && known !== undefined) known.add(group);
    else if (group >= 0) inSetAndZone.set(at, new Set([group]));
  });
  const worthOf = (item: number, group: number): number => {
    let worth = 0;
    for (let resource = 0; resource < resources; resource++)
      worth +=
        (classes.requests[item * resources + resource] ?? 0) * (perUnit[group * resources + resource] ?? 0);
    return worth;
  };
  const result = new Map<PodClass, Int32Array>();
  const itemOf = new Map<PodClass, number>();
  for (const [item, sources] of classesOfItems(bins.compiled).entries()) {
    for (const pods of sources) {
      result.set(pods, merged(result.get(pods), groupOf.subarray(item * zones, (item + 1) * zones)));
      itemOf.set(pods, item);
    }
  }
  for (const [pods, own] of result) {
    const item = itemOf.get(pods) ?? 0;
    const filled = own.map((group, zone) => {
      if (group >= 0) return group;
      const others = inSetAndZone.get((classes.requirementSet[item] ?? 0) * zones + zone) ?? [];
      return [...others].sort((left, right) => worthOf(item, left) - worthOf(item, right))[0] ?? -1;
    });
    result.set(pods, filled);
  }
  return result;
}

/** A class whose pods are several items has what either has. */
function merged(known: Int32Array | undefined, own: Int32Array): Int32Array {
  return known === undefined ? own : known.map((group, zone) => (group >= 0 ? group : (own[zone] ?? -1)));
}

function zoneMap({ domains }: Problem, groups: Int32Array): ReadonlyMap<string, number> {
  return new Map(
    [...groups].flatMap((group, zone) => {
      const name = domains.value(ZONE, zone);
      return group < 0 || name === undefined ? [] : [[name, group] as const];
    }),
  );
}

/** On the axis of the snapshot. */
function pricesOf(
  { snapshot: { resources } }: Problem,
  { compiled: { problem, axis }, duals }: PricedBins,
): readonly Float64Array[] {
  const width = problem.resources;
  return Array.from({ length: Math.floor(duals.perUnit.length / width) }, (_, group) => {
    const prices = new Float64Array(resources.length);
    axis.forEach((of, position) => (prices[of] = duals.perUnit[group * width + position] ?? 0));
    return prices;
  });
}

/** A slot proves nothing where the pods may share a node after all. */
function slotOf(bins: PricedBins): ClassDuals['slot'] {
  const { compiled, duals } = bins;
  const { cap, classes } = compiled.problem;
  if (duals.slotGroup < 0 || duals.slot <= 0 || cap[duals.slotGroup] !== 1) return undefined;
  const ofItems = classesOfItems(compiled).filter((_, item) => classes.capGroup[item] === duals.slotGroup);
  const found = [...new Set(ofItems.flat())];
  return isKeptApart(found) ? { classes: found, price: duals.slot } : undefined;
}

/**
 * Whether anti-affinity over the hostname keeps any two pods of the classes apart. Spread does not: where counts are equal
 * on all hosts they are within any skew.
 */
function isKeptApart(classes: readonly PodClass[]): boolean {
  return (classes[0]?.repels ?? []).some((group) =>
    classes.every(({ repels, memberOf }) => repels.includes(group) && memberOf.includes(group)),
  );
}
