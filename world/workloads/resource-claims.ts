/** Makes the claims of pods from templates, and frees those whose pods have ended (resourceclaim-controller). */
import type { Actor, ActorContext } from '../cluster/actor.js';
import { keyOf, refOf } from '../cluster/cluster-api.js';
import type { KubeObject, Pod } from '../cluster/objects.js';
import { Reconciler } from '../cluster/reconciler.js';
import { isActive, ownerReference, parseKey, remove, updateStatus } from './controller.js';
import { CLAIMS, claimsOf, TEMPLATES, type PodClaimStatus, type ResourceClaim } from '../devices/objects.js';

const NAME = 'resourceclaim-controller';

export class ResourceClaims implements Actor {
  readonly #context: ActorContext;
  readonly #reconciler: Reconciler;
  #stops: (() => void)[] = [];

  constructor(context: ActorContext) {
    this.#context = context;
    const { clock, trace } = context;
    this.#reconciler = new Reconciler({ name: NAME, clock, trace, reconcile: (key) => this.#sync(key) });
  }

  start(): void {
    const { api } = this.#context;
    this.#stops = [
      api.watch('pods', ({ type, object }) => {
        if (claimsOf(object as Pod).length === 0) return;
        if (type === 'DELETED') void this.#leave(object as Pod);
        else this.#reconciler.add(keyOf(object));
      }),
      api.watch(TEMPLATES, ({ object }) => {
        for (const pod of api.list('pods'))
          if (pod.metadata.namespace === object.metadata.namespace && claimsOf(pod as Pod).length > 0)
            this.#reconciler.add(keyOf(pod));
      }),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#reconciler.stop();
  }

  async #sync(key: string): Promise<undefined> {
    const pod = this.#context.api.get('pods', parseKey(key)) as Pod | undefined;
    if (pod === undefined) return undefined;
    if (!isActive(pod) && pod.metadata.deletionTimestamp === undefined) return this.#leave(pod);
    if (pod.metadata.deletionTimestamp !== undefined) return undefined;
    const known = (pod.status?.['resourceClaimStatuses'] ?? []) as readonly PodClaimStatus[];
    const made: PodClaimStatus[] = [...known];
    for (const { name, resourceClaimTemplateName } of claimsOf(pod)) {
      if (resourceClaimTemplateName === undefined || known.some((each) => each.name === name)) continue;
      const claim = await this.#make(pod, name, resourceClaimTemplateName);
      if (claim !== undefined) made.push({ name, resourceClaimName: claim.metadata.name });
    }
    if (made.length > known.length)
      await updateStatus(this.#context, 'pods', pod, { resourceClaimStatuses: made });
    return undefined;
  }

  async #make(pod: Pod, name: string, templateName: string): Promise<KubeObject | undefined> {
    const { api } = this.#context;
    const { namespace = '' } = pod.metadata;
    const template = api.get(TEMPLATES, { namespace, name: templateName });
    if (template === undefined) return undefined;
    const { spec } = template['spec'] as { readonly spec: unknown };
    return api.create(CLAIMS, {
      metadata: {
        generateName: `${pod.metadata.name}-${name}-`,
        namespace,
        annotations: { 'resource.kubernetes.io/pod-claim-name': name },
        ownerReferences: [ownerReference(pod)],
      },
      spec,
    });
  }

  /** Claims that were made for the pod go; others are free as soon as no pod has them. */
  async #leave(pod: Pod): Promise<undefined> {
    const { api } = this.#context;
    const { namespace, uid } = pod.metadata;
    for (const object of api.list(CLAIMS)) {
      const claim = object as ResourceClaim;
      if (claim.metadata.namespace !== namespace) continue;
      if (claim.metadata.ownerReferences?.some((owner) => owner.uid === uid)) {
        await remove(this.#context, CLAIMS, claim);
        continue;
      }
      const { reservedFor = [] } = claim.status ?? {};
      const left = reservedFor.filter((each) => each.uid !== uid);
      if (left.length === reservedFor.length) continue;
      await api.change(
        CLAIMS,
        refOf(claim),
        (current) => {
          const { allocation } = (current as ResourceClaim).status ?? {};
          return { ...current, status: left.length === 0 ? {} : { allocation, reservedFor: left } };
        },
        { subresource: 'status' },
      );
    }
    return undefined;
  }
}
