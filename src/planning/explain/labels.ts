/** Why nothing that a pool can launch has the labels a pod insists on, and which one change of a label would help. */
import type { InstanceType, Offering } from '../../domain/nodes/instance-type.js';
import { allows, formatRequirement, requirement, type Requirement } from '../../domain/values/requirement.js';
import {
  constrained,
  type Fix,
  type Offered,
  offering,
  type Trial,
  withoutKey,
  withoutTerms,
} from './trial.js';
import {
  matchesSome,
  type NodeConstraint,
  type NodeView,
  selectsNode,
} from '../model/constraints/node-constraint.js';
import type { Launchables } from '../model/launch/launchables.js';
import { OfferingLabels } from '../model/launch/offering-labels.js';
import type { Template } from '../model/launch/template.js';
import { isGivenLabel } from './nearest-first.js';
import type { PoolLabelChange } from '../reason.js';
import { allTypesOffered } from '../snapshot/cluster-input.js';

/** So many labels of a pod or a pool are tried one by one. */
const MOST_KEYS = 8;

/** Rows of the pool's templates. */
export function rowsOfPool({ launchables }: Pick<Offered, 'launchables'>, pool: number): readonly number[] {
  return ofPool(launchables, pool).rows;
}

/** What is known of one pool in a table of launchables. */
interface PoolTable {
  readonly templates: readonly Template[];
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  /** Label → the values that its columns have; undefined among them where one lacks it. */
  readonly values: Map<string, ReadonlySet<string | undefined>>;
}

const TABLES = new WeakMap<Launchables['templateRows'], Map<number, PoolTable>>();

function ofPool(launchables: Launchables, pool: number): PoolTable {
  const tables = TABLES.get(launchables.templateRows) ?? new Map<number, PoolTable>();
  TABLES.set(launchables.templateRows, tables);
  const known = tables.get(pool);
  if (known !== undefined) return known;
  const templates = launchables.templates.filter((template) => template.pool === pool);
  const rows = templates.flatMap(({ index }) => launchables.templateRows[index] ?? []);
  const columns = rows.flatMap((row) => launchables.rowColumns[row] ?? []);
  const table = { templates, rows, columns, values: new Map<string, ReadonlySet<string | undefined>>() };
  tables.set(pool, table);
  return table;
}

/** Columns of the pool. */
export function columnsOfPool(
  { launchables }: Pick<Offered, 'launchables'>,
  pool: number,
): readonly number[] {
  return ofPool(launchables, pool).columns;
}

function valuesOf(launchables: Launchables, pool: number, key: string): ReadonlySet<string | undefined> {
  const { columns, values } = ofPool(launchables, pool);
  const known = values.get(key);
  if (known !== undefined) return known;
  const found = new Set(columns.map((column) => launchables.views[column]?.labels.get(key)));
  values.set(key, found);
  return found;
}

/** The label that no offering of the pool satisfies; else the combination that none has together. undefined: some do. */
export function labelFixes(offered: Offered, trial: Trial): readonly Fix[] | undefined {
  const { launchables, admission } = offered;
  const { ask, pool } = trial;
  const { columns, templates } = ofPool(launchables, pool);
  const admitted = admission.columns(ask.constraint);
  if (columns.some((column) => admitted[column] === 1)) return undefined;
  if (columns.length === 0) return nothingLaunchable(ask.constraint, templates);
  return (
    pinnedFixes(trial) ??
    volumeFixes(offered, trial) ??
    keyFixes(offered, trial) ??
    termFixes(offered, trial) ??
    combinationFixes(offered, trial)
  );
}

/** The pool's requirements leave it nothing to launch at all. */
function nothingLaunchable(constraint: NodeConstraint, templates: readonly Template[]): readonly Fix[] {
  const foreign = foreignLabel(requiredOf(constraint), templates);
  if (foreign !== undefined) return [foreign];
  const widen = widenedKeys(templates, constraint);
  return widen.length === 0
    ? [{ reason: { code: 'NoOffering', wanted: 'what the pool requires', of: 'pool', widen } }]
    : widen.slice(0, MOST_KEYS).map((key) => ({
        reason: { code: 'NoOffering', wanted: 'what the pool requires', of: 'pool', widen: [key] },
        change: opening(key),
      }));
}

/** A claim whose devices are allocated on a node holds its pods there: nothing that is launched is that node. */
function pinnedFixes({ pods }: Trial): readonly Fix[] | undefined {
  const pinned = pods.devices.find(({ terms }) => terms !== undefined);
  return pinned && [{ reason: { code: 'DevicesElsewhere', claim: pinned.claim } }];
}

