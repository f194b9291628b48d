/** Binds claims to volumes and makes volumes where a storage class says how (persistent volume controller, CSI provisioner). */
import type { Actor, ActorContext } from '../cluster/actor.js';
import { keyOf, refOf } from '../cluster/cluster-api.js';
import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../cluster/objects.js';
import { Reconciler } from '../cluster/reconciler.js';
import { SELECTED_NODE } from '../scheduler/pod-binder.js';
import { claimInfo, staticVolume } from '../scheduler/filters/volume-filters.js';
import { parseKey, remove, updateStatus } from './controller.js';

const NAME = 'persistentvolume-controller';
const CLAIMS = 'persistentvolumeclaims';
const VOLUMES = 'persistentvolumes';
const ZONE = 'topology.kubernetes.io/zone';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';
const PROVISIONING_MILLIS = { from: 2_000, to: 6_000 };

export class Volumes implements Actor {
  readonly #context: ActorContext;
  readonly #reconciler: Reconciler;
  /** Claim uid → when its volume is there. */
  readonly #provisioning = new Map<string, number>();
  #stops: (() => void)[] = [];

  constructor(context: ActorContext) {
    this.#context = context;
    const { clock, trace } = context;
    this.#reconciler = new Reconciler({ name: NAME, clock, trace, reconcile: (key) => this.#sync(key) });
  }

  start(): void {
    const { api } = this.#context;
    this.#stops = [
      api.watch(CLAIMS, ({ object }) => {
        this.#reconciler.add(keyOf(object));
      }),
      api.watch(VOLUMES, ({ object }) => {
        const { claimRef } = (object as PersistentVolume).spec;
        if (claimRef !== undefined)
          this.#reconciler.add(`${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`);
        else void this.#markVolume(object as PersistentVolume, 'Available');
      }),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#reconciler.stop();
  }

  async #sync(key: string): Promise<number | undefined> {
    const claim = this.#context.api.get(CLAIMS, parseKey(key)) as PersistentVolumeClaim | undefined;
    if (claim === undefined) return this.#release(key);
    if (claim.status?.phase === 'Bound') return undefined;
    const found = this.#volumeOf(claim);
    if (found !== undefined) return this.#bind(claim, found);
    const { storageClass } = claimInfo(claim, this.#context.api);
    const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
    const nodeName = claim.metadata.annotations?.[SELECTED_NODE];
    if (isDelayed && nodeName === undefined) return undefined;
    if (storageClass === undefined || storageClass.provisioner === NO_PROVISIONER) return undefined;
    return this.#provision(claim, storageClass, nodeName);
  }

