/** Whether some type that a pod's labels allow has the room for it: if not, what the nearest type is short of. */
import { DISRUPTED_TAINT } from '../../domain/nodes/node-claim.js';
import type { Node } from '../../domain/nodes/node.js';
import { INSTANCE_PREFIX, NODEPOOL } from '../../domain/values/labels.js';
import { groupBy } from '../../domain/values/lists.js';
import { formatAmount, type ResourceList } from '../../domain/values/resources.js';
import { hasTaint } from '../../domain/values/taint.js';
import type { Fix, Offered } from './trial.js';
import type { PodClass } from '../model/classes/pod-class.js';
import { rowCapacity } from '../model/launch/launchables.js';
import { howManyFitNew, rowOf } from '../model/launch/room.js';
import { PoolUsage } from '../model/pool-usage.js';
import type { LimitReached, LimitShortage, Reason } from '../reason.js';
import type { Packing } from '../rules/packing.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** More families than this are not worth naming. */
const FEW_FAMILIES = 5;
const FAMILY = `${INSTANCE_PREFIX}family`;

interface Shortage {
  readonly resource: string;
  readonly short: number;
  /** Of what is needed. */
  readonly share: number;
}

/** Why no row that admits the pod holds it; undefined when one does. */
export function roomFix(offered: Offered, pods: PodClass, rows: readonly number[]): Fix | undefined {
  const allowed = admittedRows(offered, pods, rows);
  if (allowed.some((row) => holdsOne(offered, pods, row))) return undefined;
  const nearest = allowed.reduce<{ readonly row: number; readonly lacks: readonly Shortage[] } | undefined>(
    (best, row) => {
      const lacks = shortages(offered, pods, row);
      return best === undefined || distance(lacks) < distance(best.lacks) ? { row, lacks } : best;
    },
    undefined,
  );
  if (nearest === undefined) return { reason: { code: 'LeftOut' } };
  return {
    reason: roomReason(offered, pods, { ...nearest, allowed }),
    change: shrinking(offered, nearest.row),
  };
}

/** The trial with a pod that asks for no more than a new node of the row has. */
function shrinking({ launchables, snapshot }: Offered, row: number): Fix['change'] {
  const net = rowOf(launchables.net, snapshot.resources.length, row);
  return (trial) => {
    const requests = trial.pods.requests.map((amount, index) =>
      Math.max(0, Math.min(amount, net[index] ?? 0)),
    );
    return { ...trial, pods: { ...trial.pods, requests } };
  };
}

interface Nearest {
  readonly row: number;
  readonly lacks: readonly Shortage[];
  readonly allowed: readonly number[];
}

function roomReason(offered: Offered, pods: PodClass, { allowed, ...nearest }: Nearest): Reason {
  const [only, ...more] = nearest.lacks;
  if (only !== undefined && more.length === 0 && isLargest(offered, only.resource, nearest.row, allowed))
    return insufficient(offered, pods, { only: only.resource, nearest: nearest.row, allowed });
  return {
    code: 'InsufficientTogether',
    needed: neededText(offered, pods),
    nearestType: offered.launchables.rowType[nearest.row]?.name ?? 'none',
    short: nearest.lacks
      .map(({ resource, short }) => `${formatAmount(resource, short)} ${resource}`)
      .join(' and '),
  };
}

/** Rows of which some column admits what the pod insists on. */
export function admittedRows(
  { launchables, admission }: Offered,
  { asks }: PodClass,
  rows: readonly number[],
): readonly number[] {
  const last = asks.at(-1);
  if (last === undefined) return [];
  const admitted = admission.columns(last.constraint);
  return rows.filter((row) => (launchables.rowColumns[row] ?? []).some((column) => admitted[column] === 1));
}

/** Whether a new node of the row has room for one pod. */
export function holdsOne({ launchables, snapshot }: Offered, { requests }: PodClass, row: number): boolean {
  return howManyFitNew(requests, rowOf(launchables.net, snapshot.resources.length, row), 1) === 1;
}

function shortages(
  { launchables, snapshot }: Offered,
  { requests }: PodClass,
  row: number,
): readonly Shortage[] {
  const width = snapshot.resources.length;
  return snapshot.resources.flatMap((resource, index) => {
    const needed = requests[index] ?? 0;
    const short = needed - (launchables.net[row * width + index] ?? 0);
    return short > 0 ? [{ resource, short, share: short / Math.max(needed, short) }] : [];
  });
}

