/** Parts of a problem that share no bin type, no limit, no cap and no quota: each may be solved for itself. */
import { DisjointSets } from '../../../domain/values/disjoint-sets.js';
import { areZonesEqual, type BinProblem, type ItemClasses, type BinTypes } from './bin-problem.js';
import { flag, whole } from './typed-read.js';

export interface ProblemPart {
  /** A problem of its own; requirement sets, signatures, limits, caps and quotas are numbered as in the whole. */
  readonly problem: BinProblem;
  /** Class of the part → that of the whole, ascending. */
  readonly classes: Int32Array;
  /** Bin type of the part → that of the whole, ascending. */
  readonly binTypes: Int32Array;
}

/** Classes without items, and those that no bin type admits, are in no part. */
export function problemParts(problem: BinProblem): readonly ProblemPart[] {
  const { sets, ofClass, ofBinType } = joined(problem);
  const members = new Map<number, { readonly classes: number[]; readonly binTypes: number[] }>();
  for (let item = 0; item < problem.classes.count; item++) {
    if (whole(problem.classes.items, item) === 0) continue;
    const part = sets.find(ofClass(item));
    const known = members.get(part);
    if (known === undefined) members.set(part, { classes: [item], binTypes: [] });
    else known.classes.push(item);
  }
  for (let binType = 0; binType < problem.binTypes.count; binType++)
    members.get(sets.find(ofBinType(binType)))?.binTypes.push(binType);
  return [...members.values()]
    .filter(({ binTypes }) => binTypes.length > 0)
    .map(({ classes, binTypes }) => partOf(problem, Int32Array.from(classes), Int32Array.from(binTypes)));
}

/** What is joined: signatures, requirement sets, cap groups, quota groups, accounts, in this order. */
function joined(problem: BinProblem): {
  readonly sets: DisjointSets;
  readonly ofClass: (item: number) => number;
  readonly ofBinType: (binType: number) => number;
} {
  const { signatures, requirementSets, binTypes, classes, cap, quota } = problem;
  const firstCap = signatures + requirementSets;
  const firstQuota = firstCap + cap.length;
  const firstAccount = firstQuota + quota.length;
  const sets = new DisjointSets();
  const isAsked = new Uint8Array(requirementSets);
  for (let item = 0; item < classes.count; item++) {
    if (whole(classes.items, item) === 0) continue;
    const set = whole(classes.requirementSet, item);
    isAsked[set] = 1;
    const [capGroup, quotaGroup] = [whole(classes.capGroup, item), whole(classes.quotaGroup, item)];
    if (capGroup >= 0) sets.join(signatures + set, firstCap + capGroup);
    if (quotaGroup >= 0) sets.join(signatures + set, firstQuota + quotaGroup);
  }
  const setsOf = askedBySignature(problem, isAsked);
  const isBought = new Uint8Array(signatures);
  for (let binType = 0; binType < binTypes.count; binType++) {
    const signature = whole(binTypes.signature, binType);
    isBought[signature] = 1;
    const account = whole(binTypes.account, binType);
    // A bin type that nothing asks for joins nothing, or the limits of all pools would become one part through it.
    const isAskedFor = (setsOf[signature]?.length ?? 0) > 0;
    if (account >= 0 && isAskedFor) sets.join(signature, firstAccount + account);
  }
  setsOf.forEach((admitted, signature) => {
    if (flag(isBought, signature) === 1) for (const set of admitted) sets.join(signature, signatures + set);
  });
  return {
    sets,
    ofClass: (item) => signatures + whole(classes.requirementSet, item),
    ofBinType: (binType) => whole(binTypes.signature, binType),
  };
}

/** Signature → the requirement sets of items that it admits. */
function askedBySignature(
  { signatures, requirementSets, admits }: BinProblem,
  isAsked: Uint8Array,
): readonly (readonly number[])[] {
  return Array.from({ length: signatures }, (_, signature) => {
    const admitted: number[] = [];
    for (let set = 0; set < requirementSets; set++)
      if (flag(isAsked, set) === 1 && flag(admits, signature * requirementSets + set) === 1)
        admitted.push(set);
    return admitted;
  });
}

function partOf(problem: BinProblem, classes: Int32Array, binTypes: Int32Array): ProblemPart {
  if (classes.length === problem.classes.count && binTypes.length === problem.binTypes.count)
    return { problem, classes, binTypes };
  const { zones } = problem;
  const bought = binTypesOf(problem, binTypes);
  return {
    problem: {
      ...problem,
      zonesEqual: problem.zonesEqual || areZonesEqual({ count: bought.count, zones, price: bought.price }),
      binTypes: bought,
      classes: classesOf(problem, classes),
    },
    classes,
    binTypes,
  };
}

function binTypesOf({ binTypes, resources, zones, accounts }: BinProblem, chosen: Int32Array): BinTypes {
  return {
    count: chosen.length,
    capacity: rows(binTypes.capacity, resources, chosen),
    price: rows(binTypes.price, zones, chosen),
    signature: chosen.map((binType) => whole(binTypes.signature, binType)),
    account: chosen.map((binType) => whole(binTypes.account, binType)),
    charge: rows(binTypes.charge, accounts.width, chosen),
  };
}

function classesOf({ classes, resources }: BinProblem, chosen: Int32Array): ItemClasses {
  const of = (column: Int32Array): Int32Array => chosen.map((item) => whole(column, item));
  return {
    count: chosen.length,
    requests: rows(classes.requests, resources, chosen),
    items: of(classes.items),
    requirementSet: of(classes.requirementSet),
    zoneMask: of(classes.zoneMask),
    capGroup: of(classes.capGroup),
    quotaGroup: of(classes.quotaGroup),
  };
}

function rows(matrix: Float64Array, width: number, chosen: Int32Array): Float64Array {
  const result = new Float64Array(chosen.length * width);
  chosen.forEach((row, index) => {
    result.set(matrix.subarray(row * width, (row + 1) * width), index * width);
  });
  return result;
}
