/** How one pass weighs things against each other; passes differ in this, and the cheapest is kept. */
import type { BinProblem } from '../problem/bin-problem.js';
import type { ClassTable } from './class-table.js';
import type { BinTypePrices } from '../prices/bin-type-prices.js';
import { real } from '../problem/typed-read.js';

export interface PassSettings {
  /** Weight of an item's worth against balance, when picking. */
  readonly worthWeight: number;
  /**
   * Weight of how far an item is from the shape of the bin: extreme items early, in pairs that balance, since
   * what is left of them at the end has no partners.
   */
  readonly skewWeight: number;
  /** How much more classes are worth that fill no bin of a good type on their own (see `difficulties`). */
  readonly hardWeight: number;
  /** Factor on the worth of classes that a zone mask or a quota binds. */
  readonly zoneBoundFactor: number;
  /** Fills of a bin for few items, of which the best is kept. */
  readonly tries: number;
  /** How much more classes are worth that a cap spreads over many bins. */
  readonly capBoost: number;
  /** Mean items of room below which a bin is closed with care. */
  readonly closingItems: number;
  /** Classes looked at per fill; of more, every n-th. */
  readonly mostCandidates: number;
  /** How much of its expected value a bin type that disappointed regains with every bin. */
  readonly hope: number;
}

/** Classes from which every item finds a partner that balances it, and extremes need not go first. */
const MANY_CLASSES = 1000;
/** Bins of the linear program from which each is filled once only, and hope is spared. */
const MANY_BINS = 300;
/** Items that a class has in the mean, from which filling a bin again may show a better mixture. */
const MANY_OF_A_CLASS = 8;

/** Mean items per bin of the linear program from which there is room for mistakes. */
const MANY_ITEMS = 16;

/** The settings of passes in turn, the likeliest first. */
export function passSettings(
  problem: BinProblem,
  { bought }: BinTypePrices,
  table: ClassTable,
): readonly PassSettings[] {
  const isDiverse = problem.classes.count > MANY_CLASSES;
  if (problem.zonesEqual) return isDiverse && !table.isFree ? RULED_ZONES_EQUAL : ZONES_EQUAL;
  let bins = 0;
  for (let i = 0; i < bought.length; i++) bins += real(bought, i);
  if (isDiverse && table.isFree) return table.items < MANY_ITEMS * bins ? FREE : FREE_IN_LARGE_BINS;
  if (isDiverse) return RULED;
  const mayTakeTime = bins < MANY_BINS && table.items >= MANY_OF_A_CLASS * table.count;
  return mayTakeTime ? FEW_CLASSES : FEW_CLASSES_IN_HASTE;
}

export const EQUAL: PassSettings = {
  worthWeight: 1,
  skewWeight: 1.2,
  hardWeight: 0,
  zoneBoundFactor: 1,
  tries: 1,
  capBoost: 0,
  closingItems: 3.5,
  mostCandidates: 192,
  hope: 0.0005,
};

const ZONES_EQUAL: readonly PassSettings[] = [
  EQUAL,
  { ...EQUAL, skewWeight: 1.45 },
  { ...EQUAL, skewWeight: 0.8, capBoost: 0.3 },
  { ...EQUAL, worthWeight: 0.5, skewWeight: 0.5 },
  { ...EQUAL, worthWeight: 2, skewWeight: 1, tries: 3, capBoost: 0.3 },
];

const RULED_ZONES_EQUAL: readonly PassSettings[] = [
  { ...EQUAL, skewWeight: 1.5, closingItems: 5 },
  ...ZONES_EQUAL,
];

const DIFFERENT: PassSettings = {
  worthWeight: 1,
  skewWeight: 0.5,
  hardWeight: 1,
  zoneBoundFactor: 1.1,
  tries: 2,
  capBoost: 1,
  closingItems: 3.5,
  mostCandidates: 192,
  hope: 0.001,
};

const FEW_CLASSES: readonly PassSettings[] = [
  DIFFERENT,
  { ...DIFFERENT, skewWeight: 0.8, hardWeight: 0.5, zoneBoundFactor: 1 },
  { ...DIFFERENT, skewWeight: 0.6, zoneBoundFactor: 1, tries: 3 },
  { ...DIFFERENT, worthWeight: 0.5, skewWeight: 0.2, hardWeight: 0, tries: 3 },
  { ...DIFFERENT, skewWeight: 0, hardWeight: 0 },
];

const RULED: readonly PassSettings[] = [
  { ...DIFFERENT, hardWeight: 0.5, capBoost: 3, mostCandidates: 384, hope: 0.002 },
  ...FEW_CLASSES,
];

const FREE: readonly PassSettings[] = [
  { ...DIFFERENT, worthWeight: 0.5, skewWeight: 0, hardWeight: 0, tries: 1, closingItems: 2, hope: 0.0005 },
  ...FEW_CLASSES,
];

const FEW_CLASSES_IN_HASTE: readonly PassSettings[] = [
  { ...DIFFERENT, tries: 1, hope: 0.0002 },
  ...FEW_CLASSES,
];

const FREE_IN_LARGE_BINS: readonly PassSettings[] = [
  { ...DIFFERENT, skewWeight: 0, hardWeight: 0, tries: 1, hope: 0.0005 },
  ...FEW_CLASSES,
];
