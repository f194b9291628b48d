/** How one pass weighs things against each other; passes differ in this, and the cheapest is kept. */
import type { BinProblem } from './bin-problem.js';
import type { MachinePrices } from './machine-prices.js';
import { real } from './typed-read.js';

export interface PassSettings {
  /** Weight of an item's worth against balance, when picking. */
  readonly worthWeight: number;
  /**
   * Weight of how far an item is from the shape of the machine: extreme items early, in pairs that balance, since
   * what is left of them at the end has no partners.
   */
  readonly skewWeight: number;
  /** How much more classes are worth that fill no good machine on their own (see `difficulties`). */
  readonly hardWeight: number;
  /** Factor on the worth of classes that a zone mask or a quota binds. */
  readonly zoneBoundFactor: number;
  /** Fills of a bin for few items, of which the best is kept. */
  readonly tries: number;
  /** How much more classes are worth that a cap spreads over many machines. */
  readonly capBoost: number;
}

/** Bins of the linear program from which each is filled once only. */
const MANY_BINS = 650;
const MOST_TRIES = 3;

/** Classes from which every item finds a partner that balances it, and extremes need not go first. */
const MANY_CLASSES = 1000;

/** The settings of passes in turn, the likeliest first. */
export function passSettings(problem: BinProblem, prices: MachinePrices): readonly PassSettings[] {
  if (problem.zonesEqual) return WHERE_ZONES_ARE_EQUAL;
  const settings = whereZonesDiffer(prices);
  return problem.classes.count > MANY_CLASSES ? settings.toReversed() : settings;
}

const WHERE_ZONES_ARE_EQUAL: readonly PassSettings[] = [
  { worthWeight: 1, skewWeight: 1.2, hardWeight: 0, zoneBoundFactor: 1, tries: 1, capBoost: 0 },
  { worthWeight: 1, skewWeight: 1.45, hardWeight: 0, zoneBoundFactor: 1, tries: 1, capBoost: 0 },
  { worthWeight: 1, skewWeight: 0.8, hardWeight: 0, zoneBoundFactor: 1, tries: 1, capBoost: 0.3 },
  { worthWeight: 0.5, skewWeight: 0.5, hardWeight: 0, zoneBoundFactor: 1, tries: 1, capBoost: 0 },
  { worthWeight: 2, skewWeight: 1, hardWeight: 0, zoneBoundFactor: 1, tries: 3, capBoost: 0.3 },
];

/** Prices of machines are far apart there: how often a bin is tried depends on how many there are. */
function whereZonesDiffer({ bought }: MachinePrices): readonly PassSettings[] {
  let bins = 0;
  for (let i = 0; i < bought.length; i++) bins += real(bought, i);
  const tries = Math.max(1, Math.min(MOST_TRIES, Math.round(MANY_BINS / Math.max(1, bins))));
  return [
    { worthWeight: 1, skewWeight: 0.5, hardWeight: 1, zoneBoundFactor: 1.1, tries, capBoost: 1 },
    { worthWeight: 1, skewWeight: 0.8, hardWeight: 0.5, zoneBoundFactor: 1, tries, capBoost: 1 },
    { worthWeight: 1, skewWeight: 0.6, hardWeight: 1, zoneBoundFactor: 1, tries: 3, capBoost: 1 },
    { worthWeight: 0.5, skewWeight: 0.2, hardWeight: 0, zoneBoundFactor: 1.1, tries: 3, capBoost: 1 },
    { worthWeight: 1, skewWeight: 0, hardWeight: 0, zoneBoundFactor: 1.1, tries, capBoost: 1 },
  ];
}
