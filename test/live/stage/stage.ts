/** Where one live fact is played: its own NodePools, nodes and pods in a cluster that it shares with other facts. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manifest, ObjectRef } from '../../controlplane/fixture/api/api-client.js';
import type { ControlPlane } from '../../controlplane/fixture/control-plane.js';
import {
  DAEMON_SETS,
  NODES,
  namespaced,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type KubeObject,
  type Resource,
} from '../../controlplane/fixture/api/kube-object.js';
import { ApiError } from '../../controlplane/fixture/api/api-error.js';
import { eventually } from '../../controlplane/fixture/eventually.js';
import type { Claim, System } from '../fixture/system.js';
import { FACT, nodePool, PLACE, type PoolTerms } from './pool.js';
import { podTemplate, replicaSet, type PodTerms } from './pods.js';
import type { SeenNode, SeenPod, Sight } from './sight.js';

const REPLICA_SETS = namespaced('apps/v1', 'ReplicaSet');

/** What a node is launched for: any of these may be left to the system. */
export interface NodeTerms {
  readonly type?: string;
  readonly zone?: string;
  readonly capacityType?: string;
  /** The last part of the name of the NodePool. */
  readonly pool?: string;
}

/** What became of the nodes of a scene; everything is sorted. */
export interface NodesSeen {
  /** Places. */
  readonly gone: readonly string[];
  readonly stayed: readonly string[];
  /** Instance types of further nodes; gone ones too. */
  readonly launched: readonly string[];
}

export interface StageOptions {
  readonly cluster: ControlPlane;
  readonly system: System;
  readonly sight: Sight;
  /** A short name that no other fact has. */
  readonly key: string;
}

/** Karpenter disrupts no node for twenty seconds after it has launched one for a pod. */
const QUIET_SECONDS = 25;
/** A pass of Karpenter's disruption, in seconds: fifteen before it validates a command again, and some for the rest. */
export const PASS = 20;
const LAUNCH_MILLIS = 120_000;
/** As long as a system may take until a scene is over, in seconds. */
const PATIENCE = 300;

/**
 * A scene has nodes at places (`a`, `b`, …), each launched for a pod that asks for its place, and pods that are put onto them directly.
 * Nothing is disrupted until the scene opens its NodePools. What came of it is read from what was seen of nodes and pods.
 */
export class Stage {
  readonly key: string;
  readonly cluster: ControlPlane;
  readonly system: System;
  readonly #sight: Sight;
  readonly #pools = new Map<string, PoolTerms>();
  /** Names of Nodes by their places. */
  readonly #places = new Map<string, string>();
  readonly #made: (readonly [Resource<KubeObject>, ObjectRef])[] = [];
  #groups = 0;
  #launchedAt = 0;

  constructor({ cluster, system, sight, key }: StageOptions) {
    this.cluster = cluster;
    this.system = system;
    this.key = key;
    this.#sight = sight;
  }

  /** Creates a NodePool that disrupts nothing yet, unless its terms say otherwise. */
  async pool(terms: PoolTerms = {}, name = ''): Promise<void> {
    this.#pools.set(name, terms);
    await this.system.putPool(nodePool(this.poolName(name), this.key, terms));
  }

