/**
 * Instances that are Node objects: KWOK (https://kwok.sigs.k8s.io) plays their kubelets. What a cloud would know of an instance
 * (tags, token, state) is kept in an annotation of its Node, so that nothing is lost when Berth restarts.
 */
import { policyHash } from '../../apis/berth/policy-hash.js';
import type { LaunchRequest } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { NodeClass } from '../../domain/policies/node-class.js';
import type { RepairPolicy } from '../../domain/policies/repair-policy.js';
import { CAPACITY_TYPE, HOSTNAME, INSTANCE_TYPE, ZONE, type Labels } from '../../domain/values/labels.js';
import { isOlder } from '../../domain/values/resource-version.js';
import { formatAmount, parseAmount } from '../../domain/values/resources.js';
import { TAINT_EFFECTS } from '../../domain/values/taint.js';
import type { Clock } from '../../ports/clock.js';
import {
  instanceTags,
  LAUNCH_TOKEN,
  type Cloud,
  type CloudInstance,
  type LaunchAnswer,
  type LaunchCall,
  type LaunchFailure,
  type LaunchIntent,
  type ResolvedNodeClass,
} from '../../ports/cloud.js';
import type { NewNode, NodeCreator, NodeWriter } from '../../ports/kube-writer.js';
import { hasCode, PortError } from '../../ports/port-error.js';
import {
  nodeResources,
  typeLabels,
  type KwokCatalogue,
  type KwokOffering,
  type KwokType,
} from './instance-types.js';
import { IMAGE, INSTANCE, instanceOf, keptOn, PROVIDER, type Kept } from './kwok-instance.js';
import { isKwokNodeClass, type KwokSettings } from './kwok-node-class.js';

/** Nodes that KWOK plays the kubelet of have this annotation, and its usual value. */
const KWOK_NODE = 'kwok.x-k8s.io/node';
const FAKE = 'fake';
/** Of calls that are remembered while their Nodes are not watched yet. */
const REMEMBERED_CALLS = 1000;

export interface KwokCloudOptions {
  readonly catalogue: () => KwokCatalogue;
  /** The Nodes that there are, as far as they are known. */
  readonly nodes: () => Iterable<ObservedNode>;
  readonly writer: NodeCreator & NodeWriter;
  /** Asked before instances are launched or ended; throws where they must not be. */
  readonly permit?: ((operation: string, isPausable: boolean) => void) | undefined;
  readonly clock: Clock;
}

/** The one condition that KWOK keeps on its nodes. */
const REPAIR_POLICIES: readonly RepairPolicy[] = (['False', 'Unknown'] as const).map((conditionStatus) => ({
  conditionType: 'Ready',
  conditionStatus,
  reasons: undefined,
  tolerationSeconds: 1800,
  terminationGracePeriodSeconds: 600,
  priority: 0,
  action: 'Replace',
}));

interface Call {
  readonly requestHash: string;
  readonly answer: Promise<LaunchAnswer>;
}

export class KwokCloud implements Cloud {
  readonly repairPolicies = REPAIR_POLICIES;
  readonly #options: KwokCloudOptions;
  /** By token. */
  readonly #calls = new Map<string, Call>();
  /** Nodes that were written and may not be watched yet, by name. */
  readonly #written = new Map<string, ObservedNode>();

  constructor(options: KwokCloudOptions) {
    this.#options = options;
  }

  resolveNodeClass(nodeClass: NodeClass): Promise<ResolvedNodeClass> {
    const zones = this.#options
      .catalogue()
      .types.flatMap(({ offerings }) => offerings.map(({ zone }) => zone));
    const problems = isKwokNodeClass(nodeClass)
      ? []
      : [`launch from ${nodeClass.kind} ${nodeClass.name}: --cloud kwok launches from KWOKNodeClasses only`];
    return Promise.resolve({ zones: [...new Set(zones)].sort(), problems });
  }

  prepareLaunch({ nodeClass, capacityType, size, offerings }: LaunchIntent): Promise<LaunchRequest> {
    if (!isKwokNodeClass(nodeClass)) {
      const operation = `launch from ${nodeClass.kind} ${nodeClass.name}`;
      return Promise.reject(new PortError('Invalid', { operation, message: 'it is no KWOKNodeClass' }));
    }
    const none = { imageID: IMAGE, launchTemplate: undefined, subnetID: undefined };
    const overrides = offerings.map((offering) => ({ ...offering, ...none }));
    return Promise.resolve({ capacityType, size, overrides, context: encodeSettings(nodeClass.settings) });
  }

