/** What waits for approval, and for how long; docs/approvals.md has it in one table. */
import type { Burden } from '../../domain/records/proposal.js';
import { PRICE_ERROR } from '../../domain/values/price.js';

export interface ApprovalSettings {
  /** What waits is above one of these; where none of them is given, everything waits. USD/h of new instances. */
  readonly approveAbovePrice: number | undefined;
  /** Nodes that are launched, or removed. */
  readonly approveAboveNodes: number | undefined;
  /** Pods that are evicted. */
  readonly approveAboveEvictions: number | undefined;
  /** After so long a proposal is approved by itself; 0: never. */
  readonly approveAfterMillis: number;
  /** A proposal that is neither approved nor rejected ends after so long. */
  readonly proposalExpiryMillis: number;
  /** What was rejected is not proposed again for so long. */
  readonly rejectionMillis: number;
  /** Proposals that wait at the same time: so many launches, and so many disruptions. */
  readonly mostProposals: number;
}

const MINUTE_MILLIS = 60_000;

export const DEFAULT_APPROVAL_SETTINGS: ApprovalSettings = {
  approveAbovePrice: undefined,
  approveAboveNodes: undefined,
  approveAboveEvictions: undefined,
  approveAfterMillis: 0,
  proposalExpiryMillis: 240 * MINUTE_MILLIS,
  rejectionMillis: 240 * MINUTE_MILLIS,
  mostProposals: 50,
};

/** What was approved and cannot be carried out is given up after so long. */
export const APPROVAL_MILLIS = 60 * MINUTE_MILLIS;

export const NO_BURDEN: Burden = { price: 0, nodes: 0, evictions: 0 };

export function addBurdens(one: Burden, other: Burden): Burden {
  return {
    price: one.price + other.price,
    nodes: one.nodes + other.nodes,
    evictions: one.evictions + other.evictions,
  };
}

/** Whether it waits for approval. */
export function needsApproval(settings: ApprovalSettings, { price, nodes, evictions }: Burden): boolean {
  const limits = [
    { amount: price, limit: settings.approveAbovePrice },
    { amount: nodes, limit: settings.approveAboveNodes },
    { amount: evictions, limit: settings.approveAboveEvictions },
  ];
  if (limits.every(({ limit }) => limit === undefined)) return true;
  return limits.some(({ amount, limit }) => limit !== undefined && amount > limit + PRICE_ERROR);
}

/** So much more than was approved is still what was approved: prices move, and pods come and go. */
const TOLERANCE = 0.05;

/** In what it goes beyond an approval, in words; undefined when it does not. */
export function beyond(found: Burden, approved: Burden): string | undefined {
  if (found.price > approved.price * (1 + TOLERANCE) + PRICE_ERROR)
    return `it costs ${dollars(found.price)} now, and ${dollars(approved.price)} was approved`;
  if (found.nodes > approved.nodes)
    return `it takes ${String(found.nodes)} nodes now, and ${String(approved.nodes)} were approved`;
  if (found.evictions > Math.ceil(approved.evictions * (1 + TOLERANCE)))
    return `it evicts ${String(found.evictions)} pods now, and ${String(approved.evictions)} were approved`;
  return undefined;
}

function dollars(price: number): string {
  return `${price.toFixed(4)} USD/h`;
}