function volumeFixes({ launchables }: Offered, { pods, pool }: Trial): readonly Fix[] | undefined {
  for (const volume of pods.volumes) {
    const { claim, terms, zones } = volume;
    if (terms === undefined && zones === undefined) continue;
    const { columns, templates } = ofPool(launchables, pool);
    const views = columns.flatMap((column) => launchables.views[column] ?? []);
    if (views.some((view) => matchesSome(terms, view) && matchesSome(zones, view))) continue;
    const groups = [terms, zones].filter((group) => group !== undefined);
    const [wanted] = requiredOf({ selector: new Map(), anyOf: groups });
    const reason = {
      code: 'VolumeTopology',
      claim,
      ...(wanted === undefined
        ? {}
        : {
            wanted: `${wanted.key} ${formatRequirement(wanted)}`,
            offered: offeredText(launchables, pool, wanted.key),
          }),
    } as const;
    const drop = (from: Trial): Trial => {
      const free = constrained(from, withoutTerms(from.ask.constraint, new Set(groups)));
      return {
        ...free,
        pods: { ...free.pods, volumes: free.pods.volumes.filter((each) => each !== volume) },
      };
    };
    const isRequired =
      wanted !== undefined && templates.some(({ requirements }) => requirements.has(wanted.key));
    return [
      ...(isRequired ? [{ reason: { ...reason, allow: true as const }, change: opening(wanted.key) }] : []),
      { reason, change: drop },
    ];
  }
  return undefined;
}

/** The first label of the pod that nothing of the pool has. */
function keyFixes({ launchables, admission }: Offered, { ask, pool }: Trial): readonly Fix[] | undefined {
  const failing = requiredOf(ask.constraint).find((item) => {
    for (const value of valuesOf(launchables, pool, item.key)) if (allows(item, value)) return false;
    return true;
  });
  if (failing === undefined) return undefined;
  const { key } = failing;
  const reason = {
    code: 'IncompatibleLabel',
    key,
    wanted: formatRequirement(failing),
    offered: offeredText(launchables, pool, key),
  } as const;
  const { templates, columns } = ofPool(launchables, pool);
  const relaxed = withoutKey(ask.constraint, key);
  const drop = (from: Trial): Trial => constrained(from, withoutKey(from.ask.constraint, key));
  const given = poolLabelChange(templates, ask.constraint, key);
  if (given !== undefined)
    return [
      { reason: { ...reason, pool: given }, change: opening(key) },
      { reason, change: drop },
    ];
  const admitted = admission.columns(relaxed);
  const own = columns.some((column) => admitted[column] === 1) ? ownLabel(templates, failing) : undefined;
  return [{ reason: { ...reason, ...(own && { pool: own }) }, change: drop }];
}

/** A label of the user's own: the pool may require it, or label its nodes, which is as if the pod did not ask for it. */
function ownLabel(templates: readonly Template[], wanted: Requirement): PoolLabelChange | undefined {
  const { key, complement, atLeast, atMost } = wanted;
  if (isGivenLabel(key)) return undefined;
  const stated = complement ? [atLeast, atMost].filter(Number.isFinite).map(String) : [...wanted.values];
  const values = stated.filter((value) => allows(wanted, value)).sort();
  const found = values.length > 0 ? values : ['true'].filter((value) => complement && allows(wanted, value));
  if (found.length === 0) return undefined;
  const requires = templates.some(({ requirements }) => requirements.has(key));
  return { kind: requires ? 'allow' : 'label', values: found };
}

/** Groups of terms of which nothing of the pool matches one, where they cannot be put into one requirement. */
function termFixes({ launchables }: Offered, { ask, pool }: Trial): readonly Fix[] | undefined {
  const { anyOf } = ask.constraint;
  const groups = anyOf.filter((terms) => terms.length !== 1 || terms[0]?.labels.size === 0);
  if (groups.length === 0) return undefined;
  const views = ofPool(launchables, pool).columns.flatMap((column) => launchables.views[column] ?? []);
  const failing = groups.find((terms) => !views.some((view) => matchesSome(terms, view)));
  if (failing === undefined) return undefined;
  return [
    {
      reason: { code: 'NoOffering', of: 'terms', wanted: termsText(failing) },
      change: (from) => constrained(from, withoutTerms(from.ask.constraint, new Set([failing]))),
    },
  ];
}

function termsText(terms: NodeConstraint['anyOf'][number]): string {
  const shown = terms.slice(0, 3).map(({ labels, fields }) => {
    const items = [...labels.values(), ...fields.values()].map(
      (item) => `${item.key} ${formatRequirement(item)}`,
    );
    return `(${items.length === 0 ? 'empty, matches no node' : items.slice(0, MOST_KEYS).join(', ')})`;
  });
  const more = terms.length - shown.length;
  if (terms.length === 0) return '(there is none)';
  return [...shown, ...(more > 0 ? [`${String(more)} more`] : [])].join(' or ');
}

