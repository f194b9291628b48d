/**
 * What a node of an instance type has and what it leaves to pods, as EKS' bootstrap and Karpenter compute it before the first
 * such node has reported: capacity − kube-reserved − system-reserved − hard eviction threshold.
 */
import type { AmiFamily, NodeClass } from '../domain/node-class.js';
import {
  addResources,
  CPU,
  EPHEMERAL_STORAGE,
  MEMORY,
  parseAmount,
  PODS,
  resourceList,
  type ResourceList,
} from '../domain/resources.js';
import type { InstanceFacts } from './instance-facts.js';

export interface NodeResources {
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

const MI = 2 ** 20;
const GI = 2 ** 30;

/** Memory that Graviton's kernel keeps for contiguous allocations. */
const ARM64_RESERVED_MIB = 64;
/** Share of the memory that hypervisor and firmware take, in thousandths (Karpenter's VM_MEMORY_OVERHEAD_PERCENT 0.075). */
const VM_OVERHEAD_PER_MILLE = 75;
/** Windows nodes are not limited by interfaces. */
const WINDOWS_MAX_PODS = 110;

/**
 * Capacity and allocatable of a node of this type launched with this node class.
 * @throws QuantityError when an eviction threshold is neither a quantity nor a percentage.
 */
export function allocatableFor(facts: InstanceFacts, nodeClass: NodeClass): NodeResources {
  const pods = podsOf(facts, nodeClass);
  const capacity = resourceList({
    [CPU]: facts.vcpu * 1000,
    [MEMORY]: memoryBytes(facts),
    [PODS]: pods,
    [EPHEMERAL_STORAGE]: storageBytes(facts, nodeClass),
    ...extendedResources(facts, nodeClass.amiFamily),
  });
  const reserved = [
    kubeReserved(facts, nodeClass, pods),
    nodeClass.kubelet.systemReserved,
    evictionThreshold(capacity, nodeClass.kubelet.evictionHard),
  ].reduce(addResources);
  const left = [...capacity].map(
    ([name, amount]) => [name, Math.max(0, amount - (reserved.get(name) ?? 0))] as const,
  );
  return { capacity, allocatable: resourceList(Object.fromEntries(left)) };
}

/** Memory that the node reports: what the type has less the hypervisor's part, in whole MiB. */
function memoryBytes(facts: InstanceFacts): number {
  const mebibytes = facts.memoryMiB - (facts.arch === 'arm64' ? ARM64_RESERVED_MIB : 0);
  return (mebibytes - Math.ceil((mebibytes * VM_OVERHEAD_PER_MILLE) / 1000)) * MI;
}

function podsOf(facts: InstanceFacts, { amiFamily, kubelet }: NodeClass): number {
  const most = kubelet.maxPods ?? (isWindows(amiFamily) ? WINDOWS_MAX_PODS : facts.maxPods);
  // Bottlerocket has no setting for it.
  if (!kubelet.podsPerCore || amiFamily === 'Bottlerocket') return most;
  return Math.min(most, kubelet.podsPerCore * facts.vcpu);
}

/** The root volume at its largest, or with instanceStorePolicy RAID0 the local disks of types that have some. */
function storageBytes(facts: InstanceFacts, nodeClass: NodeClass): number {
  const { instanceStoreRaid0, rootVolumeBytes, maxRootVolumeBytes = rootVolumeBytes } = nodeClass;
  const disks = instanceStoreRaid0 ? facts.localStorageGB : undefined;
  return disks === undefined ? maxRootVolumeBytes : disks * 1e9;
}

/** GPUs, accelerators and network interfaces as their device plugins and controllers advertise them. */
function extendedResources(facts: InstanceFacts, amiFamily: AmiFamily): Readonly<Record<string, number>> {
  const { gpu, accelerator, addressesPerInterface } = facts;
  return {
    ...(gpu && { [gpuResource(gpu.manufacturer)]: gpu.count }),
    ...(accelerator && {
      'aws.amazon.com/neuron': accelerator.count,
      'aws.amazon.com/neuroncore': accelerator.count * accelerator.coresPerDevice,
    }),
    'vpc.amazonaws.com/pod-eni': facts.branchInterfaces,
    ...(isWindows(amiFamily) &&
      addressesPerInterface !== undefined && {
        'vpc.amazonaws.com/PrivateIPv4Address': addressesPerInterface - 1,
      }),
  };
}

/** The resource under which a manufacturer's device plugin advertises its GPUs. */
export function gpuResource(manufacturer: string): string {
  return manufacturer === 'habana' ? 'habana.ai/gaudi' : `${manufacturer}.com/gpu`;
}

function isWindows(amiFamily: AmiFamily): boolean {
  return amiFamily.startsWith('Windows');
}

/** What EKS' bootstrap keeps for the kubelet and the container runtime, each resource replaced where the node class says so. */
function kubeReserved(facts: InstanceFacts, { amiFamily, kubelet }: NodeClass, pods: number): ResourceList {
  // Bottlerocket and Windows reserve for the pods there can be, the others for those there could be addresses for.
  const counted = amiFamily === 'Bottlerocket' || isWindows(amiFamily) ? pods : facts.maxPods;
  const usual = resourceList({
    [CPU]: reservedMilliCpu(facts.vcpu),
    [MEMORY]: (255 + 11 * counted) * MI,
    [EPHEMERAL_STORAGE]: GI,
  });
  return new Map([...usual, ...(kubelet.kubeReserved ?? [])]);
}

/** 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest, in whole millicores. */
function reservedMilliCpu(vcpu: number): number {
  const within = (from: number, to: number) => Math.max(0, Math.min(vcpu, to) - from);
  return 60 * within(0, 1) + 10 * within(1, 2) + 5 * within(2, 4) + Math.floor(2.5 * within(4, Infinity));
}

/** Where the kubelet begins to evict: 100 MiB of memory and 10 % of the disk unless the node class says otherwise. */
function evictionThreshold(capacity: ResourceList, evictionHard: ReadonlyMap<string, string>): ResourceList {
  const at = (resource: string, signal: string, usual: string) =>
    thresholdOf(resource, evictionHard.get(signal) ?? usual, capacity.get(resource) ?? 0);
  return resourceList({
    [MEMORY]: at(MEMORY, 'memory.available', '100Mi'),
    [EPHEMERAL_STORAGE]: at(EPHEMERAL_STORAGE, 'nodefs.available', '10%'),
  });
}

function thresholdOf(resource: string, threshold: string, capacity: number): number {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(threshold)?.[1];
  if (percent === undefined) return parseAmount(resource, threshold);
  // 100 % switches the threshold off (kubelet configuration reference).
  return percent === '100' ? 0 : Math.ceil((capacity / 100) * Number(percent));
}
