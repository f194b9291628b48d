/** Why a node that has nothing on it lacks devices for a pod. */
import type { NodeDevices } from '../../domain/devices/device.js';
import type { Reason } from '../reason.js';
import type { DeviceDemand } from './device-demand.js';
import { DeviceRoom, type Shortfall } from './device-room.js';

/** undefined where the devices are enough. @param name of the instance type, or of the node. */
export function lackOf(
  devices: NodeDevices,
  demands: readonly DeviceDemand[],
  name: string,
): Reason | undefined {
  const allocation = new DeviceRoom(devices).allocate(unallocated(demands));
  return 'lacks' in allocation ? reasonOf(allocation.lacks, name) : undefined;
}

/** Claims that are allocated pin their pods to nodes, and ask for nothing there. */
export function unallocated(demands: readonly DeviceDemand[]): readonly DeviceDemand[] {
  return demands.filter(({ requests }) => requests.length > 0);
}

/** The shortfall as a reason. @param nearestType where the devices were looked for: an instance type, or a node. */
export function reasonOf(
  { claim, request, wanted, free, attribute, selector, isGivenUp }: Shortfall,
  nearestType: string,
): Reason {
  if (selector !== undefined) return { code: 'DeviceSelector', claim, request, ...selector };
  if (isGivenUp === true) return { code: 'DeviceSearch', claim };
  if (attribute !== undefined) return { code: 'DeviceConstraint', claim, request, attribute };
  return { code: 'DevicesUnavailable', claim, request, wanted, matching: free, nearestType };
}