/** Each label alone is available, but not all together. */
function combinationFixes({ admission, launchables }: Offered, { ask, pool }: Trial): readonly Fix[] {
  const { columns } = ofPool(launchables, pool);
  const required = requiredOf(ask.constraint);
  const keys = [...new Set(required.map(({ key }) => key))];
  const shown = required.slice(0, MOST_KEYS).map((item) => `${item.key} ${formatRequirement(item)}`);
  const more = required.length - shown.length;
  const wanted =
    required.length === 0
      ? 'one of each group of node affinity terms'
      : [...shown, ...(more > 0 ? [`${String(more)} more`] : [])].join(', ');
  const widening = keys.slice(0, MOST_KEYS).filter((key) => {
    const admitted = admission.columns(withoutKey(ask.constraint, key));
    return columns.some((column) => admitted[column] === 1);
  });
  if (widening.length > 0)
    return widening.map((key) => ({
      reason: { code: 'NoOffering', wanted, widen: [key] },
      change: (from) => constrained(from, withoutKey(from.ask.constraint, key)),
    }));
  const [first] = keys;
  const all = new Set(ask.constraint.anyOf);
  return [
    {
      reason: { code: 'NoOffering', wanted, widen: [] },
      change: (from) =>
        constrained(
          from,
          first === undefined
            ? withoutTerms(from.ask.constraint, all)
            : withoutKey(from.ask.constraint, first),
        ),
    },
  ];
}

/** The trial with a requirement of the pool left open. */
export function opening(key: string): (trial: Trial) => Trial {
  return (trial) => offering(trial, { open: [...new Set([...trial.offers.open, key])].sort() });
}

/** What the pod wants otherwise than the pool itself labels its nodes, whatever they are. */
function foreignLabel(required: readonly Requirement[], templates: readonly Template[]): Fix | undefined {
  const isForeign = (item: Requirement): boolean =>
    templates.every(({ labels }) => labels.has(item.key) && !allows(item, labels.get(item.key)));
  const foreign = templates.length === 0 ? undefined : required.find(isForeign);
  if (foreign === undefined) return undefined;
  const { key } = foreign;
  const values = new Set(templates.flatMap(({ labels }) => labels.get(key) ?? []));
  return {
    reason: { code: 'IncompatibleLabel', key, wanted: formatRequirement(foreign), offered: listed(values) },
    change: (from) => constrained(from, withoutKey(from.ask.constraint, key)),
  };
}

/** Requirements of the selector and, where there is one term only, of that term; several terms are alternatives. */
function requiredOf({ selector, anyOf }: Pick<NodeConstraint, 'selector' | 'anyOf'>): readonly Requirement[] {
  const terms = anyOf.flatMap((group) =>
    group.length === 1 ? [...(group[0]?.labels.values() ?? [])] : alternatives(group),
  );
  return [...selector.values(), ...terms];
}

/** Terms that all name one key are an In over their values; others cannot be put into one requirement. */
function alternatives(terms: NodeConstraint['anyOf'][number]): readonly Requirement[] {
  const single = terms.flatMap(({ labels }) => (labels.size === 1 ? [...labels.values()] : []));
  const [first] = single;
  const same =
    first !== undefined &&
    single.length === terms.length &&
    single.every(({ key, complement }) => key === first.key && !complement);
  return same
    ? [
        requirement(
          first.key,
          'In',
          single.flatMap(({ values }) => [...values]),
        ),
      ]
    : [];
}

/** The values that the pool's offerings have, shortened. */
function offeredText(launchables: Launchables, pool: number, key: string): string {
  return listed(new Set([...valuesOf(launchables, pool, key)].filter((value) => value !== undefined)));
}

function listed(distinct: ReadonlySet<string>): string {
  const values = [...distinct].sort();
  if (values.length === 0) return 'no such label';
  const shown = values.length > 8 ? [...values.slice(0, 8), `… ${String(values.length - 8)} more`] : values;
  return `[${shown.join(', ')}]`;
}

/** So many of a pool's templates are looked at; they differ in labels that the pool leaves open. */
const FEW_TEMPLATES = 8;

/** Values that the pool's requirement of a label leaves out, though its node class has them and they would do. */
function poolLabelChange(
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
function widenedKeys(templates: readonly Template[], constraint: NodeConstraint): readonly string[] {
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
  return allTypesOffered(offer).flatMap((type) =>
    type.offerings.flatMap((offering): readonly NearOffer[] => {
      if (!offering.available) return [];
      const view = viewOf(template, type, offering);
      const failed = [...requirements.values()].filter((item) => !allows(item, view.labels.get(item.key)));
      const isNear = failed.length <= 1 && failed.every(({ key }) => open.has(key));
      return isNear ? [{ view, except: new Set(failed.map(({ key }) => key)) }] : [];
    }),
  );
}

function viewOf(template: Template, type: InstanceType, offering: Offering): NodeView {
  const { taints } = template.offer.pool.template;
  return {
    labels: new OfferingLabels(template.labels, type, offering),
    fields: NO_FIELDS,
    taints,
    features: undefined,
  };
}

/** The name of a node yet to come is unknown. */
const NO_FIELDS: NodeView['fields'] = { get: () => undefined };
