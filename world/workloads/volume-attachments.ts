/** Volumes are attached to the nodes of the pods that use them, and stay so until a while after those are gone (attach/detach). */
import type { Actor, ActorContext } from '../cluster/actor.js';
import { isOvertaken } from '../cluster/cluster-api.js';
import type { Pod } from '../cluster/objects.js';
import { Reconciler } from '../cluster/reconciler.js';
import { podInfo } from '../scheduler/filters/pod-info.js';
import { claimsOf } from '../scheduler/filters/volume-filters.js';
import { remove, updateStatus } from './controller.js';

const NAME = 'attachdetach-controller';
const RESOURCE = 'volumeattachments.storage.k8s.io';
const DETACHING_MILLIS = { from: 3_000, to: 10_000 };

export class VolumeAttachments implements Actor {
  readonly #context: ActorContext;
  readonly #reconciler: Reconciler;
  /** Attachment → when it is to be gone. */
  readonly #detaching = new Map<string, number>();
  #stop: (() => void) | undefined;

  constructor(context: ActorContext) {
    this.#context = context;
    const { clock, trace } = context;
    this.#reconciler = new Reconciler({ name: NAME, clock, trace, reconcile: (node) => this.#sync(node) });
  }

  start(): void {
    this.#stop = this.#context.api.watch('pods', ({ object }) => {
      const { nodeName = '', volumes = [] } = (object as Pod).spec;
      if (nodeName !== '' && volumes.length > 0) this.#reconciler.add(nodeName);
    });
  }

  stop(): void {
    this.#stop?.();
    this.#reconciler.stop();
  }

  /** One node's attachments. */
  async #sync(nodeName: string): Promise<number | undefined> {
    const { api } = this.#context;
    const wanted = this.#wantedOn(nodeName);
    for (const [volumeName, attacher] of wanted) await this.#attach(nodeName, volumeName, attacher);
    let again: number | undefined;
    for (const attachment of api.list(RESOURCE)) {
      const spec = attachment['spec'] as AttachmentSpec;
      if (spec.nodeName !== nodeName) continue;
      const { name } = attachment.metadata;
      if (wanted.has(spec.source.persistentVolumeName ?? '')) this.#detaching.delete(name);
      else {
        const left = this.#leftFor(name);
        if (left > 0) again = Math.min(left, again ?? left);
        else await remove(this.#context, RESOURCE, attachment);
      }
    }
    return again;
  }

  #leftFor(name: string): number {
    const { clock, chance } = this.#context;
    const gone = this.#detaching.get(name) ?? clock.now() + chance.within(`detach ${name}`, DETACHING_MILLIS);
    this.#detaching.set(name, gone);
    if (gone <= clock.now()) this.#detaching.delete(name);
    return gone - clock.now();
  }

  /** Volume → driver. Pods that have ended use nothing. */
  #wantedOn(nodeName: string): ReadonlyMap<string, string> {
    const { view, api } = this.#context;
    const wanted = new Map<string, string>();
    for (const pod of view.onNode(nodeName)) {
      if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') continue;
      for (const { volume } of claimsOf(podInfo(pod), api, { lenient: true }))
        if (volume?.spec.csi !== undefined) wanted.set(volume.metadata.name, volume.spec.csi.driver);
    }
    return wanted;
  }

  async #attach(nodeName: string, volumeName: string, attacher: string): Promise<void> {
    const { api } = this.#context;
    const name = `csi-${volumeName}-${nodeName}`;
    if (api.get(RESOURCE, { name }) !== undefined) return;
    const spec: AttachmentSpec = { attacher, nodeName, source: { persistentVolumeName: volumeName } };
    try {
      const attachment = await api.create(RESOURCE, { metadata: { name }, spec });
      await updateStatus(this.#context, RESOURCE, attachment, { attached: true });
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  }
}

interface AttachmentSpec {
  readonly attacher: string;
  readonly nodeName: string;
  readonly source: { readonly persistentVolumeName?: string | undefined };
}
