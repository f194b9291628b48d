/** The in-memory cloud as a cluster's machines: launches as Berth's port has them, and faults that a test asks for. */
import { catalogueFor } from '../../../src/catalogue/index.js';
import { formatAmount, type ResourceList } from '../../../src/domain/resources.js';
import { systemClock } from '../../../src/runtime/system-clock.js';
import { systemRandom } from '../../../src/runtime/system-random.js';
import {
  MemoryCloud,
  serveMemoryCloud,
  type MachineEvent,
} from '../../../src/simulator/memory-cloud/index.js';
import type { SeenMachine, World } from '../../scenario/world.js';
import type { StandInNodeOptions } from '../kubelet/node-options.js';
import type { StandInKubelet } from '../kubelet/stand-in-kubelet.js';
import type { MachineBackend } from './machine-backend.js';

/** What a test may change of a machine's node before it registers: delays, failures, other labels. */
export type NodeChange = (event: MachineEvent) => Partial<StandInNodeOptions>;

export interface MemoryBackendOptions {
  readonly region: string;
  /** From the launch until the machine's kubelet registers; 300. */
  readonly bootMillis?: number | undefined;
  readonly change?: NodeChange | undefined;
}

const BOOT_MILLIS = 300;
const SHUTDOWN_MILLIS = 200;

export class MemoryBackend implements MachineBackend {
  readonly cloud: MemoryCloud;
  readonly #change: NodeChange;
  readonly #architectures: ReadonlyMap<string, string>;
  #url = '';

  constructor({ region, bootMillis = BOOT_MILLIS, change = () => ({}) }: MemoryBackendOptions) {
    const catalogue = catalogueFor(region);
    this.#change = change;
    this.#architectures = new Map(catalogue.entries.map(({ facts }) => [facts.name, facts.arch]));
    this.cloud = new MemoryCloud({
      clock: systemClock,
      random: systemRandom,
      catalogue,
      times: { pendingMillis: bootMillis, shutdownMillis: SHUTDOWN_MILLIS },
    });
  }

  get flags(): readonly string[] {
    return ['--cloud', 'memory', '--memory-cloud', this.#url];
  }

  async serve(kubelet: StandInKubelet): Promise<() => Promise<void>> {
    const unfollow = this.cloud.onMachine((event) => {
      const name = nodeName(event.machine);
      if (event.kind === 'ended')
        void kubelet.terminate(name).catch(() => undefined); // it may not have come up
      else kubelet.addNode({ ...this.#nodeOf(event), ...this.#change(event) });
    });
    const served = await serveMemoryCloud(this.cloud, {});
    this.#url = served.url;
    return async () => {
      unfollow();
      await served.close();
    };
  }

  machines(): readonly SeenMachine[] {
    return this.cloud.fleet();
  }

  setStock(pool: Parameters<World['setStock']>[0], machines: number): void {
    this.cloud.stock.set(pool as Parameters<MemoryCloud['stock']['set']>[0], machines);
  }

  /** The labels are those that the cloud's controller manager and the launch's userData give a node. */
  #nodeOf({ machine, labels, taints, capacity, allocatable }: MachineEvent): StandInNodeOptions {
    return {
      name: nodeName(machine),
      providerID: machine.providerID,
      labels: {
        ...Object.fromEntries(labels),
        'node.kubernetes.io/instance-type': machine.instanceType,
        'topology.kubernetes.io/zone': machine.zone,
        'topology.kubernetes.io/region': machine.zone.slice(0, -1),
        'kubernetes.io/arch': this.#architectures.get(machine.instanceType) ?? 'amd64',
      },
      taints: taints.map(({ key, value, effect }) => ({ key, value, effect: effect as 'NoSchedule' })),
      capacity: quantities(capacity),
      allocatable: quantities(allocatable),
    };
  }
}

/** The name that the node of a machine registers under. */
function nodeName(machine: { readonly id: string; readonly zone: string }): string {
  return `${machine.id}.${machine.zone.slice(0, -1)}.compute.internal`;
}

function quantities(amounts: ResourceList): Readonly<Record<string, string>> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatAmount(name, amount)]));
}