  async launch(call: LaunchCall, signal?: AbortSignal): Promise<LaunchAnswer> {
    const operation = 'create KWOK nodes';
    if (signal?.aborted === true)
      throw new PortError('Cancelled', { operation, message: 'the caller gave up' });
    const { token, request, tags } = call;
    if (!LAUNCH_TOKEN.test(token))
      throw new PortError('Invalid', { operation, message: 'a token is 1 to 64 ASCII characters' });
    const requestHash = policyHash({ request: plainRequest(request), tags: Object.fromEntries(tags) });
    const before = this.#calls.get(token)?.requestHash ?? this.#keptOf(token)?.requestHash;
    if (before !== undefined && before !== requestHash)
      throw new PortError('TokenMismatch', { operation, message: 'the token was used with another request' });
    const known = this.#calls.get(token);
    if (known !== undefined) return known.answer;
    this.#options.permit?.(operation, true);
    const answer = this.#create(call, requestHash, signal);
    this.#remember(token, { requestHash, answer });
    return answer;
  }

  instances(tags: Labels): Promise<readonly CloudInstance[]> {
    const wanted = [...tags];
    const found = this.#known().flatMap((node) => ownInstance(node) ?? []);
    return Promise.resolve(
      found.filter((instance) => wanted.every(([key, value]) => instance.tags.get(key) === value)),
    );
  }

  async tagInstances(ids: readonly string[], tags: Labels, signal?: AbortSignal): Promise<void> {
    for (const id of ids) {
      const node = this.#node(id);
      const kept = node && keptOn(node);
      if (node === undefined || kept === undefined)
        throw new PortError('NotFound', { operation: `tag ${id}`, message: 'there is no such KWOK node' });
      await this.#keep(node, { ...kept, tags: { ...kept.tags, ...Object.fromEntries(tags) } }, signal);
    }
  }

  /** Its Node is marked, and deleted; it stays for as long as it has finalizers. */
  async terminate(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    for (const id of ids) {
      const node = this.#node(id);
      const kept = node && keptOn(node);
      if (node === undefined || kept === undefined || kept.terminated === true) continue;
      this.#options.permit?.('delete KWOK nodes', true);
      try {
        const marked = await this.#keep(node, { ...kept, terminated: true }, signal);
        await this.#options.writer.deleteNode(marked, signal);
      } catch (error) {
        if (!hasCode(error, 'NotFound')) throw error;
      }
    }
  }

  /** Its Node gets another boot ID, the same for the same operation: nothing else of it changes. */
  async reboot(id: string, operation: string, signal?: AbortSignal): Promise<void> {
    const node = this.#node(id);
    if (node === undefined)
      throw new PortError('NotFound', { operation: `reboot ${id}`, message: 'there is no such KWOK node' });
    this.#options.permit?.('reboot KWOK nodes', true);
    const written = await this.#options.writer.putBootID(node, policyHash({ operation }), signal);
    this.#written.set(written.name, written);
  }

  async #create(call: LaunchCall, requestHash: string, signal?: AbortSignal): Promise<LaunchAnswer> {
    const { request, token } = call;
    const places = this.#places(call);
    const known = new Map(this.#known().map((node) => [node.name, node]));
    const instances: CloudInstance[] = [];
    for (const [index, place] of places.entries()) {
      const node = newNode(call, place, {
        name: `kwok-${policyHash({ token })}-${String(index + 1)}`,
        kept: {
          token,
          requestHash,
          tags: Object.fromEntries(instanceTags(call)),
          launchedAt: this.#options.clock.now(),
        },
      });
      // As it is when another call created it before.
      const created = known.get(node.name) ?? (await this.#createNode(node, signal));
      const instance = ownInstance(created);
      if (instance !== undefined) instances.push(instance);
    }
    return { instances, failures: places.length < request.size ? outOfStock(request) : [] };
  }

  async #createNode(node: NewNode, signal?: AbortSignal): Promise<ObservedNode> {
    const created = await this.#options.writer.createNode(node, signal);
    this.#written.set(created.name, created);
    return created;
  }

