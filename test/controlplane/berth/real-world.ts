/** The world of scenarios on a real control plane. */
import type {
  Manifest,
  ObjectName,
  SeenClaim,
  SeenDecision,
  SeenMachine,
  SeenNode,
  SeenPlan,
  SeenPod,
  World,
} from '../../scenario/world.js';
import { eventually } from '../fixture/eventually.js';
import { NODES, PODS, type Node, type Pod } from '../fixture/kube-object.js';
import type { BerthCluster } from './berth-cluster.js';
import { DECISIONS, NODE_CLAIMS, type Decision, type NodeClaim } from './kinds.js';

export class RealWorld implements World {
  readonly #berth: BerthCluster;

  constructor(berth: BerthCluster) {
    this.#berth = berth;
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

  machines(): readonly SeenMachine[] {
    return this.#berth.cloud.fleet();
  }

  plans(): Promise<ReadonlyMap<string, SeenPlan>> {
    return this.#berth.plans();
  }

  setStock(pool: Parameters<World['setStock']>[0], machines: number): void {
    this.#berth.cloud.stock.set(pool as Parameters<BerthCluster['cloud']['stock']['set']>[0], machines);
  }

  until<T>(what: string, look: () => Promise<T | undefined | false>, seconds: number): Promise<T> {
    return eventually(what, look, { timeoutMillis: seconds * 1000, everyMillis: 100 });
  }
}

function seenPod({ metadata, spec, status }: Pod): SeenPod {
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    labels: metadata.labels ?? {},
    nodeName: spec.nodeName,
    ready: status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    ofDaemonSet: metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') ?? false,
    refusal: scheduled?.status === 'False' ? (scheduled.message ?? '') : '',
  };
}

function seenNode({ metadata, spec, status }: Node): SeenNode {
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    taints: (spec.taints ?? []).map(({ key, value = '', effect }) => `${key}=${value}:${effect}`),
    ready: status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
  };
}

function seenClaim({ metadata, spec, status = {} }: NodeClaim): SeenClaim {
  const { nodeName, instanceType, zone, capacityType, conditions = [] } = status;
  return {
    name: metadata.name,
    nodePool: spec.nodePool,
    nodeName,
    instanceType,
    zone,
    capacityType,
    conditions: conditions.filter(({ status: is }) => is === 'True').map(({ type }) => type),
    deleting: metadata.deletionTimestamp !== undefined,
  };
}

function seenDecision({ spec }: Decision): SeenDecision {
  const { kind, namespace = '', name } = spec.subject;
  const subject = namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
  return { subject, action: spec.action, reason: spec.reason, message: spec.message };
}
