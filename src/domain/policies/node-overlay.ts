/** NodeOverlays: what planning is to think of instance types beside what the catalogue says: prices, extended resources. */
import type { Requirements } from '../values/requirements.js';
import type { ResourceList } from '../values/resources.js';

/** What becomes of an offering's price. */
export interface PriceChange {
  /** Whether the price is replaced, changed by an amount, or by a share of itself. */
  readonly kind: 'absolute' | 'difference' | 'percentage';
  /** USD/h, or percent. Of a change, negative makes the offering cheaper. */
  readonly value: number;
}

export interface NodeOverlay {
  readonly name: string;
  /** Of two that change the same thing, the one with the higher weight counts. */
  readonly weight: number;
  /** Labels of instance type, offering and pool that it is about; with none it is about everything. */
  readonly requirements: Requirements;
  /** undefined: prices stay. */
  readonly price: PriceChange | undefined;
  /** Extended resources that nodes have in addition, or in another amount than the catalogue says. */
  readonly capacity: ResourceList;
}

/** Parts of a dollar that prices are rounded to, so that decimals leave no dust. */
const PARTS = 1e9;

/** The price with the change, in USD/h; never below 0. */
export function adjustedPrice(price: number, change: PriceChange): number {
  return Math.max(0, Math.round(changed(price, change) * PARTS) / PARTS);
}

function changed(price: number, { kind, value }: PriceChange): number {
  switch (kind) {
    case 'absolute':
      return value;
    case 'difference':
      return price + value;
    case 'percentage':
      return price * (1 + value / 100);
  }
}

/** In the order in which they count: the higher weight first, then, as Karpenter has it, the name later in the alphabet. */
export function inPrecedence(overlays: readonly NodeOverlay[]): readonly NodeOverlay[] {
  return [...overlays].sort((left, right) => right.weight - left.weight || (left.name < right.name ? 1 : -1));
}
