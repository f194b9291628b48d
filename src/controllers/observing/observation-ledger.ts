/** What was observed so far, summed: it begins with what is stored, so that a restart loses at most what was not written yet. */
import {
  addObservation,
  addToPeriods,
  MOST_ACTIONS,
  MOST_NAMED,
  MOST_TYPES,
  NO_COUNTS,
  NOTHING_OBSERVED,
  type ObservationAction,
  type ObservationContent,
  type ObservationCost,
  type ObservationCounts,
  type ObservationNow,
  type ObservationPeriod,
  type ObservedSystem,
} from '../../domain/records/observation.js';
import { compareTypes, type FleetCost } from './fleet-cost.js';

/** Both sides at one moment. */
export interface Fleets {
  readonly current: FleetCost;
  readonly berth: FleetCost;
  readonly unplacedPods: number;
}

/** A step of which more time has passed was not observed: the process stood still. */
const LONGEST_MILLIS = 600_000;

const NO_COST: ObservationCost = { seconds: 0, currentUsd: 0, berthUsd: 0 };
const NOTHING_YET: Pick<ObservationContent, 'periods' | 'total'> = {
  periods: [],
  total: NOTHING_OBSERVED,
};

function sidesOf({ current, berth, unplacedPods }: Fleets): ObservationNow {
  return {
    currentHourly: current.hourly,
    berthHourly: berth.hourly,
    currentNodes: current.nodes,
    berthNodes: berth.nodes,
    unpricedNodes: current.unpriced + berth.unpriced,
    unplacedPods,
  };
}

export class ObservationLedger {
  readonly #intervalMillis: number;
  #content: ObservationContent | undefined;
  /** Both sides since a moment, whose cost until now is not counted yet. */
  #since: { readonly at: number; readonly fleets: Fleets } | undefined;
  #counts: ObservationCounts = NO_COUNTS;
  /** The last first; what is done before the first look, too. */
  #actions: readonly ObservationAction[];

  /** `stored`: what was found before, by any process. */
  constructor(intervalMillis: number, stored: ObservationContent | undefined) {
    this.#intervalMillis = intervalMillis;
    this.#content = stored;
    this.#actions = stored?.actions ?? [];
  }

  /** undefined before the first `look`. */
  get content(): ObservationContent | undefined {
    return this.#content;
  }

  /** Something that was done, by either side. */
  count(counts: Partial<ObservationCounts>): void {
    const sum = addObservation({ ...NOTHING_OBSERVED, ...this.#counts }, { ...NOTHING_OBSERVED, ...counts });
    const { currentLaunches, currentRemovals, berthLaunches, berthRemovals, berthEvictions } = sum;
    this.#counts = { currentLaunches, currentRemovals, berthLaunches, berthRemovals, berthEvictions };
  }

  /** Something that Berth would have done now; it is in the content from the next look on. */
  act(action: ObservationAction): void {
    const short = {
      ...action,
      nodes: action.nodes.slice(0, MOST_NAMED),
      instanceTypes: action.instanceTypes.slice(0, MOST_NAMED),
    };
    this.#actions = [short, ...this.#actions].slice(0, MOST_ACTIONS);
  }

  /**
   * Both sides as they are now (milliseconds since 1970); they cost what they cost at the look before until now. Answers the
   * period that has ended, if one has.
   */
  look(system: ObservedSystem, fleets: Fleets, now: number): ObservationPeriod | undefined {
    const before = this.#content ?? NOTHING_YET;
    const more = { ...this.#counts, ...this.#costUntil(now) };
    this.#counts = NO_COUNTS;
    this.#since = { at: now, fleets };
    const periods = addToPeriods(before.periods, more, { now, intervalMillis: this.#intervalMillis });
    this.#content = {
      ...{ system, since: this.#content?.since ?? now, updatedAt: now, periods },
      total: addObservation(before.total, more),
      now: sidesOf(fleets),
      types: compareTypes(fleets.current, fleets.berth).slice(0, MOST_TYPES),
      actions: this.#actions,
    };
    const ended = before.periods.at(-1);
    return ended !== undefined && ended.from !== periods.at(-1)?.from ? ended : undefined;
  }

  /** Of both sides, since the look before. */
  #costUntil(now: number): ObservationCost {
    if (this.#since === undefined || now - this.#since.at > LONGEST_MILLIS) return NO_COST;
    const { at, fleets } = this.#since;
    const hours = (now - at) / 3_600_000;
    const { current, berth } = fleets;
    return { seconds: hours * 3600, currentUsd: current.hourly * hours, berthUsd: berth.hourly * hours };
  }

  /** The time until the next look does not count: nothing can be said about it. */
  interrupt(): void {
    this.#since = undefined;
  }
}
