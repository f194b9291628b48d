/** Puts random clusters into a real control plane, reads them back as they are, and takes them away again. */
import type { ApiClient, Manifest } from '../fixture/api/api-client.js';
import {
  clusterScoped,
  NAMESPACES,
  namespaced,
  NODES,
  PODS,
  type AnyObject,
  type KubeObject,
  type Resource,
} from '../fixture/api/kube-object.js';
import type { Chance } from './chance.js';
import { randomCSINodes, randomNodes } from './random-nodes.js';
import { randomBoundPods, type BoundPod } from './random-pods.js';
import { HOLD, randomStorage } from './random-storage.js';
import { NAMESPACE_NAMES, NAMESPACES as NAMESPACE_LABELS, RUNTIME_CLASS } from './vocabulary.js';

export const CLAIMS = namespaced('v1', 'PersistentVolumeClaim');
const VOLUMES = clusterScoped('v1', 'PersistentVolume');
const CLASSES = clusterScoped('storage.k8s.io/v1', 'StorageClass', 'storageclasses');
const CSI_NODES = clusterScoped('storage.k8s.io/v1', 'CSINode');
const RUNTIME_CLASSES = clusterScoped('node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses');

/** Everything that decides where pods may go, as the API server returns it. */
export interface LiveObjects {
  readonly nodes: readonly KubeObject[];
  readonly csiNodes: readonly AnyObject[];
  readonly pods: readonly KubeObject[];
  readonly claims: readonly AnyObject[];
  readonly volumes: readonly AnyObject[];
  readonly classes: readonly AnyObject[];
  readonly namespaces: readonly AnyObject[];
}

export class LiveCluster {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** What stays: namespaces and a RuntimeClass with overhead. */
  async prepare(): Promise<void> {
    for (const name of NAMESPACE_NAMES)
      await this.#api.create(NAMESPACES, { metadata: { name, labels: NAMESPACE_LABELS[name] } });
    await this.#api.create(RUNTIME_CLASSES, {
      metadata: { name: RUNTIME_CLASS },
      handler: RUNTIME_CLASS,
      overhead: { podFixed: { cpu: '1500m', memory: '600Mi' } },
    });
  }

  /** Fills the empty cluster. */
  async fill(chance: Chance, counts: { readonly nodes: number; readonly bound: number }): Promise<void> {
    const { classes, volumes, claims } = randomStorage(chance);
    await Promise.all([
      ...randomNodes(chance, counts.nodes).map((node) => this.#api.create(NODES, node)),
      ...randomCSINodes(chance, counts.nodes).map((node) => this.#api.create(CSI_NODES, node)),
      ...classes.map((item) => this.#api.create(CLASSES, item)),
      ...volumes.map((item) => this.#createVolume(item)),
    ]);
    await Promise.all(claims.map((claim) => this.#createClaim(claim)));
    const bound = randomBoundPods(chance, counts.nodes, counts.bound);
    await Promise.all(bound.map((pod) => this.#createBound(pod)));
  }

  /** A volume that no claim has is available, as the volume controller would say. */
  async #createVolume(manifest: Manifest): Promise<void> {
    const volume = await this.#api.create(VOLUMES, manifest);
    if ('claimRef' in (volume['spec'] as object)) return;
    await this.#api.patchStatus(VOLUMES, volume.metadata, status({ phase: 'Available' }));
  }

  async #createClaim(manifest: Manifest): Promise<void> {
    const { metadata } = await this.#api.create(CLAIMS, manifest);
    if (metadata.finalizers?.includes(HOLD) === true) await this.#api.delete(CLAIMS, metadata);
  }

  async #createBound({ manifest, fate }: BoundPod): Promise<void> {
    const { metadata } = await this.#api.create(PODS, manifest);
    switch (fate) {
      case 'terminates':
        return this.#api.delete(PODS, metadata, { gracePeriodSeconds: 3600 });
      case 'has finished':
        await this.#api.patchStatus(PODS, metadata, status({ phase: 'Succeeded' }));
        return;
      case 'is resized':
        await this.#api.patchStatus(PODS, metadata, status(RESIZED));
        return;
      case 'runs':
        return;
    }
  }

  /** Creates a pending pod. One that is gated waits for its claims, which are made here; then the gate is lifted. */
  async createPending(manifest: Manifest): Promise<void> {
    const pod = await this.#api.create(PODS, manifest);
    const { name, namespace = '', uid } = pod.metadata;
    const { schedulingGates, volumes = [] } = pod.spec as typeof pod.spec & {
      volumes?: readonly VolumeSource[];
    };
    if (schedulingGates === undefined) return;
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true },
    ];
    for (const { name: volume, ephemeral } of volumes) {
      if (ephemeral === undefined) continue;
      const metadata = { name: `${name}-${volume}`, namespace, ownerReferences };
      await this.#api.create(CLAIMS, { metadata, spec: ephemeral.volumeClaimTemplate.spec });
    }
    const body = [{ op: 'remove', path: '/spec/schedulingGates' }];
    await this.#api.patch(PODS, pod.metadata, { type: 'json', body });
  }

  async read(): Promise<LiveObjects> {
    const items = async <T extends KubeObject>(resource: Resource<T>): Promise<readonly T[]> =>
      (await this.#api.list(resource)).items;
    return {
      nodes: await items(NODES),
      csiNodes: await items(CSI_NODES),
      pods: await items(PODS),
      claims: await items(CLAIMS),
      volumes: await items(VOLUMES),
      classes: await items(CLASSES),
      namespaces: await items(NAMESPACES),
    };
  }

  /** Takes away all but what `prepare` made. */
  async clear(): Promise<void> {
    const { claims } = await this.read();
    const held = claims.filter(({ metadata }) => metadata.finalizers?.includes(HOLD));
    const release = { type: 'json', body: [{ op: 'remove', path: '/metadata/finalizers' }] } as const;
    await Promise.all(NAMESPACE_NAMES.map((name) => this.#deleteAll(`/api/v1/namespaces/${name}/pods`)));
    await Promise.all(held.map(({ metadata }) => this.#api.patch(CLAIMS, metadata, release)));
    await Promise.all([
      ...NAMESPACE_NAMES.map((name) => this.#deleteAll(`/api/v1/namespaces/${name}/persistentvolumeclaims`)),
      ...['persistentvolumes', 'nodes'].map((plural) => this.#deleteAll(`/api/v1/${plural}`)),
      ...['storageclasses', 'csinodes'].map((plural) => this.#deleteAll(`/apis/storage.k8s.io/v1/${plural}`)),
    ]);
  }

  async #deleteAll(path: string): Promise<void> {
    await this.#api.raw({ method: 'DELETE', path, body: { gracePeriodSeconds: 0 } });
  }
}

interface VolumeSource {
  readonly name: string;
  readonly ephemeral?: { readonly volumeClaimTemplate: { readonly spec: object } };
}

/** A kubelet that has promised more than the spec asks for. */
const RESIZED = {
  phase: 'Running',
  containerStatuses: [
    {
      name: 'main',
      image: 'x',
      imageID: 'x',
      ready: true,
      restartCount: 0,
      allocatedResources: { cpu: '2500m', memory: '1Gi' },
      resources: { requests: { cpu: '300m', memory: '2Gi' } },
    },
  ],
};

function status(body: object): { readonly type: 'strategic-merge'; readonly body: object } {
  return { type: 'strategic-merge', body: { status: body } };
}
