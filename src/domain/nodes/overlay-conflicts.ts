/** NodeOverlays of equal weight that want different things of one instance type: which of them hold. */
import type { InstanceType } from './instance-type.js';
import type { NodeTemplate } from '../policies/node-pool.js';
import { INSTANCE_TENANCY } from '../values/labels.js';
import { inPrecedence, type NodeOverlay } from '../policies/node-overlay.js';
import { allowsDedicated, TENANCIES, tenancyOf, type Tenancy } from './tenancy.js';
import { concernsOffering, concernsType, overlaysOfPool, type OverlaidPool } from './overlaid-types.js';

/** A pool with the instance types that its nodes could be. */
export interface PoolTypes {
  readonly pool: OverlaidPool;
  readonly types: readonly InstanceType[];
}

export interface OverlayConflict {
  readonly overlay: string;
  /** The one that holds. */
  readonly other: string;
  /** `price`, or the resource. */
  readonly about: string;
  /** One of the types that both are about. */
  readonly instanceType: string;
}

export interface DecidedOverlays {
  /** In the order of precedence. */
  readonly inForce: readonly NodeOverlay[];
  readonly conflicts: readonly OverlayConflict[];
}

/**
 * Tenancies that a pool's nodes may have and over whose types overlays may disagree: what they say of the usual types, they say of
 * dedicated instances as well, unless some name the tenancy.
 */
export function overlaidTenancies(
  template: NodeTemplate,
  overlays: readonly NodeOverlay[],
): readonly Tenancy[] {
  const usual = tenancyOf(template);
  const isNamed = overlays.some(({ requirements }) => requirements.has(INSTANCE_TENANCY));
  return usual === 'default' && isNamed && allowsDedicated(template) ? TENANCIES : [usual];
}

/**
 * As Karpenter decides: an overlay that contradicts one of the same weight and of a name later in the alphabet, for any pool
 * and type, is not applied at all.
 */
export function decideOverlays(
  overlays: readonly NodeOverlay[],
  pools: readonly PoolTypes[],
): DecidedOverlays {
  const inForce: NodeOverlay[] = [];
  const conflicts: OverlayConflict[] = [];
  for (const overlay of inPrecedence(overlays)) {
    const conflict = conflictWith(overlay, inForce, pools);
    if (conflict === undefined) inForce.push(overlay);
    else conflicts.push(conflict);
  }
  return { inForce, conflicts };
}

function conflictWith(
  overlay: NodeOverlay,
  earlier: readonly NodeOverlay[],
  pools: readonly PoolTypes[],
): OverlayConflict | undefined {
  for (const other of earlier) {
    const topics = other.weight === overlay.weight ? topicsOf(overlay, other) : [];
    for (const about of topics) {
      const instanceType = typeOfBoth([overlay, other], about === PRICE, pools);
      if (instanceType !== undefined)
        return { overlay: overlay.name, other: other.name, about, instanceType };
    }
  }
  return undefined;
}

const PRICE = 'price';

/** Why the overlay is not applied. */
export function describeConflict({ other, about, instanceType }: OverlayConflict): string {
  const what = about === PRICE ? 'another price' : `another amount of ${about}`;
  return `NodeOverlay ${other} has the same weight and wants ${what} for ${instanceType}: that one holds, and this one is not applied`;
}

/** What the two want differently. */
function topicsOf(left: NodeOverlay, right: NodeOverlay): readonly string[] {
  const resources = [...left.capacity].filter(([resource, amount]) => {
    const wanted = right.capacity.get(resource);
    return wanted !== undefined && wanted !== amount;
  });
  return [...(pricesDiffer(left, right) ? [PRICE] : []), ...resources.map(([resource]) => resource)];
}

function pricesDiffer({ price: left }: NodeOverlay, { price: right }: NodeOverlay): boolean {
  if (left === undefined || right === undefined) return false;
  return left.kind !== right.kind || left.value !== right.value;
}

/** A type that both are about, with `sameOffering` in one of its offerings at least. */
function typeOfBoth(
  both: readonly NodeOverlay[],
  sameOffering: boolean,
  pools: readonly PoolTypes[],
): string | undefined {
  for (const { pool, types } of pools) {
    if (overlaysOfPool(both, pool).length < both.length) continue;
    const found = types.find(
      (type) => both.every((overlay) => concernsType(overlay, type)) && meet(both, sameOffering, type),
    );
    if (found !== undefined) return found.name;
  }
  return undefined;
}

function meet(
  both: readonly NodeOverlay[],
  sameOffering: boolean,
  { offerings: known, unpriced = [] }: InstanceType,
): boolean {
  const offerings = [...known, ...unpriced];
  if (sameOffering)
    return offerings.some((offering) => both.every((overlay) => concernsOffering(overlay, offering)));
  return both.every((overlay) => offerings.some((offering) => concernsOffering(overlay, offering)));
}
