/** What a pod's meaning depends on besides the pod itself, and the specs that many pods share. */
import type { PodSpec } from '../../domain/pod.js';
import type { StorageContext } from './pod-volumes.js';
import { prioritiesOf, type Priorities } from './priority-class.js';

export interface PodContext {
  readonly priorities: Priorities;
  readonly storage: StorageContext;
  /** Gangs that listed PodGroups make; undefined where PodGroups are not known, or not all of them yet. */
  readonly podGroups?: ReadonlySet<string> | undefined;
  /** Specs read with these priorities and this storage. */
  readonly specs: SpecPool;
}

/** A context of its own pool; without arguments only the built-in PriorityClasses and no StorageClass are known. */
export function podContext(known: Partial<Omit<PodContext, 'specs'>> = {}): PodContext {
  return {
    priorities: known.priorities ?? prioritiesOf([]),
    storage: known.storage ?? { defaultClass: '', claims: new Set() },
    podGroups: known.podGroups,
    specs: new SpecPool(),
  };
}

/** Specs by what they were read from: pods of one template get one object, so that comparing them is cheap. */
export class SpecPool {
  /** Beyond this the pool starts anew: sharing is an economy, not a promise. */
  static readonly #limit = 50_000;
  readonly #specs = new Map<string, PodSpec>();

  get(key: string): PodSpec | undefined {
    return this.#specs.get(key);
  }

  set(key: string, spec: PodSpec): void {
    if (this.#specs.size >= SpecPool.#limit) this.#specs.clear();
    this.#specs.set(key, spec);
  }
}
