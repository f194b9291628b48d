/** Whether some type that a pod's labels allow has the devices that it claims: if not, what the nearest type is short of. */
import { NO_DEVICES, type NodeDevices } from '../../domain/devices/device.js';
import { lackOf } from '../devices/device-lack.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { Reason } from '../reason.js';
import { areDevices } from '../snapshot/device-slots.js';
import { admittedRows } from './room.js';
import type { Fix, Offered, Trial } from './trial.js';

/** Why no row that admits the pod has the devices; undefined when one does. */
export function deviceFix(offered: Offered, pods: PodClass, rows: readonly number[]): Fix | undefined {
  if (pods.devices.length === 0) return undefined;
  const looked = new Set<NodeDevices>();
  let nearest: Reason | undefined;
  for (const row of admittedRows(offered, pods, rows)) {
    const type = offered.launchables.rowType[row];
    const devices = type?.devices ?? NO_DEVICES;
    if (looked.has(devices)) continue;
    looked.add(devices);
    const reason = lackOf(devices, pods.devices, type?.name ?? '');
    if (reason === undefined) return undefined;
    if (nearest === undefined || isNearer(reason, nearest)) nearest = reason;
  }
  return nearest && { reason: nearest, change: (trial) => withoutDevices(offered, trial) };
}

/** What keeps devices from being had together is nearer than that there are too few, and more of them than fewer. */
function isNearer(reason: Reason, than: Reason): boolean {
  if (than.code !== 'DevicesUnavailable') return false;
  return reason.code !== 'DevicesUnavailable' || reason.matching > than.matching;
}

/** The trial with a pod that claims no devices. */
function withoutDevices({ snapshot: { resources } }: Offered, trial: Trial): Trial {
  const requests = trial.pods.requests.map((amount, axis) =>
    areDevices(resources[axis] ?? '') ? 0 : amount,
  );
  return { ...trial, pods: { ...trial.pods, requests, devices: [] } };
}
