/** What pods cost: the price of each node, split over those who hold its room. */
export type { CostNode } from './cost-node.js';
export { costBy, type CostGrouping, type CostReport } from './cost-report.js';
export { dominantShare, splitPrice } from './split-price.js';
