/** A cluster whose nodes Karpenter launched, in memory; each write to it, or to the cloud, may be the last one. */
import type { HandoverContext } from '../../../src/app/handover/carry-out.js';
import { stateOf } from '../../../src/app/handover/handover-node.js';
import { handOver, type HandoverResult, type HandoverRun } from '../../../src/app/handover/hand-over.js';
import { KARPENTER_NODE_CLAIMS, NODES, type KubeObject } from '../../../src/app/handover/kube-objects.js';
import { survey, type HandoverWish } from '../../../src/app/handover/survey.js';
import type { NodePool } from '../../../src/domain/policies/node-pool.js';
import type { HandoverState } from '../../../src/planning/handover/steps.js';
import type { CloudInstance } from '../../../src/ports/cloud.js';
import type { InstanceHandover } from '../../../src/ports/instance-handover.js';
import { PortError } from '../../../src/ports/port-error.js';
import { cloudInstance } from '../../support/builders/cloud-instance.js';
import { nodePool } from '../../support/builders/node-pool.js';
import { MemoryObjects } from './memory-objects.js';

export const NOW = Date.UTC(2026, 0, 2);
const TYPES = { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'spot' } as const;
export const ADOPT: HandoverWish = { direction: 'adopting', from: 'karpenter', nodePools: [], nodes: [] };
export const RELEASE: HandoverWish = { direction: 'releasing', nodePools: [], nodes: [] };

/** The command was killed: its request arrived, and the answer did not. */
export class Killed extends Error {}

export class HandoverWorld {
  readonly instances = new Map<string, CloudInstance>();
  readonly objects: MemoryObjects;
  readonly context: HandoverContext;
  pools: readonly NodePool[] = [nodePool({ name: 'general' })];
  /** Why another controller would replace instances. */
  manager: string | undefined;
  /** Writes until the command is killed. */
  left = Infinity;
  /** Called after each write with the state that each node is in. */
  onState: ((states: readonly HandoverState[]) => void) | undefined;

  constructor() {
    this.objects = new MemoryObjects(() => {
      this.#wrote();
    });
    this.context = {
      objects: this.objects,
      handover: this.#handover(),
      cluster: { uid: 'cluster-1', name: 'demo' },
      termsOf: (name) => {
        const pool = this.pools.find((each) => each.name === name);
        if (pool === undefined) throw missing(`find NodePool ${name}`);
        return { pool, nodeClass: undefined, typesOf: () => [], now: NOW };
      },
      karpenterPool: (name) => ({ metadata: { name, uid: `uid-pool-${name}`, resourceVersion: '1' } }),
      now: () => NOW,
    };
  }

  /** A node of Karpenter's, a day old. */
  addKarpenterNode(name: string, claim: Partial<KubeObject> = {}): void {
    const { id, providerID } = this.#addInstance(name, [
      ['karpenter.sh/nodepool', 'general'],
      ['karpenter.sh/nodeclaim', name],
    ]);
    const creationTimestamp = new Date(NOW - 86_400_000).toISOString();
    const labels = { 'karpenter.sh/nodepool': 'general', ...LABELS };
    this.objects.put(KARPENTER_NODE_CLAIMS, {
      metadata: {
        name,
        uid: `uid-${name}`,
        labels,
        creationTimestamp,
        finalizers: ['karpenter.sh/termination'],
      },
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] }],
        resources: { requests: { cpu: '1', pods: '3' } },
        expireAfter: '720h',
      },
      status: {
        providerID,
        nodeName: `ip-${id}`,
        imageID: 'ami-1',
        conditions: ['Launched', 'Registered', 'Initialized'].map((type) => ({ type, status: 'True' })),
      },
      ...claim,
    });
    const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid: `uid-${name}` };
    this.#addNode(name, labels, { finalizers: ['karpenter.sh/termination'], ownerReferences: [owner] });
  }

  /** A node of an Auto Scaling group that was detached, or one that is in it. */
  addOtherNode(name: string): string {
    this.#addInstance(name, []);
    this.#addNode(name, LABELS, {});
    return `ip-i-${name}`;
  }

  run(wish: HandoverWish, more: Partial<HandoverRun> = {}): Promise<readonly HandoverResult[]> {
    return handOver({
      wish,
      context: this.context,
      isDryRun: false,
      check: () => Promise.resolve(),
      tell: () => undefined,
      ...more,
    });
  }

  async states(): Promise<readonly HandoverState[]> {
    const all = [
      ...(await survey(ADOPT, this.objects, this.context.handover)),
      ...(await survey(RELEASE, this.objects, this.context.handover)),
    ];
    const each = new Map(all.map((it) => [it.name, stateOf(it, this.context)]));
    return [...each.values()];
  }

  #wrote(): void {
    this.left--;
    if (this.left <= 0) throw new Killed('killed');
  }

  #addInstance(name: string, tags: readonly (readonly [string, string])[]): CloudInstance {
    const id = `i-${name}`;
    const instance = cloudInstance({
      id,
      ...TYPES,
      launchedAt: NOW - 86_400_000,
      tags: new Map(tags),
    });
    this.instances.set(id, instance);
    return instance;
  }

  #addNode(name: string, labels: Readonly<Record<string, string>>, metadata: object): void {
    this.objects.put(NODES, {
      metadata: { name: `ip-i-${name}`, labels, ...metadata },
      spec: { providerID: `aws:///eu-west-3a/i-${name}` },
      status: {
        capacity: { cpu: '2', memory: '8Gi', pods: '29' },
        allocatable: { cpu: '1900m', pods: '29' },
      },
    });
  }

  #handover(): InstanceHandover {
    const change = async (id: string, tags: (before: CloudInstance['tags']) => CloudInstance['tags']) => {
      const instance = this.instances.get(id);
      if (instance === undefined) throw missing(`tag ${id}`);
      this.instances.set(id, { ...instance, tags: tags(instance.tags) });
      await Promise.resolve();
      this.#wrote();
    };
    return {
      karpenterTagKeys: ['karpenter.sh/nodepool', 'karpenter.sh/nodeclaim'],
      karpenterTags: ({ nodePool: pool, nodeClaim }) =>
        new Map([
          ['karpenter.sh/nodepool', pool],
          ['karpenter.sh/nodeclaim', nodeClaim],
        ]),
      manager: () => this.manager,
      instances: (providerIDs) =>
        Promise.resolve(
          [...this.instances.values()].filter(({ providerID }) => providerIDs.includes(providerID)),
        ),
      addTags: (id, tags) => change(id, (before) => new Map([...before, ...tags])),
      removeTags: (id, keys) =>
        change(id, (before) => new Map([...before].filter(([key]) => !keys.includes(key)))),
    };
  }
}

const LABELS = {
  'node.kubernetes.io/instance-type': 'm5.large',
  'topology.kubernetes.io/zone': 'eu-west-3a',
  'karpenter.sh/capacity-type': 'spot',
  'kubernetes.io/arch': 'amd64',
};

function missing(operation: string): PortError {
  return new PortError('NotFound', { operation, message: 'there is none' });
}
