/** Why a pod found no place: for every pool the first constraint that fails, and by how much. */
import { formatRequirement, requirement, type Requirement } from '../../domain/requirement.js';
import { firstUntolerated } from '../../domain/taint.js';
import { formatAmount } from '../../domain/resources.js';
import type { PoolReason } from '../plan.js';
import type { Reason } from '../reason.js';
import type { Ask } from './ask.js';
import { NEW_HOST } from './domains.js';
import type { Launchables } from './launchables.js';
import {
  REPELLING,
  selectsNode,
  termMatches,
  type NodeConstraint,
  type NodeView,
} from './node-constraint.js';
import type { Packing } from './packing.js';
import type { PodClass } from './pod-class.js';
import { howManyFitNew, rowOf } from './room.js';

/** One reason per pool, in the order of the pools. */
export function explain(packing: Packing, pods: PodClass): readonly PoolReason[] {
  const { pools } = packing.problem.snapshot;
  if (pools.length === 0) return [{ nodePool: '', reason: pods.blocked ?? { code: 'NoNodePools' } }];
  return pools.map(({ pool }, index) => ({ nodePool: pool.name, reason: reasonOf(packing, pods, index) }));
}

function reasonOf(packing: Packing, pods: PodClass, pool: number): Reason {
  if (pods.blocked !== undefined) return pods.blocked;
  const offer = packing.problem.snapshot.pools[pool];
  if (offer?.instanceTypes === undefined) {
    return { code: 'NodeClassNotFound', nodeClass: offer?.pool.template.nodeClassRef.name ?? '' };
  }
  if (offer.pool.replicas !== undefined) return { code: 'StaticPool' };
  const ask = pods.asks.at(-1);
  if (ask === undefined) return { code: 'NoOffering', wanted: 'what the pod asks for' };
  const taint = firstUntolerated(offer.pool.template.taints, ask.constraint.tolerations, REPELLING);
  if (taint !== undefined) return { code: 'UntoleratedTaint', taint };
  const rows = rowsOfPool(packing, pool);
  return (
    labelReason(packing, pods, ask, rows) ??
    roomReason(packing, pods, rows) ??
    dynamicReason(packing, pods, rows)
  );
}

function rowsOfPool({ problem: { launchables } }: Packing, pool: number): readonly number[] {
  return launchables.templates
    .filter((template) => template.pool === pool)
    .flatMap(({ index }) => launchables.templateRows[index] ?? []);
}

/** The label that no offering of the pool satisfies; else the combination that none has together. */
function labelReason(
  { problem }: Packing,
  pods: PodClass,
  { constraint }: Ask,
  rows: readonly number[],
): Reason | undefined {
  const { rowColumns, views: all } = problem.launchables;
  const views = rows.flatMap((row) => (rowColumns[row] ?? []).flatMap((column) => all[column] ?? []));
  if (views.some((view) => selectsNode(constraint, view))) return undefined;
  if (views.length === 0) return { code: 'NoOffering', wanted: 'what the pool requires' };
  for (const { claim, terms } of pods.volumes) {
    if (terms !== undefined && !views.some((view) => terms.some((term) => termMatches(term, view)))) {
      return { code: 'VolumeTopology', claim };
    }
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
  const values = [...new Set(views.flatMap(({ labels }) => labels.get(key) ?? []))].sort();
  if (values.length === 0) return 'no such label';
  const shown = values.length > 8 ? [...values.slice(0, 8), `… ${String(values.length - 8)} more`] : values;
  return `[${shown.join(', ')}]`;
}

/** Whether some type that the labels allow has the room: if not, the resource that is short everywhere. */
function roomReason({ problem }: Packing, pods: PodClass, rows: readonly number[]): Reason | undefined {
  const { launchables, snapshot } = problem;
  const width = snapshot.resources.length;
  const allowed = rows.filter((row) =>
    isAdmitted(problem.launchables, row, pods, (c) => problem.admission.columns(c)),
  );
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
  return togetherReason(problem, pods, allowed);
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
function togetherReason(
  { launchables, snapshot }: Packing['problem'],
  pods: PodClass,
  rows: readonly number[],
): Reason {
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

/** What stands in the way now although a type would fit: limits, topology or minValues. The nearest is told. */
function dynamicReason(packing: Packing, pods: PodClass, rows: readonly number[]): Reason {
  const { launchables, snapshot, admission } = packing.problem;
  const width = snapshot.resources.length;
  const ask = pods.asks.at(-1);
  let found: Reason | undefined;
  for (const row of rows) {
    const free = rowOf(launchables.net, width, row);
    if (ask === undefined || howManyFitNew(pods.requests, free, 1) === 0) continue;
    const admitted = admission.columns(ask.constraint);
    for (const column of (launchables.rowColumns[row] ?? []).filter((each) => admitted[each] === 1)) {
      const reason = obstacle(packing, pods, ask, column);
      if (reason !== undefined && (found === undefined || isNearer(reason, found))) found = reason;
    }
  }
  return found ?? { code: 'NoOffering', wanted: 'room for all pods that must share its node' };
}

function obstacle(packing: Packing, pods: PodClass, ask: Ask, column: number): Reason | undefined {
  return (
    packing.takenFrom(pods, packing.problem.daemonPorts.at(column)) ??
    packing.limitReached(packing.problem.launchables.columnRow[column] ?? 0) ??
    packing.counts.violated(pods, ask, { target: NEW_HOST, column }) ??
    packing.flexibility.tooFew({ column, requests: pods.requests, asks: new Set([ask]), classes: [pods] })
  );
}

/** Of two limits the one that needs less is nearer. */
function isNearer(reason: Reason, than: Reason): boolean {
  if (reason.code !== 'LimitReached' || than.code !== 'LimitReached')
    return reason.code !== 'LimitReached' && than.code === 'LimitReached';
  return reason.inUse + reason.needed - reason.limit < than.inUse + than.needed - than.limit;
}