  /** The volume that the claim names, or that names it; with a class that does not wait, any that fits. */
  #volumeOf(claim: PersistentVolumeClaim): PersistentVolume | undefined {
    const { api } = this.#context;
    const { volume, storageClass } = claimInfo(claim, api);
    if (volume !== undefined) return volume;
    const isMeant = ({ spec: { claimRef } }: PersistentVolume): boolean => claimRef !== undefined;
    const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
    return (
      staticVolume({ claim }, api, isMeant) ??
      (isDelayed ? undefined : staticVolume({ claim }, api, () => true))
    );
  }

  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<undefined> {
    const { api, trace } = this.#context;
    const { name, namespace, uid } = claim.metadata;
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
    await api.change(VOLUMES, refOf(volume), (object) => {
      const { spec } = object as PersistentVolume;
      return spec.claimRef?.uid === uid ? object : { ...object, spec: { ...spec, claimRef } };
    });
    await api.change(CLAIMS, refOf(claim), (object) => {
      const { spec } = object as PersistentVolumeClaim;
      const { name: volumeName } = volume.metadata;
      return spec.volumeName === volumeName ? object : { ...object, spec: { ...spec, volumeName } };
    });
    await this.#markVolume(volume, 'Bound');
    const { accessModes, capacity } = volume.spec;
    await updateStatus(this.#context, CLAIMS, claim, { phase: 'Bound', accessModes, capacity });
    trace.add(NAME, `persistentvolumeclaim/${keyOf(claim)}`, `bound to ${volume.metadata.name}`);
  }

  async #markVolume(volume: PersistentVolume, phase: string): Promise<void> {
    if (volume.status?.phase === phase || volume.metadata.deletionTimestamp !== undefined) return;
    await updateStatus(this.#context, VOLUMES, volume, { phase }).catch(() => undefined);
  }

  /** Takes a while; where the pod is to be, if it was asked for so. */
  async #provision(
    claim: PersistentVolumeClaim,
    storageClass: StorageClass,
    nodeName: string | undefined,
  ): Promise<number | undefined> {
    const { clock, chance } = this.#context;
    const { uid } = claim.metadata;
    const ready =
      this.#provisioning.get(uid) ?? clock.now() + chance.within(`provision ${uid}`, PROVISIONING_MILLIS);
    this.#provisioning.set(uid, ready);
    if (ready > clock.now()) return ready - clock.now();
    this.#provisioning.delete(uid);
    await this.#bind(claim, await this.#createVolume(claim, storageClass, nodeName));
    return undefined;
  }

  async #createVolume(
    { metadata, spec }: PersistentVolumeClaim,
    storageClass: StorageClass,
    nodeName: string | undefined,
  ): Promise<PersistentVolume> {
    const { api } = this.#context;
    const { name, namespace, uid } = metadata;
    const zone = this.#zoneFor(uid, storageClass, nodeName);
    const key = storageClass.allowedTopologies?.[0]?.matchLabelExpressions?.[0]?.key ?? ZONE;
    const matchExpressions = [{ key, operator: 'In', values: [zone] }];
    const volume = await api.create(VOLUMES, {
      metadata: {
        name: `pvc-${uid}`,
        annotations: { 'pv.kubernetes.io/provisioned-by': storageClass.provisioner },
      },
      spec: {
        capacity: { ...spec.resources?.requests },
        accessModes: spec.accessModes,
        storageClassName: storageClass.metadata.name,
        persistentVolumeReclaimPolicy: storageClass['reclaimPolicy'] ?? 'Delete',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
        csi: {
          driver: storageClass.provisioner,
          volumeHandle: `vol-${uid.replaceAll('-', '').slice(0, 17)}`,
        },
        ...(zone !== '' && { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } }),
      },
    });
    return volume as PersistentVolume;
  }

  /** The node's zone; else one that the class allows, or that there are nodes in. */
  #zoneFor(uid: string, { allowedTopologies = [] }: StorageClass, nodeName: string | undefined): string {
    const { api, chance } = this.#context;
    const node =
      nodeName === undefined ? undefined : (api.get('nodes', { name: nodeName }) as Node | undefined);
    const known = node?.metadata.labels?.[ZONE];
    if (known !== undefined) return known;
    const allowed = allowedTopologies.flatMap(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.flatMap(({ values }) => values),
    );
    const inUse = api.list('nodes').map(({ metadata }) => metadata.labels?.[ZONE] ?? '');
    const zones = [...new Set(allowed.length > 0 ? allowed : inUse)].filter((zone) => zone !== '').sort();
    return zones[Math.floor(chance.of(`zone ${uid}`) * zones.length)] ?? '';
  }

  /** The claim is gone: its volume goes too, or is kept for a user to look at. */
  async #release(key: string): Promise<undefined> {
    const isOf = ({ spec: { claimRef } }: PersistentVolume): boolean =>
      `${claimRef?.namespace ?? ''}/${claimRef?.name ?? ''}` === key && claimRef?.uid !== undefined;
    for (const volume of (this.#context.api.list(VOLUMES) as readonly PersistentVolume[]).filter(isOf))
      if (volume.spec.persistentVolumeReclaimPolicy === 'Delete')
        await remove(this.#context, VOLUMES, volume);
      else await this.#markVolume(volume, 'Released');
  }
}
