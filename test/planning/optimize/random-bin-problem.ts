/** Random small bin problems in which everything that the contract knows turns up. */
import fc from 'fast-check';
import type { BinProblem } from '../../../src/planning/optimize/problem/bin-problem.js';

interface BinTypeDraft {
  readonly capacity: readonly number[];
  readonly price: readonly number[];
  readonly signature: number;
  readonly account: number;
  readonly charge: number;
}

interface ClassDraft {
  readonly requests: readonly number[];
  readonly items: number;
  readonly requirementSet: number;
  readonly zoneMask: number;
  readonly capGroup: number;
  readonly quotaGroup: number;
}

export interface RandomProblemLimits {
  /** Most classes, and items of one. */
  readonly classes: number;
  readonly items: number;
  /** Whether caps turn up. */
  readonly caps: boolean;
  /** Whether every item fits on every bin type that admits it. */
  readonly small: boolean;
  /** Whether there is no bin type that takes everything, so that a problem may fall into parts. */
  readonly parts?: boolean;
}

const SIGNATURES = 3;
const SETS = 3;
const ACCOUNTS = 2;
const GROUPS = 2;
/** Room of the bin type that takes everything, in every resource. */
const VAST = 64;

/** Unless there may be parts, bin type 0 is vast, expensive, offered everywhere and admits everything: every class has a place. */
export function randomBinProblem(limits: RandomProblemLimits): fc.Arbitrary<BinProblem> {
  return fc
    .record({
      resources: fc.integer({ min: 3, max: 5 }),
      zones: fc.integer({ min: 1, max: 3 }),
      zonesEqual: fc.boolean(),
    })
    .chain((shape) =>
      fc
        .record({
          binTypes: fc.array(randomBinType(shape.resources, shape.zones), { minLength: 1, maxLength: 8 }),
          classes: fc.array(randomClass(shape.resources, shape.zones, limits), {
            minLength: 1,
            maxLength: limits.classes,
          }),
          admits: fc.array(fc.boolean(), {
            minLength: SIGNATURES * SETS,
            maxLength: SIGNATURES * SETS,
          }),
          cap: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: GROUPS, maxLength: GROUPS }),
          quota: fc.array(fc.integer({ min: 0, max: 6 }), {
            minLength: GROUPS * shape.zones,
            maxLength: GROUPS * shape.zones,
          }),
        })
        .map((parts) => assemble({ ...shape, ...parts, hasVast: limits.parts !== true })),
    );
}

function randomBinType(resources: number, zones: number): fc.Arbitrary<BinTypeDraft> {
  const room = fc.integer({ min: 1, max: 16 });
  const other = fc.integer({ min: 0, max: 4 });
  return fc.record({
    capacity: fc.tuple(...Array.from({ length: resources }, (_, axis) => (axis < 3 ? room : other))),
    price: fc.tuple(
      ...Array.from({ length: zones }, () =>
        fc.oneof(
          { weight: 5, arbitrary: fc.integer({ min: 1, max: 40 }).map((cents) => cents / 10) },
          { weight: 1, arbitrary: fc.constant(Infinity) },
        ),
      ),
    ),
    signature: fc.integer({ min: 0, max: SIGNATURES - 1 }),
    account: fc.integer({ min: -1, max: ACCOUNTS - 1 }),
    charge: fc.integer({ min: 1, max: 3 }),
  });
}

function randomClass(
  resources: number,
  zones: number,
  { items, caps, small }: RandomProblemLimits,
): fc.Arbitrary<ClassDraft> {
  const request = fc.integer({ min: 0, max: small ? 2 : 24 }).map((half) => half / 2);
  const other = fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
  );
  const axis = (index: number): fc.Arbitrary<number> => {
    if (index < 2) return request;
    if (index === 2) return small ? fc.constant(1) : fc.constantFrom(1, 1, 1, 2);
    return small ? fc.constant(0) : other;
  };
  return fc.record({
    requests: fc.tuple(...Array.from({ length: resources }, (_, index) => axis(index))),
    items: fc.integer({ min: 1, max: items }),
    requirementSet: fc.integer({ min: 0, max: SETS - 1 }),
    zoneMask: fc.integer({ min: 1, max: 2 ** zones - 1 }),
    capGroup: caps ? fc.integer({ min: -1, max: GROUPS - 1 }) : fc.constant(-1),
    quotaGroup: fc.integer({ min: -1, max: GROUPS - 1 }),
  });
}

interface Parts {
  readonly resources: number;
  readonly zones: number;
  readonly zonesEqual: boolean;
  readonly binTypes: readonly BinTypeDraft[];
  readonly classes: readonly ClassDraft[];
  readonly admits: readonly boolean[];
  readonly cap: readonly number[];
  readonly quota: readonly number[];
  readonly hasVast: boolean;
}

function assemble({ resources, zones, zonesEqual, ...parts }: Parts): BinProblem {
  const vast: BinTypeDraft = {
    capacity: Array.from({ length: resources }, () => VAST),
    price: Array.from({ length: zones }, () => 50),
    signature: SIGNATURES,
    account: -1,
    charge: 0,
  };
  const binTypes = parts.hasVast ? [vast, ...parts.binTypes] : parts.binTypes;
  const priceIn = ({ price }: BinTypeDraft): readonly number[] =>
    zonesEqual ? price.map(() => Math.min(99, ...price)) : price;
  const { classes } = parts;
  return {
    resources,
    zones,
    zonesEqual,
    binTypes: {
      count: binTypes.length,
      capacity: Float64Array.from(binTypes.flatMap(({ capacity }) => capacity)),
      price: Float64Array.from(binTypes.flatMap(priceIn)),
      signature: Int32Array.from(binTypes, ({ signature }) => signature),
      account: Int32Array.from(binTypes, ({ account }) => account),
      charge: Float64Array.from(
        binTypes.flatMap(({ account, charge }) =>
          Array.from({ length: ACCOUNTS }, (_, limit) => (limit === account ? charge : 0)),
        ),
      ),
    },
    accounts: {
      limits: ACCOUNTS,
      width: ACCOUNTS,
      first: new Int32Array(ACCOUNTS),
      left: Float64Array.of(6, 9),
    },
    requirementSets: SETS,
    signatures: SIGNATURES + 1,
    admits: Uint8Array.from([...parts.admits, ...Array.from({ length: SETS }, () => true)], Number),
    classes: {
      count: classes.length,
      requests: Float64Array.from(classes.flatMap(({ requests }) => requests)),
      items: Int32Array.from(classes, ({ items }) => items),
      requirementSet: Int32Array.from(classes, ({ requirementSet }) => requirementSet),
      zoneMask: Int32Array.from(classes, ({ zoneMask }) => zoneMask),
      capGroup: Int32Array.from(classes, ({ capGroup }) => capGroup),
      quotaGroup: Int32Array.from(classes, ({ quotaGroup }) => quotaGroup),
    },
    cap: Int32Array.from(parts.cap),
    quota: Int32Array.from(parts.quota),
  };
}
