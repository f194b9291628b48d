/** The status of the PolicyStatus in which `--mode observe` keeps what it found. */
import {
  MOST_ACTIONS,
  MOST_NAMED,
  MOST_PERIODS,
  MOST_TYPES,
  OBSERVED_SYSTEMS,
  savedUsd,
  type ObservationAction,
  type ObservationContent,
  type ObservationCost,
  type ObservationCounts,
  type ObservationNow,
  type ObservationPeriod,
  type ObservationType,
  type ObservedSystem,
} from '../../domain/records/observation.js';
import {
  choice,
  decimal,
  derived,
  field,
  integer,
  list,
  object,
  optionalObject,
  text,
  time,
  validated,
  withDefault,
  type Codec,
  type Incomplete,
} from './codec.js';

const REQUIRED = { isRequired: true };
const USD = withDefault(decimal('USD'), 0);
const HOURLY = withDefault(decimal('USD per hour'), 0);
const COUNT = withDefault(integer({ format: 'int64', minimum: 0 }), 0);
const TIME = withDefault(time, 0);
const SECONDS = withDefault(decimal('seconds'), 0);

const cost = {
  seconds: field('Seconds that were observed.', SECONDS, REQUIRED),
  currentUsd: field('USD that the nodes cost.', USD, REQUIRED),
  berthUsd: field('USD that the nodes of Berth would have cost.', USD, REQUIRED),
  savedUsd: derived('USD that Berth would have saved.', USD, (sum: ObservationCost) => savedUsd(sum)),
};

const counts = {
  currentLaunches: field('Nodes that joined.', COUNT, REQUIRED),
  currentRemovals: field('Nodes that were removed.', COUNT, REQUIRED),
  berthLaunches: field('Nodes that Berth would have launched.', COUNT, REQUIRED),
  berthRemovals: field('Nodes that Berth would have removed.', COUNT, REQUIRED),
  berthEvictions: field('Pods that Berth would have evicted.', COUNT, REQUIRED),
};

const now = object<ObservationNow, 'savingHourly'>({
  currentHourly: field('USD per hour of the nodes.', HOURLY, REQUIRED),
  berthHourly: field('USD per hour of the nodes that Berth would have.', HOURLY, REQUIRED),
  savingHourly: derived(
    'USD per hour that Berth would save.',
    HOURLY,
    ({ currentHourly, berthHourly }: ObservationNow) => currentHourly - berthHourly,
  ),
  currentNodes: field('Number of nodes.', COUNT, REQUIRED),
  berthNodes: field('Number of nodes that Berth would have.', COUNT, REQUIRED),
  unpricedNodes: field('Nodes whose price is unknown, which are left out.', COUNT, REQUIRED),
  unplacedPods: field('Pods that Berth would have no place for.', COUNT, REQUIRED),
});

const period = object<ObservationPeriod, 'savedUsd'>({
  from: field('Begin of the period.', TIME, REQUIRED),
  to: field('End of the period.', TIME, REQUIRED),
  ...cost,
  ...counts,
});

const type = object<ObservationType>({
  instanceType: field('Instance type.', text({ maxLength: 63 })),
  capacityType: field('Capacity type.', text({ maxLength: 63 })),
  current: field('Number of nodes.', COUNT, REQUIRED),
  berth: field('Number of nodes that Berth would have.', COUNT, REQUIRED),
});

const named = list(text({ maxLength: 253 }), { maxItems: MOST_NAMED });

const action = object<ObservationAction>({
  time: field('Time of the action.', TIME, REQUIRED),
  reason: field('Launch, or the reason of a disruption.', text({ maxLength: 63 })),
  nodes: field('Nodes that would have been removed.', named),
  instanceTypes: field('Instance types that would have been launched.', named),
  saving: field(
    'USD per hour that it would have saved; negative means that it costs more.',
    HOURLY,
    REQUIRED,
  ),
});

const content = object<Incomplete<ObservationContent, 'system'>>({
  system: field('System whose nodes are observed.', choice(OBSERVED_SYSTEMS)),
  since: field('Time when the observation began.', TIME, REQUIRED),
  updatedAt: field('Time of the last update.', TIME, REQUIRED),
  total: field(
    'Sums since the observation began.',
    object<ObservationCost & ObservationCounts, 'savedUsd'>({ ...cost, ...counts }),
  ),
  now: field('Comparison at the last update.', now),
  periods: field(
    'Comparison by hour, and by day after eight days; oldest first.',
    list(period, { maxItems: MOST_PERIODS }),
  ),
  types: field('Nodes by instance type.', list(type, { maxItems: MOST_TYPES })),
  actions: field(
    'The last actions that Berth would have taken; newest first.',
    list(action, { maxItems: MOST_ACTIONS }),
  ),
});

/** One that does not say what was observed is none. */
export const observation: Codec<ObservationContent | undefined> = validated(optionalObject(content), {
  read: (read): ObservationContent | undefined => {
    if (read?.system === undefined) return undefined;
    const { system } = read;
    return { ...read, system };
  },
  write: (value: ObservationContent & { readonly system: ObservedSystem }) => value,
});
