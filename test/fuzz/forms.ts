/**
 * What a claim may list. A pool with minValues launches whichever of the listed types EC2 has, so that the pool's limits
 * must have room for the largest of them, as Karpenter counts it: types above what limits leave are no alternatives
 * (filterByRemainingResources), and a claim takes the most that any of its types would (subtractMax).
 */
import type { ResourceList } from '../../src/domain/values/resources.js';
import { hasMinValues, PLACE_KEYS, type Model, type Site } from './model.js';

/** A node with the other types that its claim lists. */
export interface Form {
  /** What it is, or the cheapest that it may be launched as. */
  readonly site: Site;
  /** What is counted against the limits of its pool: the most that any listed type takes. */
  readonly charge: ResourceList;
}

/** The limit that counts nodes. */
const NODES = 'nodes';

/** Every form in which one of the sites may be launched, cheapest first; of equal prices the one that takes least of limits first. */
export function formsOf(
  { input, groups }: Model,
  site: Site,
  holds: (other: Site) => boolean,
): readonly Form[] {
  const offer = input.pools[site.pool];
  const alone = [{ site, charge: site.capacity }];
  if (site.node !== undefined || offer === undefined) return alone;
  const { limits, template } = offer.pool;
  if (template.requirements.every(({ minValues }) => minValues <= 1)) return alone;
  const alternatives = (groups[site.group] ?? []).filter(
    (other) =>
      PLACE_KEYS.every((key) => other.labels.get(key) === site.labels.get(key)) &&
      (other === site || holds(other)),
  );
  const limited = [...limits.keys()].filter((resource) => resource !== NODES);
  const forms = charges(alternatives, limited).flatMap((charge): Form[] => {
    const listed = alternatives.filter(({ capacity }) => isCovered(limited, capacity, charge));
    return listed.includes(site) && hasMinValues(offer, listed) ? [{ site, charge }] : [];
  });
  return forms.filter(
    ({ charge }) =>
      !forms.some((other) => other.charge !== charge && isCovered(limited, other.charge, charge)),
  );
}

/** Everything that some of the sites could take at most of the limited resources. */
function charges(sites: readonly Site[], limited: readonly string[]): readonly ResourceList[] {
  return limited.reduce<readonly ResourceList[]>(
    (found, resource) => {
      const amounts = new Set(sites.map(({ capacity }) => capacity.get(resource) ?? 0));
      return found.flatMap((charge) =>
        [...amounts].map((amount) => new Map([...charge, [resource, amount]])),
      );
    },
    [new Map()],
  );
}

function isCovered(limited: readonly string[], amounts: ResourceList, by: ResourceList): boolean {
  return limited.every((resource) => (amounts.get(resource) ?? 0) <= (by.get(resource) ?? 0));
}

/** Whether nodes with these charges together stay within a pool's limits; `nodes` counts them. */
export function isWithin(
  limits: ReadonlyMap<string, number>,
  nodes: readonly Pick<Form, 'charge'>[],
): boolean {
  return [...limits].every(([resource, limit]) => {
    const used = nodes.map(({ charge }) => (resource === NODES ? 1 : (charge.get(resource) ?? 0)));
    return used.reduce((sum, amount) => sum + amount, 0) <= limit;
  });
}
