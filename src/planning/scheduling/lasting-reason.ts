/** What rules a pool out for a pod whatever else there is in the cluster: labels, types, and the room that types have. */
import { allows, formatRequirement, requirement, type Requirement } from '../../domain/requirement.js';
import { formatAmount } from '../../domain/resources.js';
import type { Reason } from '../reason.js';
import type { Ask } from './ask.js';
import type { Launchables } from './launchables.js';
import { matchesSome, selectsNode, type NodeConstraint, type NodeView } from './node-constraint.js';
import type { PodClass } from './pod-class.js';
import type { Problem } from './problem.js';
import { howManyFitNew, rowOf } from './room.js';
import type { Template } from './template.js';

/** The part of a problem that says what could be launched. */
export type Offered = Pick<Problem, 'snapshot' | 'launchables' | 'admission'>;

/** The first of them that fails; undefined when some type of the pool could hold the pod. */
export function lastingReason(offered: Offered, pods: PodClass, ask: Ask, pool: number): Reason | undefined {
  const rows = rowsOfPool(offered, pool);
  return labelReason(offered, pods, ask, pool) ?? roomReason(offered, pods, rows);
}

/** Names of the types that could hold the pod, each once. */
export function fittingTypes(
  { snapshot, launchables, admission }: Offered,
  pods: PodClass,
  pool: number,
): readonly string[] {
  const { net, rowType } = launchables;
  const rows = rowsOfPool({ launchables }, pool).filter(
    (row) =>
      isAdmitted(launchables, row, pods, (constraint) => admission.columns(constraint)) &&
      howManyFitNew(pods.requests, rowOf(net, snapshot.resources.length, row), 1) === 1,
  );
  return [...new Set(rows.flatMap((row) => rowType[row]?.name ?? []))];
}

/** Rows of the pool's templates. */
export function rowsOfPool({ launchables }: Pick<Offered, 'launchables'>, pool: number): readonly number[] {
  return launchables.templates
    .filter((template) => template.pool === pool)
    .flatMap(({ index }) => launchables.templateRows[index] ?? []);
}

/** The label that no offering of the pool satisfies; else the combination that none has together. */
function labelReason(
  { launchables }: Offered,
  pods: PodClass,
  { constraint }: Ask,
  pool: number,
): Reason | undefined {
  const { rowColumns, views: all, templates } = launchables;
  const rows = rowsOfPool({ launchables }, pool);
  const views = rows.flatMap((row) => (rowColumns[row] ?? []).flatMap((column) => all[column] ?? []));
  if (views.some((view) => selectsNode(constraint, view))) return undefined;
  if (views.length === 0) {
    const own = templates.filter((template) => template.pool === pool);
    return (
      foreignLabel(requiredOf(constraint), own) ?? { code: 'NoOffering', wanted: 'what the pool requires' }
    );
  }
  for (const { claim, terms, zones } of pods.volumes) {
    if (!views.some((view) => matchesSome(terms, view) && matchesSome(zones, view)))
      return { code: 'VolumeTopology', claim };
  }
  const required = requiredOf(constraint);
  const failing = required.find(
    (item) =>
      !views.some((view) =>
        selectsNode({ ...constraint, anyOf: [], selector: new Map([[item.key, item]]) }, view),
      ),
  );
  if (failing !== undefined) {
    return {
      code: 'IncompatibleLabel',
      key: failing.key,
      wanted: formatRequirement(failing),
      offered: offered(views, failing.key),
    };
  }
  return {
    code: 'NoOffering',
    wanted: required.map((item) => `${item.key} ${formatRequirement(item)}`).join(', '),
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
function requiredOf({ selector, anyOf }: NodeConstraint): readonly Requirement[] {
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

/** Whether some type that the labels allow has the room: if not, the resource that is short everywhere. */
function roomReason(offered: Offered, pods: PodClass, rows: readonly number[]): Reason | undefined {
  const { launchables, snapshot, admission } = offered;
  const width = snapshot.resources.length;
  const allowed = rows.filter((row) => isAdmitted(launchables, row, pods, (c) => admission.columns(c)));
  const free = (row: number): Float64Array => rowOf(launchables.net, width, row);
  if (allowed.some((row) => howManyFitNew(pods.requests, free(row), 1) === 1)) return undefined;
  for (const [resource, name] of snapshot.resources.entries()) {
    const needed = pods.requests[resource] ?? 0;
    const best = argmax(allowed, (row) => free(row)[resource] ?? 0);
    const largest = best === undefined ? 0 : (free(best)[resource] ?? 0);
    if (needed <= largest) continue;
    const largestType = launchables.rowType[best ?? -1]?.name ?? '';
    return { code: 'InsufficientResource', resource: name, needed, largest, largestType };
  }
  return togetherReason(offered, pods, allowed);
}

function isAdmitted(
  launchables: Launchables,
  row: number,
  { asks }: PodClass,
  admitted: (constraint: NodeConstraint) => Uint8Array,
): boolean {
  const last = asks.at(-1);
  return (
    last !== undefined &&
    (launchables.rowColumns[row] ?? []).some((column) => admitted(last.constraint)[column] === 1)
  );
}

function argmax(rows: readonly number[], value: (row: number) => number): number | undefined {
  let best: number | undefined;
  for (const row of rows) if (best === undefined || value(row) > value(best)) best = row;
  return best;
}

/** Every resource fits some type, but no type has them all: the type that lacks the smallest share. */
function togetherReason({ launchables, snapshot }: Offered, pods: PodClass, rows: readonly number[]): Reason {
  const width = snapshot.resources.length;
  const missing = (
    row: number,
  ): readonly { readonly name: string; readonly short: number; readonly share: number }[] =>
    snapshot.resources.flatMap((name, resource) => {
      const needed = pods.requests[resource] ?? 0;
      const short = needed - (launchables.net[row * width + resource] ?? 0);
      return short > 0 ? [{ name, short, share: short / Math.max(needed, short) }] : [];
    });
  const nearest = argmax(rows, (row) => -missing(row).reduce((sum, { share }) => sum + share, 0)) ?? -1;
  const amounts = snapshot.resources.flatMap((name, resource) => {
    const needed = pods.requests[resource] ?? 0;
    return needed > 0 && name !== 'pods' ? [`${formatAmount(name, needed)} ${name}`] : [];
  });
  return {
    code: 'InsufficientTogether',
    needed: amounts.join(' and '),
    nearestType: launchables.rowType[nearest]?.name ?? 'none',
    short: missing(nearest)
      .map(({ name, short }) => `${formatAmount(name, short)} ${name}`)
      .join(' and '),
  };
}