  /** Changes a NodePool. */
  change(terms: PoolTerms, name = ''): Promise<void> {
    return this.pool({ ...this.#pools.get(name), ...terms }, name);
  }

  /** Lets NodePools disrupt any number of their nodes, once their nodes have been quiet. */
  async open(...names: readonly string[]): Promise<void> {
    await this.quiet();
    for (const name of names.length === 0 ? [''] : names)
      await this.change({ budgets: [{ nodes: '100%' }] }, name);
  }

  /** Resolves when the last node was launched so long ago that it may be disrupted. */
  async quiet(): Promise<void> {
    await sleep(Math.max(0, this.#launchedAt + QUIET_SECONDS - this.now()) * 1000);
  }

  poolName(name = ''): string {
    return name === '' ? this.key : `${this.key}-${name}`;
  }

  /** Has nodes launched, one for each place, and takes the pods away that they were launched for. */
  async nodes(places: readonly string[], terms: NodeTerms = {}): Promise<void> {
    await Promise.all(places.map((place) => this.#launch(place, terms)));
    this.#launchedAt = this.now();
  }

  /** Gives places to nodes that came without one, as those of static NodePools, in the order of their creation. */
  async name(places: readonly string[], pool = ''): Promise<void> {
    const found = await eventually(
      `${String(places.length)} nodes of ${this.poolName(pool)}`,
      async () => {
        const nodes = this.live().filter(({ object }) => this.placeOf(object) === undefined);
        const claims = await this.system.claims(this.poolName(pool));
        const ready = nodes.filter(({ object }) =>
          claims.some(
            (claim) => claim.nodeName === object.metadata.name && hasCondition(claim, 'Initialized'),
          ),
        );
        return ready.length >= places.length && ready;
      },
      { timeoutMillis: LAUNCH_MILLIS, everyMillis: 300 },
    );
    for (const [index, place] of places.entries())
      this.#places.set(place, found[index]?.object.metadata.name ?? '');
    this.#launchedAt = this.now();
  }

  /** Creates pods on the node of a place. Answers the label `group` that they have in common. */
  async pods(place: string, terms: PodTerms = {}): Promise<string> {
    const group = `${this.key}-${place}-${String(++this.#groups)}`;
    const template = podTemplate(this.key, group, terms);
    const { count = 1, owner = 'ReplicaSet' } = terms;
    for (let index = 0; index < count; index++)
      await this.cluster.api.create(PODS, {
        metadata: { name: `${group}-${String(index)}`, ...template.metadata },
        spec: { ...(template.spec as object), nodeName: this.nodeName(place) },
      });
    const run = (): boolean => this.running(group).length === count;
    await eventually(`pods of ${group} run`, run, { timeoutMillis: 60_000 });
    // What is created after its pods run finds them, and creates none of its own.
    if (owner === 'ReplicaSet') await this.make(REPLICA_SETS, replicaSet(group, count, template));
    return group;
  }

  /** A DaemonSet whose pods come to the nodes with a label, and run there. Answers their label `group`. */
  async daemonSet(label: readonly [string, string], terms: PodTerms = {}): Promise<string> {
    const group = `${this.key}-daemon-${String(++this.#groups)}`;
    const template = podTemplate(this.key, group, { cpu: '50m', ...terms });
    const [key, value] = label;
    const spec = { ...(template.spec as object), nodeSelector: { [FACT]: this.key, [key]: value } };
    await this.make(DAEMON_SETS, {
      metadata: { name: group },
      spec: { selector: { matchLabels: { group } }, template: { ...template, spec } },
    });
    const run = (): boolean => this.running(group).length === 1;
    await eventually(`a pod of ${group} runs`, run, { timeoutMillis: 60_000 });
    return group;
  }

  /** A PodDisruptionBudget for the pods of a group, which allows no eviction unless its specification says otherwise. */
  async disruptionBudget(
    group: string,
    spec: Readonly<Record<string, unknown>> = { maxUnavailable: 0 },
    namespace = 'default',
  ): Promise<string> {
    const name = `${group}-${String(++this.#groups)}`;
    const selector = { matchLabels: { group } };
    await this.make(POD_DISRUPTION_BUDGETS, { metadata: { name, namespace }, spec: { selector, ...spec } });
    const observed = async (): Promise<boolean> =>
      (await this.cluster.api.get(POD_DISRUPTION_BUDGETS, { name, namespace })).status.observedGeneration ===
      1;
    await eventually(`the PodDisruptionBudget ${name} is observed`, observed);
    return name;
  }

  /** Creates an object that goes with the stage. */
  async make(
    resource: Resource<KubeObject>,
    manifest: Manifest & { readonly metadata: ObjectRef },
  ): Promise<void> {
    await this.cluster.api.create(resource, manifest);
    const { name, namespace } = manifest.metadata;
    this.#made.push([resource, { name, ...(namespace !== undefined && { namespace }) }]);
  }

  /** Merges annotations and labels into the Node of a place. */
  async mark(place: string, metadata: unknown): Promise<void> {
    await this.cluster.api.patch(
      NODES,
      { name: this.nodeName(place) },
      { type: 'merge', body: { metadata } },
    );
  }

  /** Puts a condition onto the Node of a place, since now. */
  async condition(place: string, type: string, status = 'True'): Promise<void> {
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const condition = {
      type,
      status,
      reason: 'Live',
      message: '',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    };
    const body = { status: { conditions: [condition] } };
    await this.cluster.api.patchStatus(
      NODES,
      { name: this.nodeName(place) },
      { type: 'strategic-merge', body },
    );
  }

  /** The name of the Node of a place. */
  nodeName(place: string): string {
    const name = this.#places.get(place);
    if (name === undefined) throw new Error(`There is no node ${place}`);
    return name;
  }

  /** The place of a Node, undefined for one that the scene did not ask for. */
  placeOf({ metadata }: KubeObject): string | undefined {
    return [...this.#places].find(([, name]) => name === metadata.name)?.[0];
  }

  now(): number {
    return this.#sight.now();
  }

  /** Nodes of the fact, the oldest first. */
  all(): readonly SeenNode[] {
    return this.#sight.nodes(this.key);
  }

  live(): readonly SeenNode[] {
    return this.all().filter(({ goneAt }) => goneAt === undefined);
  }

  at(place: string): SeenNode {
    const name = this.nodeName(place);
    const node = this.all().find(({ object }) => object.metadata.name === name);
    if (node === undefined) throw new Error(`The node ${place} was never seen`);
    return node;
  }

  allPods(): readonly SeenPod[] {
    return this.#sight.pods(this.key);
  }

  /** Pods of a group that run and stay. */
  running(group: string): readonly SeenPod[] {
    return this.allPods().filter(
      ({ object, deletedAt }) =>
        object.metadata.labels?.['group'] === group &&
        object.status.phase === 'Running' &&
        deletedAt === undefined,
    );
  }

  /** Waits until the nodes of these places are gone. */
  async gone(...places: readonly string[]): Promise<void> {
    await this.until(() => places.every((place) => this.at(place).goneAt !== undefined));
  }

  /** Waits until so many nodes are there that the scene did not ask for. */
  async launched(count: number): Promise<void> {
    await this.until(() => this.seen().launched.length >= count);
  }

  /** Waits for what a system does, for so many seconds at most: what was seen then tells whether it did. */
  async until(look: () => boolean | Promise<boolean>, seconds = PATIENCE): Promise<boolean> {
    const end = this.now() + seconds;
    while (this.now() < end) {
      if (await look()) return true;
      await sleep(200);
    }
    return false;
  }

  seconds(seconds: number): Promise<unknown> {
    return sleep(seconds * 1000);
  }

  /** What has become of the nodes. */
  seen(): NodesSeen {
    const places = [...this.#places.keys()].sort();
    return {
      gone: places.filter((place) => this.at(place).goneAt !== undefined),
      stayed: places.filter((place) => this.at(place).goneAt === undefined),
      launched: this.further()
        .map(({ object }) => object.metadata.labels?.['node.kubernetes.io/instance-type'] ?? '')
        .sort(),
    };
  }

  /** Nodes that the system launched and the scene did not ask for, the oldest first. */
  further(): readonly SeenNode[] {
    return this.all().filter(
      ({ object }) =>
        this.placeOf(object) === undefined && object.metadata.labels?.['karpenter.sh/nodepool'] !== undefined,
    );
  }

  /** Of nodes that went or go: how many of them did so at the same time. */
  mostAtOnce(places: readonly string[]): number {
    const spans = places.map((place) => this.#sight.span(this.nodeName(place)));
    const counts = spans.map(
      ({ from }) => spans.filter((each) => each.from <= from && from <= each.to).length,
    );
    return Math.max(0, ...counts);
  }

  /** Places whose NodeClaims have a condition that is True, sorted. */
  async having(condition: string, pool = ''): Promise<readonly string[]> {
    const claims = await this.system.claims(this.poolName(pool));
    return [...this.#places]
      .filter(([, name]) => claims.some((each) => each.nodeName === name && hasCondition(each, condition)))
      .map(([place]) => place)
      .sort();
  }

  /** The NodeClaim of a place. */
  async claim(place: string, pool = ''): Promise<Claim> {
    const claims = await this.system.claims(this.poolName(pool));
    const found = claims.find(({ nodeName }) => nodeName === this.nodeName(place));
    if (found === undefined) throw new Error(`There is no NodeClaim of the node ${place}`);
    return found;
  }

  /** Removes everything of the fact; resolves before it is gone. */
  async clear(): Promise<void> {
    const { api } = this.cluster;
    const removals = [
      ...this.#made.map(
        ([resource, ref]) =>
          () =>
            api.delete(resource, ref, { propagationPolicy: 'Background' }),
      ),
      ...this.allPods()
        .filter(({ goneAt }) => goneAt === undefined)
        .map(
          ({ object }) =>
            () =>
              api.delete(PODS, object.metadata, { gracePeriodSeconds: 0 }),
        ),
      ...[...this.#pools.keys()].map((name) => () => this.system.removePool(this.poolName(name))),
    ];
    for (const remove of removals)
      await remove().catch((error: unknown) => {
        if (!(error instanceof ApiError && error.code === 404)) throw error;
      });
  }

  async #launch(place: string, { type, zone, capacityType, pool = '' }: NodeTerms): Promise<void> {
    const name = `${this.key}-launch-${place}`;
    const nodeSelector = {
      [PLACE]: place,
      'karpenter.sh/nodepool': this.poolName(pool),
      ...(type !== undefined && { 'node.kubernetes.io/instance-type': type }),
      ...(zone !== undefined && { 'topology.kubernetes.io/zone': zone }),
      ...(capacityType !== undefined && { 'karpenter.sh/capacity-type': capacityType }),
    };
    const { metadata, spec } = podTemplate(this.key, name, { cpu: '50m', spec: { nodeSelector } });
    const tolerations = [{ operator: 'Exists' }];
    await this.cluster.api.create(PODS, {
      metadata: { name, ...metadata },
      spec: { ...(spec as object), tolerations },
    });
    const options = { timeoutMillis: LAUNCH_MILLIS, everyMillis: 300 };
    const nodeName = await eventually(
      `a node for ${name}`,
      () => this.running(name)[0]?.object.spec.nodeName,
      options,
    );
    this.#places.set(place, nodeName);
    const initialized = async (): Promise<boolean> =>
      (await this.having('Initialized', pool)).includes(place);
    await eventually(`${nodeName} is initialized`, initialized, options);
    await this.cluster.api.delete(PODS, { name }, { gracePeriodSeconds: 0 });
    await eventually(`${name} is gone`, () => this.running(name).length === 0);
  }
}

function hasCondition({ conditions }: Claim, type: string): boolean {
  return conditions.some((each) => each.type === type && each.status === 'True');
}
