/**
 * What a node of an instance type has and what it leaves to pods, as EKS' bootstrap and Karpenter compute it: capacity − kube-reserved − system-reserved − hard eviction threshold.
 */
import { imageFamily, type AmiFamily } from '../families/families.js';
import { resolveKubelet, type ResolvedKubelet } from '../families/kubelet-expressions.js';
import type { KubeletSettings, NodeSettings } from '../families/node-settings.js';
import {
  CPU,
  EPHEMERAL_STORAGE,
  MEMORY,
  parseAmount,
  PODS,
  type ResourceList,
} from '../../../domain/values/resources.js';
import type { InstanceFacts } from './instance-facts.js';

export interface NodeResources {
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

const MI = 2 ** 20;
const GI = 2 ** 30;

/** Memory that Graviton's kernel keeps for contiguous allocations. */
const ARM64_RESERVED_MIB = 64;
/** What an operator says of all instances. */
export interface InstanceTerms {
  /** Share of the memory that hypervisor and firmware take, in millionths (Karpenter: VM_MEMORY_OVERHEAD_PERCENT). */
  readonly memoryOverheadPerMillion: number;
  /** Network interfaces that give pods no addresses (Karpenter: RESERVED_ENIS). */
  readonly reservedInterfaces: number;
}

export const DEFAULT_INSTANCE_TERMS: InstanceTerms = {
  memoryOverheadPerMillion: 75_000,
  reservedInterfaces: 0,
};

/**
 * Capacity and allocatable of a node of this type launched with this node class.
 * @throws QuantityError when an eviction threshold is neither a quantity nor a percentage.
 */
export function allocatableFor(facts: InstanceFacts, nodeClass: NodeSettings): NodeResources {
  return allocatableWith(nodeClass)(facts);
}

/**
 * The same for many types: what the node class says is read once. Types whose nodes reported their memory have that, in bytes.
 * @throws QuantityError when an eviction threshold is neither a quantity nor a percentage.
 */
export function allocatableWith(
  nodeClass: NodeSettings,
  terms: InstanceTerms = DEFAULT_INSTANCE_TERMS,
  reported: ReadonlyMap<string, number> = NOTHING_REPORTED,
): (facts: InstanceFacts) => NodeResources {
  const { amiFamily } = nodeClass;
  const { evictionHard } = nodeClass.kubelet;
  const memoryThreshold = threshold(MEMORY, evictionHard.get('memory.available') ?? '100Mi');
  const diskThreshold = threshold(EPHEMERAL_STORAGE, evictionHard.get('nodefs.available') ?? '10%');
  return (facts) => {
    const { kubelet } = kubeletOf(facts, nodeClass, terms);
    const { kubeReserved, systemReserved } = kubelet;
    const pods = podsOf(facts, { amiFamily, kubelet }, terms);
    const memory = reported.get(facts.name) ?? memoryBytes(facts, terms);
    const storage = storageBytes(facts, nodeClass);
    const capacity = new Map<string, number>();
    const allocatable = new Map<string, number>();
    const enter = (resource: string, amount: number, usual = 0, evicted = 0): void => {
      if (amount === 0) return;
      capacity.set(resource, amount);
      const reserved = (kubeReserved?.get(resource) ?? usual) + (systemReserved.get(resource) ?? 0);
      const left = amount - reserved - evicted;
      if (left > 0) allocatable.set(resource, left);
    };
    enter(CPU, facts.vcpu * 1000, reservedMilliCpu(facts.vcpu));
    enter(MEMORY, memory, reservedMemory(facts, amiFamily, pods), memoryThreshold(memory));
    enter(PODS, pods);
    enter(EPHEMERAL_STORAGE, storage, GI, diskThreshold(storage));
    enterExtendedResources(facts, amiFamily, enter);
    enter(EFA, nodeClass.efaInterfaces ?? facts.efaCards.length);
    return { capacity, allocatable };
  };
}

const NOTHING_REPORTED: ReadonlyMap<string, number> = new Map();

/** An estimate of what the node will report: what the type has less the hypervisor's part, in whole MiB. */
function memoryBytes(facts: InstanceFacts, { memoryOverheadPerMillion }: InstanceTerms): number {
  const mebibytes = facts.memoryMiB - (facts.arch === 'arm64' ? ARM64_RESERVED_MIB : 0);
  return (mebibytes - Math.ceil((mebibytes * memoryOverheadPerMillion) / 1e6)) * MI;
}

/** The kubelet's settings on nodes of this type, with numbers where the node class has expressions. */
export function kubeletOf(
  facts: InstanceFacts,
  { amiFamily, kubelet }: Pick<NodeSettings, 'amiFamily' | 'kubelet'>,
  terms: InstanceTerms,
): ResolvedKubelet {
  const { name, vcpu, memoryMiB, addressesPerInterface = 0 } = facts;
  const variables = {
    instance_type: name,
    vcpus: vcpu,
    memory_mib: memoryMiB,
    default_enis: interfacesOf(facts),
    ips_per_eni: addressesPerInterface,
  };
  return resolveKubelet(kubelet, variables, (own) => podsOf(facts, { amiFamily, kubelet: own }, terms));
}

/** Network interfaces of the default card, as its addresses tell; 0 where that is not known. */
function interfacesOf({ maxPods, addressesPerInterface = 0 }: InstanceFacts): number {
  return addressesPerInterface > 1 ? Math.round((maxPods - 2) / (addressesPerInterface - 1)) : 0;
}

/** The most pods that the kubelet of such a node takes, whose settings are numbers. */
export function podsOf(
  facts: InstanceFacts,
  { amiFamily, kubelet }: { readonly amiFamily: AmiFamily; readonly kubelet: KubeletSettings },
  terms: InstanceTerms,
): number {
  const { maxPods = podsWithAddress(facts, terms), refusedSettings } = imageFamily(amiFamily);
  const most = kubelet.maxPods ?? maxPods;
  if (!kubelet.podsPerCore || refusedSettings?.includes('podsPerCore') === true) return most;
  return Math.min(most, kubelet.podsPerCore * facts.vcpu);
}

/** As EKS counts: the addresses of the interfaces that are left, and two pods of the host's network. */
function podsWithAddress(
  { maxPods, addressesPerInterface }: InstanceFacts,
  { reservedInterfaces }: InstanceTerms,
): number {
  if (reservedInterfaces === 0 || addressesPerInterface === undefined) return maxPods;
  const left = maxPods - reservedInterfaces * (addressesPerInterface - 1);
  return left > 2 ? left : 0;
}

/** The root volume at its largest, or with instanceStorePolicy RAID0 the local disks of types that have some. */
function storageBytes(facts: InstanceFacts, nodeClass: NodeSettings): number {
  const { instanceStoreRaid0, rootVolumeBytes, maxRootVolumeBytes = rootVolumeBytes } = nodeClass;
  const disks = instanceStoreRaid0 ? facts.localStorageGB : undefined;
  return disks === undefined ? maxRootVolumeBytes : disks * 1e9;
}

/** GPUs, accelerators and network interfaces as their device plugins and controllers advertise them. */
function enterExtendedResources(
  { gpu, accelerator, branchInterfaces, addressesPerInterface }: InstanceFacts,
  amiFamily: AmiFamily,
  enter: (resource: string, amount: number) => void,
): void {
  if (gpu) enter(gpuResource(gpu.manufacturer), gpu.count);
  if (accelerator) {
    enter('aws.amazon.com/neuron', accelerator.count);
    enter('aws.amazon.com/neuroncore', accelerator.count * accelerator.coresPerDevice);
  }
  enter('vpc.amazonaws.com/pod-eni', branchInterfaces);
  if (imageFamily(amiFamily).windowsBuild !== undefined && addressesPerInterface !== undefined)
    enter('vpc.amazonaws.com/PrivateIPv4Address', addressesPerInterface - 1);
}

/** Elastic Fabric Adapters, as the device plugin advertises those that an instance is launched with. */
export const EFA = 'vpc.amazonaws.com/efa';

/** The resource under which a manufacturer's device plugin advertises its GPUs. */
export function gpuResource(manufacturer: string): string {
  return manufacturer === 'habana' ? 'habana.ai/gaudi' : `${manufacturer}.com/gpu`;
}

/** Bytes that EKS' bootstrap keeps for the kubelet and the container runtime. */
function reservedMemory(facts: InstanceFacts, amiFamily: AmiFamily, pods: number): number {
  const counted = imageFamily(amiFamily).reservesForPodsThatFit === true ? pods : facts.maxPods;
  return (255 + 11 * counted) * MI;
}

/** 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest, in whole millicores. */
function reservedMilliCpu(vcpu: number): number {
  const within = (from: number, to: number) => Math.max(0, Math.min(vcpu, to) - from);
  return 60 * within(0, 1) + 10 * within(1, 2) + 5 * within(2, 4) + Math.floor(2.5 * within(4, Infinity));
}

/** Where the kubelet begins to evict, by the capacity: 100 MiB of memory and 10 % of the disk unless the node class says otherwise. */
function threshold(resource: string, text: string): (capacity: number) => number {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent === undefined) {
    const amount = parseAmount(resource, text);
    return () => amount;
  }
  // 100 % switches the threshold off (kubelet configuration reference).
  if (percent === '100') return () => 0;
  const share = Number(percent);
  return (capacity) => Math.ceil((capacity / 100) * share);
}
