/** kube-scheduler's rules about volumes: VolumeBinding, VolumeZone, VolumeRestrictions and NodeVolumeLimits. */
import type { NodeSelectorTerm } from '../../../src/domain/affinity.js';
import { podKey, type PodSpec } from '../../../src/domain/pod.js';
import type { StorageClass, VolumeUse } from '../../../src/domain/volume.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import type { Resident, Target } from './final-state.js';
import type { Findings } from './violation.js';
import { matchesSomeTerm, type Selectable } from './node-rules.js';

/** What one use of a volume comes down to. */
interface ResolvedVolume {
  /** Why no pod can use it, whatever the node. */
  readonly problem: string | undefined;
  readonly terms: readonly NodeSelectorTerm[] | undefined;
  readonly driver: string | undefined;
  readonly readWriteOncePod: boolean;
}

/** The volumes of a cluster, by the names that link them. */
export class Volumes {
  readonly #claims: ReadonlyMap<string, ClusterInput['persistentVolumeClaims'][number]>;
  readonly #volumes: ReadonlyMap<string, ClusterInput['persistentVolumes'][number]>;
  readonly #classes: ReadonlyMap<string, StorageClass>;
  readonly #defaultClass: StorageClass | undefined;

  constructor(input: ClusterInput) {
    this.#claims = new Map(input.persistentVolumeClaims.map((claim) => [claim.name, claim]));
    this.#volumes = new Map(input.persistentVolumes.map((volume) => [volume.name, volume]));
    this.#classes = new Map(input.storageClasses.map((item) => [item.name, item]));
    this.#defaultClass = input.storageClasses.find(({ isDefault }) => isDefault);
  }

  resolve(use: VolumeUse): ResolvedVolume {
    const claim = this.#claims.get(use.claim);
    if (claim === undefined && use.ephemeralClass === undefined)
      return unusable(`${use.claim} does not exist`);
    if (claim?.volumeName !== undefined) {
      const volume = this.#volumes.get(claim.volumeName);
      if (volume === undefined)
        return unusable(`${use.claim} is bound to ${claim.volumeName}, which is not there`);
      const { nodeAffinity: terms, driver } = volume;
      return { problem: undefined, terms, driver, readWriteOncePod: claim.readWriteOncePod };
    }
    // The claim of an ephemeral volume that names no class gets the default one.
    const className = claim === undefined ? use.ephemeralClass || undefined : claim.storageClassName;
    const storageClass = className === undefined ? this.#defaultClass : this.#classes.get(className);
    if (storageClass === undefined) return unusable(`${use.claim} is not bound and has no class`);
    if (storageClass.bindingMode === 'Immediate') return unusable(`${use.claim} is not bound yet`);
    return {
      problem: undefined,
      terms: storageClass.allowedTopologies,
      driver: storageClass.provisioner,
      readWriteOncePod: claim?.readWriteOncePod ?? false,
    };
  }

  /** Why the pod's volumes keep it off the node; undefined when they do not. */
  problem(spec: PodSpec, node: Selectable): string | undefined {
    for (const use of spec.volumes) {
      const { problem, terms } = this.resolve(use);
      if (problem !== undefined) return problem;
      if (!matchesSomeTerm(terms, node)) return `the volume of ${use.claim} cannot be used there`;
    }
    return undefined;
  }
}

function unusable(problem: string): ResolvedVolume {
  return { problem, terms: undefined, driver: undefined, readWriteOncePod: false };
}

/** The plan attaches no volume beyond what a driver can on a node; a volume that several pods use is attached once. */
export function checkAttachLimits(target: Target, volumes: Volumes, findings: Findings): void {
  const { residents, node, name } = target;
  const bound = residents.filter(({ placed }) => !placed);
  for (const [driver, limit] of node?.volumeLimits ?? []) {
    const before = attachedBy(bound, driver, volumes);
    const after = attachedBy(residents, driver, volumes);
    if (after > before && after > limit)
      findings.add('volume', name, `${String(after)} volumes of ${driver}, limit ${String(limit)}`);
  }
}

function attachedBy(residents: readonly Resident[], driver: string, volumes: Volumes): number {
  const uses = residents.flatMap(({ pod }) => pod.spec.volumes);
  const attached = uses.filter((use) => volumes.resolve(use).driver === driver);
  return new Set(attached.map(({ claim }) => claim)).size;
}

/** A ReadWriteOncePod claim is used by one pod in the whole cluster. */
export function checkReadWriteOncePod(
  targets: readonly Target[],
  volumes: Volumes,
  findings: Findings,
): void {
  const users = new Map<string, string>();
  const residents = targets.flatMap((target) => target.residents);
  const boundFirst = [...residents].sort((left, right) => Number(left.placed) - Number(right.placed));
  for (const { pod, placed } of boundFirst) {
    for (const use of pod.spec.volumes) {
      if (!volumes.resolve(use).readWriteOncePod) continue;
      const other = users.get(use.claim);
      if (other !== undefined && placed)
        findings.add('volume', podKey(pod), `${use.claim} is ReadWriteOncePod and ${other} uses it`);
      users.set(use.claim, podKey(pod));
    }
  }
}
