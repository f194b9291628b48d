/** kube-scheduler's rules about volumes: VolumeBinding, VolumeZone, VolumeRestrictions and NodeVolumeLimits. */
import type { NodeSelectorTerm } from '../../../src/domain/pods/affinity.js';
import { podKey, type PodSpec } from '../../../src/domain/pods/pod.js';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeUse,
} from '../../../src/domain/pods/volume.js';
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
  readonly #claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly #volumes: ReadonlyMap<string, PersistentVolume>;
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
    if (claim?.volumeName !== undefined) return this.#resolveBound(claim, claim.volumeName);
    if (claim !== undefined) return this.#resolveUnbound(claim);
    if (use.ephemeralClass === undefined) return unusable(`${use.claim} does not exist`);
    // The claim of an ephemeral volume that names no class gets the default one.
    const storageClassName = use.ephemeralClass === '' ? undefined : use.ephemeralClass;
    return this.#resolveUnbound({ name: use.claim, storageClassName, readWriteOncePod: false });
  }

  #resolveBound({ name, readWriteOncePod }: PersistentVolumeClaim, volumeName: string): ResolvedVolume {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) return unusable(`${name} is bound to ${volumeName}, which is not there`);
    const { nodeAffinity: terms, driver } = volume;
    return { problem: undefined, terms, driver, readWriteOncePod };
  }

  /** A volume is made once its pod has a node, where the class says it can be. */
  #resolveUnbound(claim: Omit<PersistentVolumeClaim, 'volumeName'>): ResolvedVolume {
    const { name, storageClassName, readWriteOncePod } = claim;
    const storageClass =
      storageClassName === undefined ? this.#defaultClass : this.#classes.get(storageClassName);
    if (storageClass === undefined) return unusable(`${name} is not bound and has no class`);
    if (storageClass.bindingMode === 'Immediate') return unusable(`${name} is not bound yet`);
    const { allowedTopologies: terms, provisioner: driver } = storageClass;
    return { problem: undefined, terms, driver, readWriteOncePod };
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

/** The plan attaches no volume beyond what a driver can on a node, or on any type that a claim lists; a volume that several pods use is attached once. */
export function checkAttachLimits(target: Target, volumes: Volumes, findings: Findings): void {
  const { residents, node, name, landings } = target;
  const bound = residents.filter(({ placed }) => !placed);
  const types = landings.map(({ launch }) => launch?.type.volumeLimits ?? NO_LIMITS);
  const limits = node === undefined ? types.flatMap((each) => [...each]) : [...node.volumeLimits];
  for (const [driver, limit] of new Map(limits.sort(([, left], [, right]) => right - left))) {
    const before = attachedBy(bound, driver, volumes);
    const after = attachedBy(residents, driver, volumes);
    if (after > before && after > limit)
      findings.add('volume', name, `${String(after)} volumes of ${driver}, limit ${String(limit)}`);
  }
}

const NO_LIMITS: ReadonlyMap<string, number> = new Map();

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