function distance(lacks: readonly Shortage[]): number {
  return lacks.reduce((sum, { share }) => sum + share, 0);
}

function isLargest(offered: Offered, resource: string, row: number, rows: readonly number[]): boolean {
  return rows.every((other) => freeOf(offered, resource, other) <= freeOf(offered, resource, row));
}

function freeOf({ launchables, snapshot }: Offered, resource: string, row: number): number {
  const { resources } = snapshot;
  return launchables.net[row * resources.length + resources.indexOf(resource)] ?? 0;
}

function insufficient(
  offered: Offered,
  { requests }: PodClass,
  {
    only: resource,
    nearest,
    allowed,
  }: { readonly only: string; readonly nearest: number; readonly allowed: readonly number[] },
): Reason {
  const types = allowed.flatMap((row) => offered.launchables.rowType[row] ?? []);
  const families = [...new Set(types.flatMap(({ labels }) => labels.get(FAMILY) ?? []))].sort();
  return {
    code: 'InsufficientResource',
    resource,
    needed: requests[offered.snapshot.resources.indexOf(resource)] ?? 0,
    largest: freeOf(offered, resource, nearest),
    largestType: offered.launchables.rowType[nearest]?.name ?? '',
    ...(families.length <= FEW_FAMILIES ? { families } : {}),
  };
}

function neededText({ snapshot }: Offered, { requests }: PodClass): string {
  return snapshot.resources
    .flatMap((name, resource) => {
      const needed = requests[resource] ?? 0;
      return needed > 0 && name !== 'pods' ? [`${formatAmount(name, needed)} ${name}`] : [];
    })
    .join(' and ');
}

/**
 * Every limit that one more node of this capacity would break, but for those that are raised to enough of it; undefined
 * when none.
 */
export function limitReason(
  packing: Packing,
  pool: number,
  capacity: ResourceList,
  raised: ReadonlyMap<string, number>,
): LimitReached | undefined {
  const usage = plannedUsage(packing);
  const [first, ...others] = usage
    .shortages(pool, capacity)
    .filter(({ resource, inUse, needed }) => inUse + needed > (raised.get(resource) ?? -Infinity))
    .map((shortage) => withLeaving(packing, pool, usage, shortage));
  if (first === undefined) return undefined;
  return { code: 'LimitReached', ...first, ...(others.length === 0 ? {} : { others }) };
}

/** With what nodes have that are being removed: as in Karpenter, they count until they are gone. */
function withLeaving(
  { problem: { snapshot } }: Packing,
  pool: number,
  usage: PoolUsage,
  shortage: LimitShortage,
): LimitShortage {
  const nodes = leavingNodes(snapshot).get(snapshot.pools[pool]?.pool.name) ?? [];
  const leaving = nodes.reduce((sum, node) => sum + usage.charge(shortage.resource, node.capacity), 0);
  return leaving === 0 ? shortage : { ...shortage, leaving };
}

const LEAVING = new WeakMap<Snapshot, ReadonlyMap<string | undefined, readonly Node[]>>();

/** NodePool → its nodes that are being removed, looked for once: limits are asked about for every type. */
function leavingNodes(snapshot: Snapshot): ReadonlyMap<string | undefined, readonly Node[]> {
  const known = LEAVING.get(snapshot);
  if (known !== undefined) return known;
  const leaving = snapshot.nodes.filter(({ taints }) => hasTaint(taints, DISRUPTED_TAINT));
  const found = groupBy(leaving, ({ labels }) => labels.get(NODEPOOL));
  LEAVING.set(snapshot, found);
  return found;
}

const PLANNED = new WeakMap<Packing, PoolUsage>();

/** What nodes, claims in flight and the claims of this plan take as they were opened: what else they list may take more. */
function plannedUsage(packing: Packing): PoolUsage {
  const known = PLANNED.get(packing);
  if (known !== undefined) return known;
  const { snapshot, launchables } = packing.problem;
  const usage = new PoolUsage(snapshot);
  for (const { column } of packing.targets) {
    if (column < 0) continue;
    const row = launchables.columnRow[column] ?? 0;
    usage.take(launchables.rowPool[row] ?? 0, rowCapacity(launchables, row));
  }
  PLANNED.set(packing, usage);
  return usage;
}
