/** Why nothing that a pool can launch has the labels a pod insists on, and which one change of a label would help. */
import { allows, formatRequirement, requirement, type Requirement } from '../../domain/requirement.js';
import type { Reason } from '../reason.js';
import type { Offered } from './explain-room.js';
import { poolLabelChange, widenedKeys } from './explain-widening.js';
import type { Launchables } from './launchables.js';
import { matchesSome, selectsNode, type NodeConstraint, type NodeView } from './node-constraint.js';
import type { PodClass } from './pod-class.js';
import type { Template } from './template.js';

/** Rows of the pool's templates. */
export function rowsOfPool({ launchables }: Pick<Offered, 'launchables'>, pool: number): readonly number[] {
  return launchables.templates
    .filter((template) => template.pool === pool)
    .flatMap(({ index }) => launchables.templateRows[index] ?? []);
}

/** The label that no offering of the pool satisfies; else the combination that none has together. */
export function labelReason(
  { launchables }: Offered,
  { volumes }: PodClass,
  constraint: NodeConstraint,
  pool: number,
): Reason | undefined {
  const views = viewsOf(launchables, pool);
  if (views.some((view) => selectsNode(constraint, view))) return undefined;
  for (const { claim, terms, zones } of views.length === 0 ? [] : volumes) {
    if (views.some((view) => matchesSome(terms, view) && matchesSome(zones, view))) continue;
    const [wanted] = requiredOf({ selector: new Map(), anyOf: [terms ?? [], zones ?? []] });
    return {
      code: 'VolumeTopology',
      claim,
      ...(wanted === undefined
        ? {}
        : { wanted: `${wanted.key} ${formatRequirement(wanted)}`, offered: offered(views, wanted.key) }),
    };
  }
  return remembered(launchables, `${String(pool)} ${constraint.key}`, () =>
    incompatible(launchables, { views, constraint, pool }),
  );
}

function viewsOf(launchables: Launchables, pool: number): readonly NodeView[] {
  return rowsOfPool({ launchables }, pool).flatMap((row) =>
    (launchables.rowColumns[row] ?? []).flatMap((column) => launchables.views[column] ?? []),
  );
}

const KNOWN = new WeakMap<Launchables, Map<string, Reason>>();

/** Tables live on from plan to plan; what is remembered of them does not grow without end. */
const MOST_ANSWERS = 1000;

/** Classes that differ in their requests only have the same answer. */
function remembered(launchables: Launchables, key: string, find: () => Reason): Reason {
  const answers = KNOWN.get(launchables) ?? new Map<string, Reason>();
  KNOWN.set(launchables, answers);
  const answer = answers.get(key) ?? find();
  if (answers.size >= MOST_ANSWERS) answers.clear();
  answers.set(key, answer);
  return answer;
}

interface Question {
  readonly views: readonly NodeView[];
  readonly constraint: NodeConstraint;
  readonly pool: number;
}

function incompatible(launchables: Launchables, { views, constraint, pool }: Question): Reason {
  const templates = launchables.templates.filter((template) => template.pool === pool);
  const required = requiredOf(constraint);
  if (views.length === 0) {
    const widen = widenedKeys(templates, constraint);
    return (
      foreignLabel(required, templates) ?? { code: 'NoOffering', wanted: 'what the pool requires', widen }
    );
  }
  const failing = required.find((item) => !views.some((view) => selectsNode(onlyOf(constraint, item), view)));
  if (failing !== undefined) {
    const change = poolLabelChange(templates, constraint, failing);
    return {
      code: 'IncompatibleLabel',
      key: failing.key,
      wanted: formatRequirement(failing),
      offered: offered(views, failing.key),
      ...(change === undefined ? {} : { pool: change }),
    };
  }
  const keys = [...new Set(required.map(({ key }) => key))];
  return {
    code: 'NoOffering',
    wanted: required.map((item) => `${item.key} ${formatRequirement(item)}`).join(', '),
    widen: keys.filter((key) => views.some((view) => selectsNode(withoutKey(constraint, key), view))),
  };
}

function onlyOf(constraint: NodeConstraint, item: Requirement): NodeConstraint {
  return { ...constraint, anyOf: [], selector: new Map([[item.key, item]]) };
}

/** The constraint with one key left open; a term that asked for nothing else is no constraint any more. */
function withoutKey(constraint: NodeConstraint, key: string): NodeConstraint {
  const isOther = ([name]: readonly [string, Requirement]): boolean => name !== key;
  return {
    ...constraint,
    selector: new Map([...constraint.selector].filter(isOther)),
    anyOf: constraint.anyOf.flatMap((terms) => {
      const left = terms.map((term) => ({ ...term, labels: new Map([...term.labels].filter(isOther)) }));
      return left.some(({ labels, fields }) => labels.size + fields.size === 0) ? [] : [left];
    }),
  };
}

/** What the pod wants otherwise than the pool itself labels its nodes, whatever they are. */
function foreignLabel(required: readonly Requirement[], templates: readonly Template[]): Reason | undefined {
  const isForeign = (item: Requirement): boolean =>
    templates.every(({ labels }) => labels.has(item.key) && !allows(item, labels.get(item.key)));
  const foreign = templates.length === 0 ? undefined : required.find(isForeign);
  if (foreign === undefined) return undefined;
  const { key } = foreign;
  const values = new Set(templates.flatMap(({ labels }) => labels.get(key) ?? []));
  return { code: 'IncompatibleLabel', key, wanted: formatRequirement(foreign), offered: listed(values) };
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
function offered(views: readonly NodeView[], key: string): string {
  return listed(new Set(views.flatMap(({ labels }) => labels.get(key) ?? [])));
}

function listed(distinct: ReadonlySet<string>): string {
  const values = [...distinct].sort();
  if (values.length === 0) return 'no such label';
  const shown = values.length > 8 ? [...values.slice(0, 8), `… ${String(values.length - 8)} more`] : values;
  return `[${shown.join(', ')}]`;
}
