/** A node that exists. */
import type { NodeDevices } from '../devices/device.js';
import type { Labels } from '../values/labels.js';
import type { ResourceList } from '../values/resources.js';
import type { Taint } from '../values/taint.js';

export interface Node {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  /** Cordoned. */
  readonly unschedulable: boolean;
  readonly allocatable: ResourceList;
  readonly capacity: ResourceList;
  readonly providerID: string | undefined;
  /** CSI driver → how many volumes can be attached; a driver that is not listed has no limit, or none yet. */
  readonly volumeLimits: ReadonlyMap<string, number>;
  /** Devices that it has, as its drivers publish them or as its type is known to have; undefined: none. */
  readonly devices?: NodeDevices | undefined;
  /** Features the kubelet declares (KEP-5328); undefined when it declares none because it is too old to. */
  readonly declaredFeatures: ReadonlySet<string> | undefined;
}
