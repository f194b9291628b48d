/** What pods that are bound hold beside room: topology, ports, volumes, devices. */
import type { HostPort, PodSpec } from '../../domain/pods/pod.js';
import { type DeviceDemand, deviceDemand } from '../devices/device-demand.js';
import { isAllocated } from '../snapshot/device-slots.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { attachedVolume, type AttachedVolume } from '../snapshot/volume-index.js';
import type { TopologyGroups } from './classes/topology-groups.js';

/** What a bound pod of one spec holds beside room. */
interface Hold {
  readonly memberOf: readonly number[];
  /** Groups that count the pod even while it is being deleted. */
  readonly memberStill: readonly number[];
  readonly repels: readonly number[];
  readonly hostPorts: readonly HostPort[];
  readonly volumes: readonly AttachedVolume[];
  /** Of a pod that is only planned there: devices that it has yet to get. */
  readonly devices: readonly DeviceDemand[];
}

/** Of pods that hold nothing but room, as most do. */
const NOTHING: Hold = { memberOf: [], memberStill: [], repels: [], hostPorts: [], volumes: [], devices: [] };

/** A bound pod that holds more than room. */
export interface HeldByPod {
  readonly node: number;
  readonly hold: Hold;
  readonly isTerminating: boolean;
  /** As in PodColumns. */
  readonly move: number;
}

/** The bound pods that hold more than room. */
export function heldByPods(snapshot: Snapshot, topology: TopologyGroups): readonly HeldByPod[] {
  const { pods, specs } = snapshot;
  const holds: (Hold | undefined)[] = Array.from(specs, () => undefined);
  const held: HeldByPod[] = [];
  for (let pod = 0; pod < pods.node.length; pod++) {
    const node = pods.node[pod] ?? -1;
    if (node < 0) continue;
    const spec = pods.spec[pod] ?? 0;
    const hold = (holds[spec] ??= holdOf(snapshot, topology, spec));
    if (hold !== NOTHING) {
      const isTerminating = pods.terminating[pod] === 1;
      held.push({ node, hold, isTerminating, move: pods.move[pod] ?? 0 });
    }
  }
  return held;
}

function holdOf(snapshot: Snapshot, topology: TopologyGroups, index: number): Hold {
  const spec = snapshot.specs[index];
  const relations = topology.ofSpec[index];
  if (spec === undefined || relations === undefined) return NOTHING;
  const { memberOf, repels } = relations;
  const { hostPorts } = spec;
  const devices = devicesToGet(snapshot, spec);
  const held = memberOf.length + repels.length + hostPorts.length + spec.volumes.length + devices.length;
  if (held === 0) return NOTHING;
  const memberStill = memberOf.filter((group) => topology.groups[group]?.countsTerminating ?? true);
  const volumes = spec.volumes.map((use) => attachedVolume(snapshot.volumes, use));
  return { memberOf, memberStill, repels, hostPorts, volumes, devices };
}

const NO_DEVICES: readonly DeviceDemand[] = [];

function devicesToGet({ devices: index }: Snapshot, spec: PodSpec): readonly DeviceDemand[] {
  if (index === undefined || spec.resourceClaims.length === 0 || isAllocated(spec)) return NO_DEVICES;
  return spec.resourceClaims.flatMap((use) => {
    const demand = deviceDemand(index, use, () => true);
    return 'code' in demand ? [] : [demand];
  });
}
