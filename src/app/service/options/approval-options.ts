/** The options of `--mode approve`: what waits for approval, and for how long (docs/approvals.md). */
import { DEFAULT_APPROVAL_SETTINGS } from '../../../controllers/approval/approval-settings.js';
import type { OptionRow } from './option-row.js';

const MINUTE_MILLIS = 60_000;
const NONE_GIVEN = 'without any of the three, everything waits';

export const APPROVAL_OPTIONS: readonly OptionRow[] = [
  {
    key: 'approveAbovePrice',
    flag: {
      name: 'approve-above-price',
      value: 'USD',
      help: `--mode approve: launches and replacements that cost more in USD/h wait for approval; ${NONE_GIVEN}`,
    },
    env: 'BERTH_APPROVE_ABOVE_PRICE',
    fallback: undefined,
    parse: parsePrice,
  },
  {
    key: 'approveAboveNodes',
    flag: {
      name: 'approve-above-nodes',
      value: 'N',
      help: '--mode approve: launches of more nodes, and disruptions that remove more nodes, wait for approval',
    },
    env: 'BERTH_APPROVE_ABOVE_NODES',
    fallback: undefined,
    parse: parseWhole,
  },
  {
    key: 'approveAboveEvictions',
    flag: {
      name: 'approve-above-evictions',
      value: 'N',
      help: '--mode approve: disruptions that evict more pods wait for approval',
    },
    env: 'BERTH_APPROVE_ABOVE_EVICTIONS',
    fallback: undefined,
    parse: parseWhole,
  },
  {
    key: 'approveAfterMillis',
    flag: {
      name: 'approve-after',
      value: 'MINUTES',
      help: '--mode approve: what waits is approved automatically after this time; 0: never',
    },
    env: 'BERTH_APPROVE_AFTER_MINUTES',
    fallback: String(DEFAULT_APPROVAL_SETTINGS.approveAfterMillis / MINUTE_MILLIS),
    parse: (text) => (text === '0' ? 0 : parseMinutes(text)),
  },
  {
    key: 'proposalExpiryMillis',
    flag: {
      name: 'proposal-expiry',
      value: 'MINUTES',
      help: '--mode approve: what is neither approved nor rejected ends after this time, and is proposed again if it is still wanted',
    },
    env: 'BERTH_PROPOSAL_EXPIRY_MINUTES',
    fallback: String(DEFAULT_APPROVAL_SETTINGS.proposalExpiryMillis / MINUTE_MILLIS),
    parse: parseMinutes,
  },
  {
    key: 'rejectionMillis',
    flag: {
      name: 'reject-for',
      value: 'MINUTES',
      help: '--mode approve: nothing is proposed for the pods or nodes of a rejected proposal for this time',
    },
    env: 'BERTH_REJECT_FOR_MINUTES',
    fallback: String(DEFAULT_APPROVAL_SETTINGS.rejectionMillis / MINUTE_MILLIS),
    parse: parseMinutes,
  },
  {
    key: 'mostProposals',
    flag: {
      name: 'max-proposals',
      value: 'N',
      help: '--mode approve: maximum launches that wait for approval at the same time, and maximum disruptions',
    },
    env: 'BERTH_MAX_PROPOSALS',
    fallback: String(DEFAULT_APPROVAL_SETTINGS.mostProposals),
    parse: parseFew,
  },
];

function parsePrice(text: string): number {
  if (/^\d{1,9}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new RangeError('expected USD per hour, such as 10 or 0.5');
}

function parseWhole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new RangeError('expected a whole number from 0 to 999999999');
}

function parseFew(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new RangeError('expected a whole number from 1 to 999');
}

/** Minutes as milliseconds. */
function parseMinutes(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text) * MINUTE_MILLIS;
  throw new RangeError('expected a whole number of minutes from 1 to 999999');
}
