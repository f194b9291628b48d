/** How many volumes nodes say can be attached to them, for the types of nodes of the same pool that are yet to come. */
import type { InstanceType } from '../../domain/nodes/instance-type.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { INSTANCE_TYPE, NODEPOOL } from '../../domain/values/labels.js';
import type { Cluster } from '../cluster/cluster.js';

type VolumeLimits = ObservedNode['volumeLimits'];

/** What the newest node of a type says, or said before it went. */
interface Said {
  readonly createdAt: number;
  readonly volumeLimits: VolumeLimits;
}

interface PoolLimits {
  /** By the name of the type. */
  readonly byType: Map<string, Said>;
  /** Lists of types → the same with them; forgotten once they have changed. */
  made: WeakMap<readonly InstanceType[], readonly InstanceType[]>;
}

/** Lives as long as its cluster. The newest node counts: drivers count again when they restart, and then find more attached. */
export class ObservedVolumeLimits {
  readonly #byPool = new Map<string, PoolLimits>();

  constructor({ nodes }: Pick<Cluster, 'nodes'>) {
    for (const node of nodes.values()) this.#hear(node);
    nodes.subscribe(({ before, after }) => {
      if (after !== undefined && before?.volumeLimits !== after.volumeLimits) this.#hear(after);
    });
  }

  /** The types with what nodes of the pool have said; the same list for the same list while nothing else is said. */
  of(types: readonly InstanceType[], poolName: string): readonly InstanceType[] {
    const pool = this.#byPool.get(poolName);
    if (pool === undefined) return types;
    const made = pool.made.get(types) ?? types.map((type) => withSaid(type, pool.byType.get(type.name)));
    pool.made.set(types, made);
    return made;
  }

  #hear({ labels, createdAt, volumeLimits }: ObservedNode): void {
    const poolName = labels.get(NODEPOOL);
    const type = labels.get(INSTANCE_TYPE);
    if (volumeLimits.size === 0 || poolName === undefined || type === undefined) return;
    const pool = this.#byPool.get(poolName) ?? { byType: new Map<string, Said>(), made: new WeakMap() };
    this.#byPool.set(poolName, pool);
    const before = pool.byType.get(type);
    if (before !== undefined && before.createdAt > createdAt) return;
    if (before !== undefined && saysAll(before.volumeLimits, volumeLimits)) {
      pool.byType.set(type, { ...before, createdAt });
      return;
    }
    pool.byType.set(type, {
      createdAt,
      volumeLimits: new Map([...(before?.volumeLimits ?? []), ...volumeLimits]),
    });
    pool.made = new WeakMap();
  }
}

function withSaid(type: InstanceType, said: Said | undefined): InstanceType {
  const expected = type.volumeLimits ?? NO_LIMITS;
  if (said === undefined || saysAll(expected, said.volumeLimits)) return type;
  return { ...type, volumeLimits: new Map([...expected, ...said.volumeLimits]) };
}

const NO_LIMITS: VolumeLimits = new Map();

/** Whether what is known says as much as what is heard. */
function saysAll(known: VolumeLimits, heard: VolumeLimits): boolean {
  return [...heard].every(([driver, limit]) => known.get(driver) === limit);
}
