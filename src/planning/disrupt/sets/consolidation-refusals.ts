/** Why consolidation leaves a node alone. */
import { moment, type RefusalTexts, type RefusalWords } from '../question/refusal.js';

export type ConsolidationRefusal =
  | { readonly code: 'NotEmpty'; readonly nodePool: string; readonly pods: number }
  | { readonly code: 'TooYoung'; readonly nodePool: string; readonly until: number }
  | { readonly code: 'UnknownPrice' }
  /** USD/h. */
  | { readonly code: 'NotCheaper'; readonly price: number; readonly replacement: number }
  /** USD/h, and how many nodes would go for it. */
  | { readonly code: 'SmallSaving'; readonly saving: number; readonly least: number; readonly nodes: number }
  /** The saving does not pay for moving: USD/h, USD, hours. */
  | {
      readonly code: 'MovingCost';
      readonly saving: number;
      readonly movingCost: number;
      readonly horizonHours: number;
    }
  | { readonly code: 'Unbalanced'; readonly nodePool: string; readonly score: number }
  | { readonly code: 'SpotToSpotDisabled' }
  | { readonly code: 'SpotFlexibility'; readonly cheaper: number; readonly wanted: number };

const WORDS: RefusalWords<ConsolidationRefusal> = {
  NotEmpty: ({ nodePool, pods }) =>
    `NodePool ${nodePool} consolidates empty nodes only (WhenEmpty), and this one runs ${String(pods)} ${pods === 1 ? 'pod' : 'pods'}; use WhenEmptyOrUnderutilized`,
  TooYoung: ({ nodePool, until }) =>
    `the node is younger than NodePool ${nodePool} lets nodes be consolidated (berth.consolidation.minimumLife); wait until ${moment(until)}`,
  UnknownPrice: () => 'no price is known for the instance type, zone and capacity type of the node',
  NotCheaper: ({ price, replacement }) =>
    `a replacement costs ${usd(replacement)}/h and the node ${usd(price)}/h, so the saving is too small; allow cheaper types, zones or capacity types`,
  SmallSaving: ({ saving, least, nodes }) =>
    `${usd(saving)}/h would be saved, and berth.consolidation.leastSavingUsdPerHour asks for ${usd(least)}/h for ${nodes === 1 ? 'the node' : `the ${String(nodes)} nodes`}`,
  MovingCost: ({ saving, movingCost, horizonHours }) =>
    `saving ${usd(saving)}/h does not pay for moving (${usd(movingCost)}) within ${String(Math.round(100 * horizonHours) / 100)} hours, as long as the nodes have been quiet`,
  Unbalanced: ({ nodePool, score }) =>
    `the saving (as a share of the cost of NodePool ${nodePool}) is ${score.toFixed(2)} of the disruption (as a share of its nodes and pods), and consolidationPolicy Balanced needs 0.50`,
  SpotToSpotDisabled: () => 'spot nodes are not replaced by cheaper spot nodes (spotToSpot is off)',
  SpotFlexibility: ({ cheaper, wanted }) =>
    `${String(cheaper)} types are cheaper than the spot node, ${String(wanted)} are needed so that the replacement is not replaced again; allow more types`,
};

export const CONSOLIDATION_TEXTS: RefusalTexts = { words: WORDS, quiet: ['TooYoung'] };

function usd(amount: number): string {
  return `${amount.toFixed(4)} USD`;
}
