/** What rules a pool out for a pod whatever else there is in the cluster: labels, types, and the room that types have. */
import type { Reason } from '../reason.js';
import type { Ask } from './ask.js';
import { labelReason, rowsOfPool } from './explain-labels.js';
import { admittedRows, holdsOne, roomReason, type Offered } from './explain-room.js';
import type { PodClass } from './pod-class.js';

/** The first of them that fails; undefined when some type of the pool could hold the pod. */
export function lastingReason(
  offered: Offered,
  pods: PodClass,
  { constraint }: Ask,
  pool: number,
): Reason | undefined {
  return labelReason(offered, pods, constraint, pool) ?? roomReason(offered, pods, rowsOfPool(offered, pool));
}

/** Names of the types that could hold the pod, each once. */
export function fittingTypes(offered: Offered, pods: PodClass, pool: number): readonly string[] {
  const rows = admittedRows(offered, pods, rowsOfPool(offered, pool));
  const fitting = rows.filter((row) => holdsOne(offered, pods, row));
  return [...new Set(fitting.flatMap((row) => offered.launchables.rowType[row]?.name ?? []))];
}
