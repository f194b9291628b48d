/** Small bin problems written by hand: bin types and classes with overrides, the arrays made from them. */
import type { BinProblem } from '../../../src/planning/optimize/problem/bin-problem.js';

interface BinTypeSpec {
  readonly capacity: readonly number[];
  readonly price: readonly number[];
  readonly signature: number;
  readonly account: number;
  readonly charge: readonly number[];
}

interface ClassSpec {
  readonly items: number;
  readonly requests: readonly number[];
  readonly requirementSet: number;
  readonly zoneMask: number;
  readonly capGroup: number;
  readonly quotaGroup: number;
}

interface ProblemSpec {
  readonly binTypes: readonly BinTypeSpec[];
  readonly classes: readonly ClassSpec[];
  readonly accounts?: readonly number[];
  /** Signature → requirement set → whether it is admitted. */
  readonly admits?: readonly (readonly boolean[])[];
  readonly cap?: readonly number[];
  /** Quota group → zone → most items. */
  readonly quota?: readonly (readonly number[])[];
}

/** 8 cpu, 16 memory, 20 pods for 1 USD/h in one zone. */
export function binType(overrides: Partial<BinTypeSpec> = {}): BinTypeSpec {
  return { capacity: [8, 16, 20], price: [1], signature: 0, account: -1, charge: [], ...overrides };
}

/** Items of 1 cpu and 2 memory that may go anywhere. */
export function pods(items: number, overrides: Partial<ClassSpec> = {}): ClassSpec {
  return {
    items,
    requests: [1, 2, 1],
    requirementSet: 0,
    zoneMask: 2 ** 30 - 1,
    capGroup: -1,
    quotaGroup: -1,
    ...overrides,
  };
}

export function problemOf(spec: ProblemSpec): BinProblem {
  const { binTypes, classes, accounts = [], admits = [[true]], cap = [], quota = [] } = spec;
  const zones = binTypes[0]?.price.length ?? 1;
  return {
    resources: binTypes[0]?.capacity.length ?? 3,
    zones,
    zonesEqual: binTypes.every(({ price }) => price.every((each) => each === price[0])),
    binTypes: {
      count: binTypes.length,
      capacity: Float64Array.from(binTypes.flatMap(({ capacity }) => capacity)),
      price: Float64Array.from(binTypes.flatMap(({ price }) => price)),
      signature: Int32Array.from(binTypes, ({ signature }) => signature),
      account: Int32Array.from(binTypes, ({ account }) => account),
      charge: Float64Array.from(
        binTypes.flatMap(({ charge }) => accounts.map((_, limit) => charge[limit] ?? 0)),
      ),
    },
    // Every account may be charged for every limit.
    accounts: {
      limits: accounts.length,
      width: accounts.length,
      first: new Int32Array(accounts.length),
      left: Float64Array.from(accounts),
    },
    requirementSets: admits[0]?.length ?? 1,
    signatures: admits.length,
    admits: Uint8Array.from(admits.flat(), Number),
    classes: {
      count: classes.length,
      requests: Float64Array.from(classes.flatMap(({ requests }) => requests)),
      items: Int32Array.from(classes, ({ items }) => items),
      requirementSet: Int32Array.from(classes, ({ requirementSet }) => requirementSet),
      zoneMask: Int32Array.from(classes, ({ zoneMask }) => zoneMask & (2 ** zones - 1)),
      capGroup: Int32Array.from(classes, ({ capGroup }) => capGroup),
      quotaGroup: Int32Array.from(classes, ({ quotaGroup }) => quotaGroup),
    },
    cap: Int32Array.from(cap),
    quota: Int32Array.from(quota.flat()),
  };
}
