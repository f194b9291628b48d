/** Parts of a problem that share no machine, no limit, no cap and no quota: each may be solved for itself. */
import { DisjointSets } from '../../disjoint-sets.js';
import { areZonesEqual, type BinProblem, type ItemClasses, type Machines } from './bin-problem.js';
import { flag, whole } from './typed-read.js';

export interface ProblemPart {
  /** A problem of its own; requirement sets, signatures, limits, caps and quotas are numbered as in the whole. */
  readonly problem: BinProblem;
  /** Class of the part → that of the whole, ascending. */
  readonly classes: Int32Array;
  /** Machine of the part → that of the whole, ascending. */
  readonly machines: Int32Array;
}

/** Classes without items, and those that no machine admits, are in no part. */
export function problemParts(problem: BinProblem): readonly ProblemPart[] {
  const { sets, ofClass, ofMachine } = joined(problem);
  const members = new Map<number, { readonly classes: number[]; readonly machines: number[] }>();
  for (let item = 0; item < problem.classes.count; item++) {
    if (whole(problem.classes.items, item) === 0) continue;
    const part = sets.find(ofClass(item));
    const known = members.get(part);
    if (known === undefined) members.set(part, { classes: [item], machines: [] });
    else known.classes.push(item);
  }
  for (let machine = 0; machine < problem.machines.count; machine++)
    members.get(sets.find(ofMachine(machine)))?.machines.push(machine);
  return [...members.values()]
    .filter(({ machines }) => machines.length > 0)
    .map(({ classes, machines }) => partOf(problem, Int32Array.from(classes), Int32Array.from(machines)));
}

/** What is joined: signatures, requirement sets, cap groups, quota groups, accounts, in this order. */
function joined(problem: BinProblem): {
  readonly sets: DisjointSets;
  readonly ofClass: (item: number) => number;
  readonly ofMachine: (machine: number) => number;
} {
  const { signatures, requirementSets, machines, classes, cap, quota } = problem;
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
  for (let machine = 0; machine < machines.count; machine++) {
    const signature = whole(machines.signature, machine);
    isBought[signature] = 1;
    const account = whole(machines.account, machine);
    // A machine that nothing asks for joins nothing, or the limits of all pools would become one part through it.
    const isAskedFor = (setsOf[signature]?.length ?? 0) > 0;
    if (account >= 0 && isAskedFor) sets.join(signature, firstAccount + account);
  }
  setsOf.forEach((admitted, signature) => {
    if (flag(isBought, signature) === 1) for (const set of admitted) sets.join(signature, signatures + set);
  });
  return {
    sets,
    ofClass: (item) => signatures + whole(classes.requirementSet, item),
    ofMachine: (machine) => whole(machines.signature, machine),
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

function partOf(problem: BinProblem, classes: Int32Array, machines: Int32Array): ProblemPart {
  if (classes.length === problem.classes.count && machines.length === problem.machines.count)
    return { problem, classes, machines };
  const { zones } = problem;
  const bought = machinesOf(problem, machines);
  return {
    problem: {
      ...problem,
      zonesEqual: problem.zonesEqual || areZonesEqual({ count: bought.count, zones, price: bought.price }),
      machines: bought,
      classes: classesOf(problem, classes),
    },
    classes,
    machines,
  };
}

function machinesOf({ machines, resources, zones, accounts }: BinProblem, chosen: Int32Array): Machines {
  return {
    count: chosen.length,
    capacity: rows(machines.capacity, resources, chosen),
    price: rows(machines.price, zones, chosen),
    signature: chosen.map((machine) => whole(machines.signature, machine)),
    account: chosen.map((machine) => whole(machines.account, machine)),
    charge: rows(machines.charge, accounts.width, chosen),
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
