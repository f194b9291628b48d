/** What a pod's claims ask of a node: access, attachments, and volumes that can be reached or made there. */
import { parseAmount } from '../../../src/domain/values/resources.js';
import type {
  CSINode,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  StringMap,
} from '../../cluster/objects.js';
import { matchesNode } from '../../kubernetes/objects/node-selector.js';
import { EarlyRefusal, refusal, type Facts, type NodeFilter } from './node-check.js';
import type { NodeInfo } from './node-info.js';
import type { PodInfo } from './pod-info.js';

const NO_LABELS: StringMap = {};
const ZONES = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** A claim with what is known of where its volume is, or may be made. */
export interface ClaimInfo {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume | undefined;
  readonly storageClass: StorageClass | undefined;
}

export const volumeRestrictions: NodeFilter = (pod, facts) => {
  const isTaken = claimsOf(pod, facts).some(
    ({ claim }) =>
      (claim.spec.accessModes ?? []).includes('ReadWriteOncePod') &&
      facts.usesOf(`${pod.namespace}/${claim.metadata.name}`) > 0,
  );
  return () =>
    isTaken
      ? refusal(
          'VolumeRestrictions',
          'node has pod using PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
          true,
        )
      : undefined;
};

export const nodeVolumeLimits: NodeFilter = (pod, facts) => {
  const wanted = claimsOf(pod, facts);
  if (wanted.length === 0) return () => undefined;
  return (node) => {
    const drivers = limitsOf(node, facts);
    const attached = new Map<string, string>();
    for (const other of node.pods)
      for (const info of claimsOf(other, facts, { lenient: true })) attach(attached, info);
    for (const info of wanted) attach(attached, info);
    const counts = new Map<string, number>();
    for (const driver of attached.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
    const isOver = wanted.some((info) => {
      const driver = driverOf(info);
      return (counts.get(driver) ?? 0) > (drivers.get(driver) ?? Infinity);
    });
    return isOver ? refusal('NodeVolumeLimits', 'node(s) exceed max volume count', true) : undefined;
  };
};

export const volumeBinding: NodeFilter = (pod, facts) => {
  const claims = claimsOf(pod, facts);
  for (const { claim, volume, storageClass } of claims) {
    if (claim.metadata.deletionTimestamp !== undefined)
      throw new EarlyRefusal(
        'VolumeBinding',
        `persistentvolumeclaim "${claim.metadata.name}" is being deleted`,
      );
    if (volume === undefined && storageClass?.volumeBindingMode !== 'WaitForFirstConsumer')
      throw new EarlyRefusal('VolumeBinding', 'pod has unbound immediate PersistentVolumeClaims');
  }
  const bound = claims.flatMap(({ volume }) => (volume === undefined ? [] : [volume]));
  const unbound = claims.filter(({ volume }) => volume === undefined);
  return ({ node }) => {
    if (node === undefined) return undefined;
    if (!bound.every((volume) => isReachable(volume, node)))
      return refusal('VolumeBinding', "node(s) didn't match PersistentVolume's node affinity", false);
    if (unbound.length > 0 && volumesFor(unbound, node, facts) === undefined)
      return refusal('VolumeBinding', "node(s) didn't find available persistent volumes to bind", false);
    return undefined;
  };
};

export const volumeZone: NodeFilter = (pod, facts) => {
  const volumes = claimsOf(pod, facts).flatMap(({ volume }) => (volume === undefined ? [] : [volume]));
  const wanted = volumes.flatMap(({ metadata: { labels = NO_LABELS } }) =>
    ZONES.flatMap((key) => (labels[key] === undefined ? [] : [{ key, zones: labels[key].split('__') }])),
  );
  return ({ labels }) =>
    wanted.every(({ key, zones }) => zones.includes(labels[key] ?? labels[ZONES[0] ?? ''] ?? ''))
      ? undefined
      : refusal('VolumeZone', 'node(s) had no available volume zone', false);
};

/** Which volume each claim would get on the node: one that is there, or `provision`; undefined when there is none for one of them. */
export function volumesFor(
  unbound: readonly ClaimInfo[],
  node: Node,
  facts: Pick<Facts, 'list'>,
):
  | readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume | 'provision' }[]
  | undefined {
  const taken = new Set<string>();
  const chosen: { claim: PersistentVolumeClaim; volume: PersistentVolume | 'provision' }[] = [];
  for (const info of unbound) {
    const volume = staticVolume(
      info,
      facts,
      (each) => !taken.has(each.metadata.name) && isReachable(each, node),
    );
    if (volume === undefined && !canProvision(info, node)) return undefined;
    if (volume !== undefined) taken.add(volume.metadata.name);
    chosen.push({ claim: info.claim, volume: volume ?? 'provision' });
  }
  return chosen;
}

