/** Binds a pod to its node, its volumes first. */
import type { Clock } from '../../src/ports/clock.js';
import type { ClusterApi } from '../cluster/cluster-api.js';
import { refOf } from '../cluster/cluster-api.js';
import type { Node, PersistentVolumeClaim } from '../cluster/objects.js';
import { CLAIMS, claimsOf, type ResourceClaim } from '../devices/objects.js';
import { claimObjects, type AllocatedClaim, type DeviceView } from './filters/device-filter.js';
import type { PodInfo } from './filters/pod-info.js';
import { claimsOf as volumeClaimsOf, volumesFor } from './filters/volume-filters.js';

/** kube-scheduler's bindTimeoutSeconds. */
const VOLUMES_MILLIS = 600_000;
const LOOK_MILLIS = 200;
/** By which the provisioner knows where the volume is wanted. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

export interface PodBinderOptions {
  readonly api: ClusterApi;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export class PodBinder {
  readonly #options: PodBinderOptions;

  constructor(options: PodBinderOptions) {
    this.#options = options;
  }

  /** @throws Error when the pod is gone, bound or another one by now. */
  async bind(pod: PodInfo, nodeName: string): Promise<void> {
    const { api } = this.#options;
    const ref = refOf(pod.pod);
    if (api.get('pods', ref)?.metadata.uid !== pod.uid) throw new Error(`pod ${pod.key} is gone`);
    await api.bind(ref, nodeName);
  }

  /** Comes first. @throws Error when they do not come in time. */
  async bindVolumes(pod: PodInfo, nodeName: string): Promise<void> {
    const { api, clock, signal } = this.#options;
    const unbound = volumeClaimsOf(pod, api).filter(({ volume }) => volume === undefined);
    if (unbound.length === 0) return;
    const node = api.get('nodes', { name: nodeName }) as Node | undefined;
    const chosen = node && volumesFor(unbound, node, api);
    if (chosen === undefined) throw new Error(`the volumes of pod ${pod.key} cannot be on node ${nodeName}`);
    for (const { claim, volume } of chosen)
      if (volume === 'provision') await this.#select(claim, nodeName);
      else await this.#reserve(claim, volume.metadata.name);
    const end = clock.now() + VOLUMES_MILLIS;
    while (volumeClaimsOf(pod, api).some(({ claim }) => claim.status?.phase !== 'Bound')) {
      if (clock.now() > end) throw new Error('binding volumes: timed out waiting for the condition');
      await clock.sleep(LOOK_MILLIS, signal);
    }
  }

  /** Comes first, too: claims get the devices chosen for them, and all claims of the pod know that it has them. */
  async bindDevices(pod: PodInfo, devices: readonly AllocatedClaim[], facts: DeviceView): Promise<void> {
    if (claimsOf(pod.pod).length === 0) return;
    const { name, uid } = pod.pod.metadata;
    for (const claim of claimObjects(pod, facts)) {
      const chosen = devices.find((each) => each.claim.metadata.uid === claim.metadata.uid)?.allocation;
      await this.#options.api.change(
        CLAIMS,
        refOf(claim),
        (object) => {
          const { allocation = chosen, reservedFor = [] } = (object as ResourceClaim).status ?? {};
          const isKnown = reservedFor.some((each) => each.uid === uid);
          const consumers = isKnown ? reservedFor : [...reservedFor, { resource: 'pods', name, uid }];
          return { ...object, status: { allocation, reservedFor: consumers } };
        },
        { subresource: 'status' },
      );
    }
  }

  async #select(claim: PersistentVolumeClaim, nodeName: string): Promise<void> {
    await this.#options.api.change('persistentvolumeclaims', refOf(claim), (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { ...object.metadata.annotations, [SELECTED_NODE]: nodeName },
      },
    }));
  }

  async #reserve(claim: PersistentVolumeClaim, volumeName: string): Promise<void> {
    const { name, namespace, uid } = claim.metadata;
    await this.#options.api.change('persistentvolumes', { name: volumeName }, (object) => ({
      ...object,
      spec: {
        ...(object['spec'] as object),
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      },
    }));
  }
}
