/** A fake of the Cloud port that answers as EC2 does: capacity pools, client tokens, instances that boot, end and are seen late. */
import { repairPolicies } from '../../../src/clouds/aws/adapter/repair-policies.js';
import { hasNodeSettings, type NodeSettings } from '../../../src/clouds/aws/families/node-settings.js';
import { createHash } from 'node:crypto';
import { rootVolumeGiB, type Catalogue } from '../../../src/clouds/aws/catalogue/index.js';
import type { Labels } from '../../../src/domain/values/labels.js';
import type { LaunchOverride, LaunchRequest } from '../../../src/domain/nodes/node-claim.js';
import type { NodeClass } from '../../../src/domain/policies/node-class.js';
import type { ResourceList } from '../../../src/domain/values/resources.js';
import {
  instanceTags,
  LAUNCH_TOKEN,
  type Cloud,
  type LaunchAnswer,
  type LaunchCall,
  type LaunchIntent,
  type CloudInstance,
  type ResolvedNodeClass,
} from '../../../src/ports/cloud.js';
import type { Clock } from '../../../src/ports/clock.js';
import { PortError } from '../../../src/ports/port-error.js';
import type { Random } from '../../../src/ports/random.js';
import { allocate } from './allocate.js';
import { CapacityStock, type CapacityPool } from '../../../world/aws/model/capacity-stock.js';
import { CloudFaults } from './cloud-faults.js';
import { instanceAt, type InstanceRecord, type InstanceTimes } from './instance-record.js';
import { canonicalText, TokenLedger } from './token-ledger.js';

export interface FakeCloudOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Types, their prices and what they have; what it does not list is not sold. */
  readonly catalogue: Catalogue;
  /** Where the account has subnets; all zones of the catalogue by default. */
  readonly zones?: readonly string[] | undefined;
  /** 2,000 by default, both. */
  readonly times?: Partial<InstanceTimes> | undefined;
  /** How old what `instances` shows is; EC2 is consistent within a minute. 0 by default. */
  readonly consistencyMillis?: number | undefined;
  /** Instances in each pool at first; Infinity by default. */
  readonly stock?: number | undefined;
}

/** What a kubelet stand-in has to know of an instance whose system is up, or going down. */
export interface InstanceEvent {
  /** `ended`: it began to shut down. An instance that ends before it runs never tells. */
  readonly kind: 'running' | 'rebooted' | 'ended';
  readonly instance: CloudInstance;
  /** What its node registers with, from the launch. */
  readonly labels: Labels;
  readonly taints: LaunchCall['taints'];
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

const DEFAULT_TIMES: InstanceTimes = { pendingMillis: 2000, shutdownMillis: 2000 };

export class FakeCloud implements Cloud {
  readonly repairPolicies = repairPolicies(false);
  readonly stock: CapacityStock;
  readonly faults = new CloudFaults();
  /** Operations of the reboots that were asked for, in order. */
  readonly reboots: string[] = [];
  readonly #options: FakeCloudOptions;
  readonly #times: InstanceTimes;
  readonly #prices: ReadonlyMap<string, number>;
  readonly #zones: readonly string[];
  readonly #tokens = new TokenLedger();
  readonly #records = new Map<string, InstanceRecord>();
  /** Launch template → the node class that it was made of. */
  readonly #templates = new Map<string, NodeSettings>();
  readonly #listeners = new Set<(event: InstanceEvent) => void>();

  constructor(options: FakeCloudOptions) {
    this.#options = options;
    this.#times = { ...DEFAULT_TIMES, ...options.times };
    this.stock = new CapacityStock(options.stock ?? Infinity);
    const offerings = options.catalogue.entries.flatMap(({ facts, offerings: all }) =>
      all.map((offering) => ({ ...offering, instanceType: facts.name })),
    );
    this.#prices = new Map(offerings.map((offering) => [poolKey(offering), offering.price]));
    this.#zones = options.zones ?? [...new Set(offerings.map(({ zone }) => zone))].sort();
  }

