/** The Node that a kubelet makes of its instance. */
import { createHash } from 'node:crypto';
import type { Catalogue } from '../../src/clouds/aws/catalogue/catalogue.js';
import { DEFAULT_NODE_CLASS } from '../../src/clouds/aws/catalogue/default-node-class.js';
import { ARCH, HOSTNAME, INSTANCE_TYPE, OS, REGION, ZONE } from '../../src/domain/values/labels.js';
import {
  CPU,
  EPHEMERAL_STORAGE,
  formatAmount,
  MEMORY,
  parseAmount,
  PODS,
  type ResourceList,
} from '../../src/domain/values/resources.js';
import { KUBERNETES_VERSION } from '../kubernetes/serving/version.js';
import type { Span } from '../cluster/chance.js';
import type { SimulatedInstance } from '../cluster/instance-source.js';
import type { Condition, NewObject, Quantities } from '../cluster/objects.js';
import { timestamp } from '../cluster/timestamps.js';
import { USUAL_PLAN } from './kubelet-plan.js';
import type { KubeletSettings, Registration } from './registration.js';

/** What the kubelet finds itself; the rest waits for device plugins. */
const BUILT_IN: ReadonlySet<string> = new Set([CPU, MEMORY, PODS, EPHEMERAL_STORAGE]);
/** Advertised by a controller that clusters have only if asked for. */
const OPTIONAL = 'vpc.amazonaws.com/';
/** Adapters of the instance, which it has as it was launched. */
const EFA = 'vpc.amazonaws.com/efa';

export interface Offer {
  readonly capacity: Quantities;
  readonly allocatable: Quantities;
}

export interface InstanceOffer {
  readonly arch: string;
  /** From the start. */
  readonly own: Offer;
  /** With devices; undefined when the instance has none. */
  readonly full: Offer | undefined;
}

/** What the instance offers. @throws Error when the catalogue does not know its type. */
export function instanceOffer(
  catalogue: Catalogue,
  instance: SimulatedInstance,
  registration: Registration,
  memoryBeyond: Span = USUAL_PLAN.memoryBeyond,
): InstanceOffer {
  const types = catalogue.forNodeClass({
    ...DEFAULT_NODE_CLASS,
    amiFamily: registration.family ?? 'AL2023',
    kubelet: kubeletOf(registration.settings),
  });
  const type = types.find(({ name }) => name === instance.instanceType);
  if (type === undefined)
    throw new Error(`instance ${instance.id}: type ${instance.instanceType} is not in the catalogue`);
  const more = memoryBeyondEstimate(type.name, type.capacity.get(MEMORY) ?? 0, memoryBeyond);
  const withMemory = (amounts: ResourceList): ResourceList =>
    new Map([...amounts, [MEMORY, (amounts.get(MEMORY) ?? 0) + more]]);
  const names = [...type.capacity.keys()].filter((name) => !name.startsWith(OPTIONAL));
  const own = names.filter((name) => BUILT_IN.has(name));
  const { efaInterfaces } = instance;
  const adapters: Quantities = efaInterfaces > 0 ? { [EFA]: String(efaInterfaces) } : {};
  const offer = (of: readonly string[], beside: Quantities = {}): Offer => ({
    capacity: { ...quantities(withMemory(type.capacity), of), ...beside },
    allocatable: { ...quantities(withMemory(type.allocatable), of), ...beside },
  });
  const hasDevices = own.length < names.length || efaInterfaces > 0;
  return { arch: type.arch, own: offer(own), full: hasDevices ? offer(names, adapters) : undefined };
}

/** Bytes, in whole KiB: the share of the estimate is not the same for each type, and the same for all instances of a type. */
function memoryBeyondEstimate(instanceType: string, estimate: number, { from, to }: Span): number {
  const place = createHash('sha256').update(instanceType).digest().readUInt16BE(0) / 2 ** 16;
  return Math.floor((estimate * (from + (to - from) * place)) / 1024) * 1024;
}

function quantities(amounts: ResourceList, names: readonly string[]): Quantities {
  return Object.fromEntries(names.map((name) => [name, formatAmount(name, amounts.get(name) ?? 0)]));
}

function kubeletOf(settings: KubeletSettings): typeof DEFAULT_NODE_CLASS.kubelet {
  const amounts = (given: Quantities | undefined): ResourceList =>
    new Map(Object.entries(given ?? {}).map(([name, text]) => [name, parseAmount(name, String(text))]));
  return {
    maxPods: settings.maxPods,
    podsPerCore: settings.podsPerCore,
    systemReserved: amounts(settings.systemReserved),
    kubeReserved: settings.kubeReserved && amounts(settings.kubeReserved),
    evictionHard: new Map(Object.entries(settings.evictionHard ?? {})),
  };
}

export interface NodeDraft {
  readonly instance: SimulatedInstance;
  readonly registration: Registration;
  readonly region: string;
  readonly offer: InstanceOffer;
  readonly now: number;
}

/** The tag by which Berth's instances know their pool, where userData says nothing. */
const NODEPOOL_TAG = 'berth.sh/nodepool';

export function nodeObject({ instance, registration, region, offer, now }: NodeDraft): NewObject {
  const { privateDnsName, zone, instanceType, id, privateIP, tags } = instance;
  const pool = registration.family === undefined ? tags.get(NODEPOOL_TAG) : undefined;
  return {
    metadata: {
      name: privateDnsName,
      labels: {
        [HOSTNAME]: privateDnsName,
        [OS]: 'linux',
        [ARCH]: offer.arch,
        [INSTANCE_TYPE]: instanceType,
        [ZONE]: zone,
        [REGION]: region,
        ...(pool !== undefined && { 'karpenter.sh/nodepool': pool }),
        ...registration.labels,
      },
    },
    spec: {
      providerID: `aws:///${zone}/${id}`,
      ...(registration.taints.length > 0 && { taints: registration.taints }),
    },
    status: {
      ...offer.own,
      addresses: [
        { type: 'InternalIP', address: privateIP },
        { type: 'InternalDNS', address: privateDnsName },
        { type: 'Hostname', address: privateDnsName },
      ],
      conditions: nodeConditions({ isReady: false, readySince: now, registeredAt: now, now }),
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        architecture: offer.arch,
        bootID: id,
        containerRuntimeVersion: 'containerd://2.1.4',
        kernelVersion: '6.12.40',
        kubeProxyVersion: '',
        kubeletVersion: KUBERNETES_VERSION,
        machineID: id,
        operatingSystem: 'linux',
        osImage: registration.family ?? 'Custom',
        systemUUID: id,
      },
    },
  };
}

export interface NodeHealth {
  readonly isReady: boolean;
  readonly readySince: number;
  readonly registeredAt: number;
  readonly now: number;
}

export function nodeConditions({ isReady, readySince, registeredAt, now }: NodeHealth): readonly Condition[] {
  const lastHeartbeatTime = timestamp(now);
  const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
    type,
    status: 'False',
    reason: `KubeletHasNo${type}`,
    lastHeartbeatTime,
    lastTransitionTime: timestamp(registeredAt),
  }));
  const ready = {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'KubeletReady' : 'KubeletNotReady',
    message: isReady ? 'kubelet is posting ready status' : 'container runtime network not ready',
    lastHeartbeatTime,
    lastTransitionTime: timestamp(readySince),
  };
  return [...pressures, ready];
}
