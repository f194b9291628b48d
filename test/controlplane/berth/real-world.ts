/** The world of scenarios on a real control plane. */
import { setTimeout as sleep } from 'node:timers/promises';
import { resizePatch } from '../../scenario/objects.js';
import {
  seenClaim,
  seenDecision,
  seenEvent,
  seenNode,
  seenPod,
  seenPolicy,
  seenRequest,
} from '../../scenario/seen.js';
import type {
  CloudLevers,
  Manifest,
  NodeConditionChange,
  ObjectName,
  SeenClaim,
  SeenDecision,
  SeenEvent,
  SeenInstance,
  SeenNode,
  SeenPlan,
  SeenPod,
  SeenPolicy,
  SeenRequest,
  World,
} from '../../scenario/world.js';
import { eventually } from '../fixture/eventually.js';
import { EVENTS, NODES, PODS } from '../fixture/api/kube-object.js';
import type { BerthCluster } from './berth-cluster.js';
import { berthCommand } from './berth-command.js';
import { DECISIONS, NODE_CLAIMS, POLICY_STATUSES, PROVISIONING_REQUESTS } from './kinds.js';

/** The most that a test waits for nothing to happen. */
const QUIET_SECONDS = 20;
/** How much longer than a scenario says something may take: launches that failed are tried again after up to 30 s, and machines are busy. */
const PATIENCE = 2;

export class RealWorld implements World {
  readonly #berth: BerthCluster;

  constructor(berth: BerthCluster) {
    this.#berth = berth;
  }

  get cloud(): CloudLevers {
    return this.#berth.aws;
  }

  async apply(manifests: readonly Manifest[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: manifests };
    await this.#berth.cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(list) });
  }

  async remove({ kind, namespace = 'default', name }: ObjectName): Promise<void> {
    await this.#berth.cluster.kubectl(['delete', kind, name, '-n', namespace, '--wait=false']);
  }

  async scale({ kind, namespace = 'default', name }: ObjectName, replicas: number): Promise<void> {
    await this.#berth.cluster.kubectl([
      'scale',
      kind,
      name,
      '-n',
      namespace,
      `--replicas=${String(replicas)}`,
    ]);
  }

  async setNodeCondition(name: string, condition: NodeConditionChange): Promise<void> {
    const lastTransitionTime = new Date().toISOString();
    await this.#berth.cluster.api.patchStatus(
      NODES,
      { name },
      { type: 'strategic-merge', body: { status: { conditions: [{ ...condition, lastTransitionTime }] } } },
    );
  }

  async resize(
    { namespace, name }: Pick<SeenPod, 'namespace' | 'name'>,
    requests: Readonly<Record<string, string>>,
  ): Promise<void> {
    const patch = ['--subresource', 'resize', '--type', 'json', '-p', JSON.stringify(resizePatch(requests))];
    await this.#berth.cluster.kubectl(['patch', 'pod', name, '-n', namespace, ...patch]);
  }

  async pods(): Promise<readonly SeenPod[]> {
    return (await this.#berth.cluster.api.list(PODS)).items.map(seenPod);
  }

  async nodes(): Promise<readonly SeenNode[]> {
    return (await this.#berth.cluster.api.list(NODES)).items.map(seenNode);
  }

  async claims(): Promise<readonly SeenClaim[]> {
    return (await this.#berth.cluster.api.list(NODE_CLAIMS)).items.map(seenClaim);
  }

  async decisions(): Promise<readonly SeenDecision[]> {
    return (await this.#berth.cluster.api.list(DECISIONS)).items.map(seenDecision);
  }

  async decide(verdict: 'approve' | 'reject', name: string): Promise<void> {
    const { code, stderr } = await berthCommand([verdict, name], this.#berth.cluster);
    if (code !== 0) throw new Error(stderr);
  }

  async policies(): Promise<readonly SeenPolicy[]> {
    return (await this.#berth.cluster.api.list(POLICY_STATUSES)).items.map(seenPolicy);
  }

  async events(): Promise<readonly SeenEvent[]> {
    return (await this.#berth.cluster.api.list(EVENTS)).items.map(seenEvent);
  }

  async requests(): Promise<readonly SeenRequest[]> {
    return (await this.#berth.cluster.api.list(PROVISIONING_REQUESTS)).items.map(seenRequest);
  }

  instances(): readonly SeenInstance[] {
    return this.#berth.instances.instances();
  }

  plans(): Promise<ReadonlyMap<string, SeenPlan>> {
    return this.#berth.plans();
  }

  setStock(pool: Parameters<World['setStock']>[0], instances: number): void {
    this.#berth.instances.setStock(pool, instances);
  }

  until<T>(what: string, look: () => Promise<T | undefined | false>, seconds: number): Promise<T> {
    return eventually(what, look, { timeoutMillis: seconds * PATIENCE * 1000, everyMillis: 100 });
  }

  now(): number {
    return this.#berth.clock.now();
  }

  async quietFor(seconds: number): Promise<void> {
    await sleep(Math.min(seconds, QUIET_SECONDS) * 1000);
  }
}