/** The smallest free volume that the claim may have. */
export function staticVolume(
  { claim }: Pick<ClaimInfo, 'claim'>,
  facts: Pick<Facts, 'list'>,
  isEligible: (volume: PersistentVolume) => boolean,
): PersistentVolume | undefined {
  const { storageClassName = '', accessModes = [] } = claim.spec;
  const wanted = storageOf(claim.spec.resources?.requests);
  const candidates = (facts.list('persistentvolumes') as readonly PersistentVolume[]).filter(
    (volume) =>
      (volume.spec.storageClassName ?? '') === storageClassName &&
      accessModes.every((mode) => volume.spec.accessModes?.includes(mode) ?? false) &&
      storageOf(volume.spec.capacity) >= wanted &&
      isFreeFor(volume, claim) &&
      isEligible(volume),
  );
  return candidates.sort((a, b) => storageOf(a.spec.capacity) - storageOf(b.spec.capacity))[0];
}

function isFreeFor(
  { metadata, spec: { claimRef } }: PersistentVolume,
  claim: PersistentVolumeClaim,
): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  if (claimRef === undefined) return true;
  const { name, namespace, uid } = claim.metadata;
  return claimRef.name === name && claimRef.namespace === namespace && (claimRef.uid ?? uid) === uid;
}

/** The claims of the pod. @throws EarlyRefusal when one is missing, unless that is to be overlooked. */
export function claimsOf(
  { claimNames, namespace }: PodInfo,
  facts: Pick<Facts, 'get'>,
  { lenient = false }: { readonly lenient?: boolean } = {},
): readonly ClaimInfo[] {
  return claimNames.flatMap((name) => {
    const claim = facts.get('persistentvolumeclaims', { namespace, name }) as
      PersistentVolumeClaim | undefined;
    if (claim !== undefined) return [claimInfo(claim, facts)];
    if (lenient) return [];
    throw new EarlyRefusal('VolumeRestrictions', `persistentvolumeclaim "${name}" not found`);
  });
}

export function claimInfo(claim: PersistentVolumeClaim, facts: Pick<Facts, 'get'>): ClaimInfo {
  const { volumeName = '', storageClassName = '' } = claim.spec;
  const volume = volumeName === '' ? undefined : facts.get('persistentvolumes', { name: volumeName });
  const storageClass =
    storageClassName === ''
      ? undefined
      : facts.get('storageclasses.storage.k8s.io', { name: storageClassName });
  return {
    claim,
    volume: volume as PersistentVolume | undefined,
    storageClass: storageClass as StorageClass | undefined,
  };
}

export function isReachable({ spec: { nodeAffinity } }: PersistentVolume, node: Node): boolean {
  const terms = nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || matchesNode(terms, node.metadata.labels ?? NO_LABELS, node.metadata.name);
}

function canProvision({ storageClass }: ClaimInfo, node: Node): boolean {
  if (storageClass === undefined || storageClass.provisioner === NO_PROVISIONER) return false;
  const { allowedTopologies = [] } = storageClass;
  const labels = node.metadata.labels ?? NO_LABELS;
  return (
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(topologyOf(labels, key))),
    )
  );
}

/** The EBS driver has a zone label of its own, whose values are the zones. */
function topologyOf(labels: StringMap, key: string): string {
  return labels[key] ?? (key === 'topology.ebs.csi.aws.com/zone' ? labels[ZONES[0] ?? ''] : undefined) ?? '';
}

function storageOf(quantities: Readonly<Record<string, string | number>> | undefined): number {
  return parseAmount('storage', String(quantities?.['storage'] ?? 0));
}

function limitsOf({ name }: NodeInfo, facts: Facts): ReadonlyMap<string, number> {
  const csiNode = facts.get('csinodes.storage.k8s.io', { name }) as CSINode | undefined;
  const drivers = csiNode?.spec.drivers ?? [];
  return new Map(drivers.map((driver) => [driver.name, driver.allocatable?.count ?? Infinity]));
}

function attach(attached: Map<string, string>, info: ClaimInfo): void {
  const driver = driverOf(info);
  if (driver !== '') attached.set(info.volume?.metadata.name ?? `claim ${info.claim.metadata.uid}`, driver);
}

function driverOf({ volume, storageClass }: ClaimInfo): string {
  return volume?.spec.csi?.driver ?? (volume === undefined ? (storageClass?.provisioner ?? '') : '');
}
