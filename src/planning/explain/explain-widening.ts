/** What a pool could launch for a pod if its own requirements asked for less. */
import { CAPACITY_TYPE, ZONE } from '../../domain/labels.js';
import type { InstanceType, Offering } from '../../domain/instance-type.js';
import { allows } from '../../domain/requirement.js';
import type { PoolLabelChange } from '../reason.js';
import { selectsNode, type NodeConstraint, type NodeView } from '../model/constraints/node-constraint.js';
import type { Template } from '../model/launch/template.js';

/** So many of a pool's templates are looked at; they differ in labels that the pool leaves open. */
const FEW_TEMPLATES = 8;

/** Values that the pool's requirement of a label leaves out, though its node class has them and they would do. */
export function poolLabelChange(
  templates: readonly Template[],
  constraint: NodeConstraint,
  key: string,
): PoolLabelChange | undefined {
  const values = new Set<string>();
  for (const template of templates.slice(0, FEW_TEMPLATES)) {
    if (!template.requirements.has(key)) continue;
    for (const { view, except } of nearOffers(template, key)) {
      const value = view.labels.get(key);
      if (except.has(key) && value !== undefined && !values.has(value) && selectsNode(constraint, view))
        values.add(value);
    }
  }
  return values.size > 0 ? { kind: 'allow', values: [...values].sort() } : undefined;
}

const NEAR = new WeakMap<Template, Map<string, readonly NearOffer[]>>();

/** The same for every pod, so that it is looked for once. */
function nearOffers(template: Template, key: string): readonly NearOffer[] {
  const ofTemplate = NEAR.get(template) ?? new Map<string, readonly NearOffer[]>();
  NEAR.set(template, ofTemplate);
  const found = ofTemplate.get(key) ?? offersOf(template, [key]).filter(({ except }) => except.has(key));
  ofTemplate.set(key, found);
  return found;
}

/** Keys of the pool's requirements of which any one, left open, lets it launch something for the pod. */
export function widenedKeys(templates: readonly Template[], constraint: NodeConstraint): readonly string[] {
  const found = new Set<string>();
  const near = templates
    .slice(0, FEW_TEMPLATES)
    .flatMap((template) => offersOf(template, [...template.requirements.keys()]));
  for (const { view, except } of near) {
    const [key] = except;
    if (key !== undefined && !found.has(key) && selectsNode(constraint, view)) found.add(key);
  }
  return [...found].sort();
}

/** An offering that fails the pool's requirements in these keys alone: one of them, or none. */
interface NearOffer {
  readonly view: NodeView;
  readonly except: ReadonlySet<string>;
}

/** Everything of the pool's node class that satisfies its requirements but for at most one of the keys. */
function offersOf(template: Template, keys: readonly string[]): readonly NearOffer[] {
  const { offer, requirements } = template;
  const open = new Set(keys);
  return (offer.instanceTypes ?? []).flatMap((type) =>
    type.offerings.flatMap((offering): readonly NearOffer[] => {
      if (!offering.available) return [];
      const view = viewOf(template, type, offering);
      const failed = [...requirements.values()].filter((item) => !allows(item, view.labels.get(item.key)));
      const isNear = failed.length <= 1 && failed.every(({ key }) => open.has(key));
      return isNear ? [{ view, except: new Set(failed.map(({ key }) => key)) }] : [];
    }),
  );
}

function viewOf(template: Template, type: InstanceType, { zone, capacityType }: Offering): NodeView {
  const { taints } = template.offer.pool.template;
  const get = (key: string): string | undefined => {
    if (key === ZONE) return zone;
    if (key === CAPACITY_TYPE) return capacityType;
    return type.labels.get(key) ?? template.labels.get(key);
  };
  return { labels: { get }, fields: NO_FIELDS, taints, features: undefined };
}

/** The name of a node yet to come is unknown. */
const NO_FIELDS: NodeView['fields'] = { get: () => undefined };
