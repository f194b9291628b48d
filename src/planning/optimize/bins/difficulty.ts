/** How badly a class fills machines on its own: what is hard to place must be packed while it still finds partners. */
import type { BinProblem } from '../problem/bin-problem.js';
import type { MachinePrices } from '../prices/machine-prices.js';
import { flag, real, whole } from '../problem/typed-read.js';

/** Potential from which a machine counts as one that will be bought. */
const GOOD_POTENTIAL = 0.99;
/** Good machines looked at; they are spread over all that there are. */
const MOST_PLACES = 64;

/** Class → 0 where a good machine is used up by it alone, towards 1 the more of every good machine it would leave idle. */
export function difficulties(problem: BinProblem, prices: MachinePrices): Float64Array {
  const { classes, zones } = problem;
  const places = goodPlaces(problem, prices);
  const hard = new Float64Array(classes.count);
  for (let k = 0; k < classes.count; k++) {
    let best = 0;
    for (let i = 0; i < places.length; i++) {
      const place = whole(places, i);
      const isOpen = (whole(classes.zoneMask, k) >> (place % zones)) & 1;
      if (isOpen === 1) best = Math.max(best, efficiencyAlone(problem, prices, k, place));
    }
    hard[k] = best > 0 ? 1 - Math.min(1, best) : 0;
  }
  return hard;
}

function goodPlaces({ machines, zones }: BinProblem, { kept, potential }: MachinePrices): Int32Array {
  const places: number[] = [];
  for (const machine of kept) {
    for (let place = machine * zones; place < (machine + 1) * zones; place++) {
      if (real(potential, place) > GOOD_POTENTIAL && real(machines.price, place) < Infinity)
        places.push(place);
    }
  }
  const step = Math.max(1, Math.ceil(places.length / MOST_PLACES));
  return Int32Array.from(places.filter((_, i) => i % step === 0));
}

/** Value by price of a machine that holds this class only, fractions of an item included. */
function efficiencyAlone(problem: BinProblem, prices: MachinePrices, k: number, place: number): number {
  const { machines, classes, resources, zones, admits, requirementSets } = problem;
  const zone = place % zones;
  const machine = (place - zone) / zones;
  const row = whole(machines.signature, machine) * requirementSets;
  if (flag(admits, row + whole(classes.requirementSet, k)) === 0) return 0;
  let items = whole(classes.items, k) > 0 ? Infinity : 0;
  for (let r = 0; r < resources; r++) {
    const asked = real(classes.requests, k * resources + r);
    if (asked > 0) items = Math.min(items, real(machines.capacity, machine * resources + r) / asked);
  }
  const value = real(prices.value, zone * classes.count + k);
  return value > 0 ? (items * value) / real(machines.price, place) : 0;
}