  /** Where each instance comes to be, in the order of preference; those of the same call count as there already. */
  #places({ request, token }: LaunchCall): readonly Place[] {
    const types = new Map(this.#options.catalogue().types.map((type) => [type.name, type]));
    const others = this.#known().filter((node) => {
      const kept = keptOn(node);
      return kept?.token !== token && kept?.terminated !== true;
    });
    return request.overrides
      .flatMap((override): Place[] => {
        const type = types.get(override.instanceType);
        const offering = type?.offerings.find(
          ({ zone, capacityType }) => zone === override.zone && capacityType === request.capacityType,
        );
        if (type === undefined || offering === undefined) return [];
        const taken = others.filter((node) => isAt(node, type, offering)).length;
        const left = Math.min(request.size, (offering.count ?? Infinity) - taken);
        return Array.from({ length: Math.max(0, left) }, () => ({ type, offering }));
      })
      .slice(0, request.size);
  }

  async #keep(node: ObservedNode, kept: Kept, signal?: AbortSignal): Promise<ObservedNode> {
    const annotations = { [INSTANCE]: JSON.stringify(kept) };
    const written = await this.#options.writer.patchNode(node, { annotations }, signal);
    this.#written.set(written.name, written);
    return written;
  }

  /** Watched ones, and those that are written and not watched yet; of two the newer. */
  #known(): readonly ObservedNode[] {
    const nodes = new Map(this.#written);
    for (const node of this.#options.nodes()) {
      const own = this.#written.get(node.name);
      if (own === undefined || !isOlder(node.resourceVersion, own.resourceVersion)) {
        this.#written.delete(node.name);
        nodes.set(node.name, node);
      }
    }
    return [...nodes.values()];
  }

  #node(name: string): ObservedNode | undefined {
    return this.#known().find((node) => node.name === name);
  }

  #keptOf(token: string): Kept | undefined {
    return this.#known()
      .flatMap((node) => keptOn(node) ?? [])
      .find((kept) => kept.token === token);
  }

  #remember(token: string, call: Call): void {
    this.#calls.set(token, call);
    // A call that failed may be made again.
    call.answer.catch(() => this.#calls.delete(token));
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > REMEMBERED_CALLS && oldest !== undefined) this.#calls.delete(oldest);
  }
}

interface Place {
  readonly type: KwokType;
  readonly offering: KwokOffering;
}

function isAt(node: ObservedNode, type: KwokType, { zone, capacityType }: KwokOffering): boolean {
  const { labels } = node;
  return (
    labels.get(INSTANCE_TYPE) === type.name &&
    labels.get(ZONE) === zone &&
    labels.get(CAPACITY_TYPE) === capacityType
  );
}

function newNode(
  { request, labels, taints }: LaunchCall,
  { type, offering }: Place,
  { name, kept }: { readonly name: string; readonly kept: Kept },
): NewNode {
  const { zone, capacityType } = offering;
  return {
    name,
    labels: new Map([
      ...labels,
      ...typeLabels(type),
      [ZONE, zone],
      [CAPACITY_TYPE, capacityType],
      [HOSTNAME, name],
      ['type', 'kwok'],
    ]),
    annotations: new Map([
      [KWOK_NODE, FAKE],
      [INSTANCE, JSON.stringify(kept)],
    ]),
    taints: taints.map(({ key, value, effect }) => ({
      key,
      value,
      effect: TAINT_EFFECTS.find((each) => each === effect) ?? 'NoSchedule',
    })),
    providerID: `${PROVIDER}${name}`,
    ...nodeResources(type, decodeSettings(request.context)),
  };
}

/** undefined for Nodes of others. */
function ownInstance(node: ObservedNode): CloudInstance | undefined {
  const kept = keptOn(node);
  return kept && instanceOf(node, kept);
}

function outOfStock({ capacityType, overrides }: LaunchRequest): readonly LaunchFailure[] {
  return overrides.map(({ instanceType, zone }) => ({
    instanceType,
    zone,
    capacityType,
    code: 'InsufficientInstanceCapacity',
    reach: 'offering',
    message: `the instance types file has no more ${instanceType} in ${zone}`,
  }));
}

/** The request as JSON. */
function plainRequest({ tags, ...request }: LaunchRequest): Readonly<Record<string, unknown>> {
  return { ...request, tags: Object.fromEntries(tags ?? []) };
}

/** The settings travel with the request, which is durable. */
function encodeSettings({ maxPods, reserved }: KwokSettings): string {
  const amounts = [...reserved].map(([name, amount]) => [name, formatAmount(name, amount)] as const);
  return JSON.stringify({ maxPods, reserved: Object.fromEntries(amounts) });
}

function decodeSettings(text: string | undefined): KwokSettings {
  const { maxPods, reserved = {} } = JSON.parse(text ?? '{}') as {
    readonly maxPods?: number;
    readonly reserved?: Readonly<Record<string, string>>;
  };
  return {
    maxPods,
    reserved: new Map(Object.entries(reserved).map(([name, amount]) => [name, parseAmount(name, amount)])),
  };
}
