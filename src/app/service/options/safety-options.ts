/** The options that bound rate and size of what Berth does; docs/limits.md has them in one table. */
import { DEFAULT_SAFETY_LIMITS } from '../../../controllers/safeguards/safety-limits.js';
import type { OptionRow } from './option-row.js';

export const SAFETY_OPTIONS: readonly OptionRow[] = [
  {
    key: 'nodesPerMinute',
    flag: { name: 'max-nodes-per-minute', value: 'N', help: 'maximum instances launched per minute' },
    env: 'BERTH_MAX_NODES_PER_MINUTE',
    fallback: String(DEFAULT_SAFETY_LIMITS.nodesPerMinute),
    parse: parseLimit,
  },
  {
    key: 'hourlyCost',
    flag: { name: 'max-hourly-cost', value: 'USD', help: 'maximum total price of all instances in USD/h' },
    env: 'BERTH_MAX_HOURLY_COST',
    fallback: String(DEFAULT_SAFETY_LIMITS.hourlyCost),
    parse: parseLimit,
  },
  {
    key: 'concurrentTerminations',
    flag: {
      name: 'max-concurrent-terminations',
      value: 'N',
      help: 'maximum NodeClaims being drained or terminated at the same time',
    },
    env: 'BERTH_MAX_CONCURRENT_TERMINATIONS',
    fallback: String(DEFAULT_SAFETY_LIMITS.concurrentTerminations),
    parse: parseLimit,
  },
  {
    key: 'orphansPerRound',
    flag: {
      name: 'max-orphans-per-round',
      value: 'N',
      help: 'maximum instances without a NodeClaim that one garbage collection terminates',
    },
    env: 'BERTH_MAX_ORPHANS_PER_ROUND',
    fallback: String(DEFAULT_SAFETY_LIMITS.orphansPerRound),
    parse: parseLimit,
  },
  {
    key: 'orphanPercent',
    flag: {
      name: 'max-orphan-percent',
      value: 'PERCENT',
      help: 'garbage collection terminates nothing when a larger share of instances has no NodeClaim',
    },
    env: 'BERTH_MAX_ORPHAN_PERCENT',
    fallback: String(DEFAULT_SAFETY_LIMITS.orphanPercent),
    parse: parsePercent,
  },
  {
    key: 'registrationFailures',
    flag: {
      name: 'max-registration-failures',
      value: 'N',
      help: 'consecutive failed registrations after which a NodePool stops launching for a while',
    },
    env: 'BERTH_MAX_REGISTRATION_FAILURES',
    fallback: String(DEFAULT_SAFETY_LIMITS.registrationFailures),
    parse: parseLimit,
  },
];

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new RangeError('expected a whole number from 1 to 999999999');
}

function parsePercent(text: string): number {
  if (/^(?:[1-9]\d?|100)$/.test(text)) return Number(text);
  throw new RangeError('expected a whole number from 1 to 100');
}
