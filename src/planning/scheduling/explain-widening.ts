/** What a pool could launch for a pod if its own requirements asked for less. */
import { CAPACITY_TYPE, ZONE } from '../../domain/labels.js';
import type { InstanceType, Offering } from '../../domain/instance-type.js';
import { allows, type Requirement } from '../../domain/requirement.js';
import type { PoolLabelChange } from '../reason.js';
import { selectsNode, type NodeConstraint, type NodeView } from './node-constraint.js';
import type { Template } from './template.js';

/** So many of a pool's templates are looked at; they differ in labels that the pool leaves open. */
const FEW_TEMPLATES = 8;
/** Labels that Kubernetes, Karpenter or AWS give a meaning; no pool can label its nodes otherwise. */
const GIVEN = /^([^/]*\.)?(kubernetes\.io|k8s\.io|karpenter\.sh|k8s\.aws)\//;

/** How the pool could come to have a label that the pod requires and nothing of the pool has; undefined: in no way. */
export function poolLabelChange(
  templates: readonly Template[],
  constraint: NodeConstraint,
  wanted: Requirement,
): PoolLabelChange | undefined {
  const { key } = wanted;
  const values = new Set<string>();
  for (const template of templates.slice(0, FEW_TEMPLATES)) {
    for (const { view, except } of offersOf(template, [key])) {
      const value = view.labels.get(key);
      if (except.has(key) && value !== undefined && !values.has(value) && selectsNode(constraint, view))
        values.add(value);
    }
  }
  if (values.size > 0) return { kind: 'allow', values: [...values].sort() };
  return GIVEN.test(key) ? undefined : ownLabel(templates, constraint, wanted);
}

/** A label of the user's own: the pool may require it, or label its nodes. */
function ownLabel(
  templates: readonly Template[],
  constraint: NodeConstraint,
  wanted: Requirement,
): PoolLabelChange | undefined {
  const { key, complement, atLeast, atMost } = wanted;
  const stated = complement ? [atLeast, atMost].filter(Number.isFinite).map(String) : [...wanted.values];
  const values = stated.filter((value) => allows(wanted, value)).sort();
  const [example = complement && allows(wanted, 'true') ? 'true' : undefined] = values;
  if (example === undefined) return undefined;
  const helps = templates
    .slice(0, FEW_TEMPLATES)
    .some((template) =>
      offersOf(template, [key]).some(({ view }) => selectsNode(constraint, labelled(view, key, example))),
    );
  if (!helps) return undefined;
  const requires = templates.some(({ requirements }) => requirements.has(key));
  return { kind: requires ? 'allow' : 'label', values };
}

function labelled(view: NodeView, key: string, value: string): NodeView {
  return { ...view, labels: { get: (name) => (name === key ? value : view.labels.get(name)) } };
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
