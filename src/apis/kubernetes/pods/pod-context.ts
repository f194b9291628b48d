/** What a pod's meaning depends on besides the pod itself, and the specs that many pods share. */
import type { PodOwner, PodSpec } from '../../../domain/pods/pod.js';
import { TextPool } from '../../../domain/values/text-pool.js';
import type { StorageContext } from '../volumes/pod-volumes.js';
import { prioritiesOf, type Priorities } from './priority-class.js';

export interface PodContext {
  readonly priorities: Priorities;
  readonly storage: StorageContext;
  /** Gangs that listed PodGroups make; undefined where PodGroups are not known, or not all of them yet. */
  readonly podGroups?: ReadonlySet<string> | undefined;
  /** Specs read with these priorities and this storage. */
  readonly specs: SpecPool;
  /** Of nodes: many pods have the same. */
  readonly names: TextPool;
}

/** A context of its own pool; without arguments only the built-in PriorityClasses and no StorageClass are known. */
export function podContext(known: Partial<Omit<PodContext, 'specs' | 'names'>> = {}): PodContext {
  return {
    priorities: known.priorities ?? prioritiesOf([]),
    storage: known.storage ?? { defaultClass: '', claims: new Set() },
    podGroups: known.podGroups,
    specs: new SpecPool(),
    names: new TextPool(),
  };
}

/** Specs by what they were read from: pods of one template get one object, so that comparing them is cheap. */
export class SpecPool {
  /** Beyond these the pool starts again from nothing: sharing is an economy, not a promise. */
  static readonly #limits = { specs: 50_000, characters: 32_000_000 };
  /** A text longer than this is not kept: pods may be written so that no two are alike, each of 1.5 MiB. */
  static readonly #longest = 64_000;
  readonly #specs = new Map<string, PodSpec>();
  readonly #owners = new WeakMap<PodSpec, PodOwner>();
  #characters = 0;

  get(key: string): PodSpec | undefined {
    return this.#specs.get(key);
  }

  /** The owner as it was read last with this spec, where that is the same one. */
  ownerOf(spec: PodSpec, owner: PodOwner | undefined): PodOwner | undefined {
    if (owner === undefined) return undefined;
    const known = this.#owners.get(spec);
    if (known?.name === owner.name && known.kind === owner.kind) return known;
    this.#owners.set(spec, owner);
    return owner;
  }

  set(key: string, spec: PodSpec): void {
    if (key.length > SpecPool.#longest) return;
    const { specs, characters } = SpecPool.#limits;
    if (this.#specs.size >= specs || this.#characters + key.length > characters) {
      this.#specs.clear();
      this.#characters = 0;
    }
    if (!this.#specs.has(key)) this.#characters += key.length;
    this.#specs.set(key, spec);
  }
}
