/** Joins the in-memory cloud to the kubelet stand-in: a machine that runs gets a node, one that ends loses its kubelet. */
import type { Catalogue } from '../../../src/catalogue/index.js';
import type { MachineEvent, MemoryCloud } from '../../../src/simulator/memory-cloud/index.js';
import { formatAmount, type ResourceList } from '../../../src/domain/resources.js';
import type { StandInNodeOptions } from '../kubelet/node-options.js';
import type { StandInKubelet } from '../kubelet/stand-in-kubelet.js';

/** What a test may change of a machine's node before it registers: delays, failures, other labels. */
export type NodeChange = (event: MachineEvent) => Partial<StandInNodeOptions>;

export interface MachinesOptions {
  readonly cloud: MemoryCloud;
  readonly kubelet: StandInKubelet;
  readonly catalogue: Catalogue;
  readonly change?: NodeChange | undefined;
}

/** Follows the cloud until the answered function is called. */
export function runMachines({ cloud, kubelet, catalogue, change = () => ({}) }: MachinesOptions): () => void {
  const architectures = new Map(catalogue.entries.map(({ facts }) => [facts.name, facts.arch]));
  return cloud.onMachine((event) => {
    const name = nodeName(event.machine);
    if (event.kind === 'ended')
      void kubelet.terminate(name).catch(() => undefined); // it may not have come up
    else {
      const architecture = architectures.get(event.machine.instanceType) ?? 'amd64';
      kubelet.addNode({ ...nodeOf(event, architecture), ...change(event) });
    }
  });
}

/** The name that the node of a machine registers under. */
export function nodeName(machine: { readonly id: string; readonly zone: string }): string {
  return `${machine.id}.${machine.zone.slice(0, -1)}.compute.internal`;
}

/** The labels are those that the cloud's controller manager and the launch's userData give a node. */
function nodeOf(event: MachineEvent, architecture: string): StandInNodeOptions {
  const { machine, labels, taints, capacity, allocatable } = event;
  const region = machine.zone.slice(0, -1);
  return {
    name: nodeName(machine),
    providerID: machine.providerID,
    labels: {
      ...Object.fromEntries(labels),
      'node.kubernetes.io/instance-type': machine.instanceType,
      'topology.kubernetes.io/zone': machine.zone,
      'topology.kubernetes.io/region': region,
      'kubernetes.io/arch': architecture,
    },
    taints: taints.map(({ key, value, effect }) => ({ key, value, effect: effect as 'NoSchedule' })),
    capacity: quantities(capacity),
    allocatable: quantities(allocatable),
  };
}

function quantities(amounts: ResourceList): Readonly<Record<string, string>> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatAmount(name, amount)]));
}