  /** Calls for each instance that comes up or goes down from now on; answers what ends that. */
  onInstance(listener: (event: InstanceEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** All instances as they truly are, ended ones too while they are remembered. */
  fleet(): readonly CloudInstance[] {
    return this.#seenAt(this.#options.clock.now());
  }

  resolveNodeClass(nodeClass: NodeClass, signal?: AbortSignal): Promise<ResolvedNodeClass> {
    return this.faults.meet('resolveNodeClass', signal, () => this.#resolve(nodeClass));
  }

  prepareLaunch(intent: LaunchIntent, signal?: AbortSignal): Promise<LaunchRequest> {
    return this.faults.meet('prepareLaunch', signal, () => this.#prepare(intent));
  }

  launch(call: LaunchCall, signal?: AbortSignal): Promise<LaunchAnswer> {
    return this.faults.meet('launch', signal, () => this.#launch(call));
  }

  instances(tags: Labels, signal?: AbortSignal): Promise<readonly CloudInstance[]> {
    return this.faults.meet('instances', signal, () => {
      const { clock, consistencyMillis = 0 } = this.#options;
      const wanted = [...tags];
      return this.#seenAt(clock.now() - consistencyMillis).filter((instance) =>
        wanted.every(([key, value]) => instance.tags.get(key) === value),
      );
    });
  }

  tagInstances(ids: readonly string[], tags: Labels, signal?: AbortSignal): Promise<void> {
    return this.faults.meet('tagInstances', signal, () => {
      const at = this.#options.clock.now();
      for (const record of ids.map((id) => this.#known(id))) {
        record.tags.push({ at, tags: new Map([...(record.tags.at(-1)?.tags ?? []), ...tags]) });
      }
    });
  }

  terminate(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    return this.faults.meet('terminate', signal, () => {
      for (const id of ids) this.#end(this.#records.get(id));
    });
  }

  reboot(id: string, operation: string, signal?: AbortSignal): Promise<void> {
    return this.faults.meet('reboot', signal, () => {
      this.reboots.push(operation);
      this.#tell('rebooted', this.#known(id));
    });
  }

  #resolve(nodeClass: NodeClass): ResolvedNodeClass {
    const zones = this.#zones;
    return {
      zones,
      subnetIDs: zones.map(subnetOf),
      securityGroupIDs: [digest('sg', 'nodes')],
      imageIDs: [digest('ami', settingsOf(nodeClass).amiFamily)],
      problems: [],
    };
  }

  #prepare(intent: LaunchIntent): LaunchRequest {
    const { nodeClass, labels, taints, capacityType, size } = intent;
    const sized = this.#sized(intent);
    const id = digest('lt', canonicalText([sized, nodeClass.template, labels, taints]));
    this.#templates.set(id, sized);
    return {
      capacityType,
      size,
      overrides: intent.offerings.map((offering) => ({
        ...offering,
        imageID: digest('ami', settingsOf(nodeClass).amiFamily),
        launchTemplate: { id, version: '1' },
        subnetID: subnetOf(offering.zone),
      })),
    };
  }

  /** The node class with a root volume that is large enough. */
  #sized({ nodeClass: wanted, requests }: LaunchIntent): NodeSettings {
    const nodeClass = settingsOf(wanted);
    const { entries } = this.#options.catalogue;
    const { facts } = entries.find((entry) => entry.facts.localStorageGB === undefined) ?? {};
    const size = facts && rootVolumeGiB(facts, nodeClass, requests?.get('ephemeral-storage') ?? 0);
    const rootVolumeBytes = size === undefined ? nodeClass.rootVolumeBytes : size * 2 ** 30;
    return nodeClass.maxRootVolumeBytes === undefined
      ? nodeClass
      : { ...nodeClass, rootVolumeBytes, maxRootVolumeBytes: undefined };
  }

  #launch(call: LaunchCall): LaunchAnswer {
    check(call);
    const earlier = this.#tokens.find(call);
    if (earlier === undefined) return this.#launchAnew(call);
    const now = this.#options.clock.now();
    const instances = earlier.ids.flatMap((id) => this.#instance(this.#records.get(id), now) ?? []);
    return { instances, failures: earlier.failures };
  }

  #launchAnew(call: LaunchCall): LaunchAnswer {
    const { capacityType } = call.request;
    const { chosen, failures } = allocate(call.request, {
      free: (pool) => this.stock.free(pool),
      price: (pool) => (this.#zones.includes(pool.zone) ? this.#prices.get(poolKey(pool)) : undefined),
    });
    const records = chosen.map((override) => {
      this.stock.take({ instanceType: override.instanceType, zone: override.zone, capacityType });
      return this.#start(call, override);
    });
    this.#tokens.keep(call, { ids: records.map(({ id }) => id), failures });
    const now = this.#options.clock.now();
    return { instances: records.flatMap((record) => this.#instance(record, now) ?? []), failures };
  }

  #start(call: LaunchCall, override: LaunchOverride): InstanceRecord {
    const { clock, random } = this.#options;
    const { capacityType } = call.request;
    const now = clock.now();
    const record: InstanceRecord = {
      id: `i-${random.hex(17)}`,
      pool: { instanceType: override.instanceType, zone: override.zone, capacityType },
      imageID: override.imageID,
      launchedAt: now,
      endedAt: undefined,
      tags: [{ at: now, tags: instanceTags(call) }],
      labels: call.labels,
      taints: call.taints,
      nodeClass: this.#templateOf(override),
    };
    this.#records.set(record.id, record);
    clock.timer(this.#times.pendingMillis, () => {
      if (record.endedAt === undefined) this.#tell('running', record);
    });
    return record;
  }

  #templateOf({ launchTemplate }: LaunchOverride): NodeSettings | undefined {
    if (launchTemplate === undefined) return undefined;
    const known = this.#templates.get(launchTemplate.id);
    if (known !== undefined) return known;
    throw invalid(`the launch template ${launchTemplate.id} does not exist`);
  }

  #end(record: InstanceRecord | undefined): void {
    const now = this.#options.clock.now();
    if (record === undefined || record.endedAt !== undefined) return;
    record.endedAt = now;
    if (now >= record.launchedAt + this.#times.pendingMillis) this.#tell('ended', record);
  }

  #tell(kind: InstanceEvent['kind'], record: InstanceRecord): void {
    const instance = this.#instance(record, this.#options.clock.now());
    if (instance === undefined) return;
    const { catalogue } = this.#options;
    const types = record.nodeClass ? catalogue.forNodeClass(record.nodeClass) : catalogue.instanceTypes;
    const type = types.find(({ name }) => name === instance.instanceType);
    const { labels, taints } = record;
    const { capacity = new Map(), allocatable = new Map() } = type ?? {};
    for (const listener of [...this.#listeners])
      listener({ kind, instance, labels, taints, capacity, allocatable });
  }

  #seenAt(time: number): readonly CloudInstance[] {
    return [...this.#records.values()].flatMap((record) => this.#instance(record, time) ?? []);
  }

  #instance(record: InstanceRecord | undefined, time: number): CloudInstance | undefined {
    return record && instanceAt(record, time, this.#times);
  }

  #known(id: string): InstanceRecord {
    const record = this.#records.get(id);
    if (record !== undefined) return record;
    throw new PortError('NotFound', {
      operation: `tag ${id}`,
      message: `the instance ID ${id} does not exist`,
    });
  }
}

/** EC2's own limits on what a launch may say. */
function check({ token, request }: LaunchCall): void {
  if (!LAUNCH_TOKEN.test(token)) throw invalid('the token must be 1 to 64 ASCII characters');
  if (!Number.isInteger(request.size) || request.size < 1)
    throw invalid(`size ${String(request.size)}: must be at least 1`);
  if (request.overrides.length === 0) throw invalid('overrides: at least one is needed');
}

function invalid(message: string): PortError {
  return new PortError('Invalid', { operation: 'launch', message });
}

function poolKey({ instanceType, zone, capacityType }: CapacityPool): string {
  return `${instanceType} ${zone} ${capacityType}`;
}

function subnetOf(zone: string): string {
  return digest('subnet', zone);
}

/** An identifier as EC2 makes them, always the same for the same text. */
function digest(prefix: string, text: string): string {
  return `${prefix}-${createHash('sha256').update(text).digest('hex').slice(0, 17)}`;
}

/** @throws Error when the class is not one of EC2. */
function settingsOf(nodeClass: NodeClass): NodeSettings {
  if (hasNodeSettings(nodeClass)) return nodeClass;
  throw new Error(`${nodeClass.kind} ${nodeClass.name} has no settings of nodes`);
}
