/** A node class that is written inside a pool, as Provisioners had it, made a node class of its own. */
import type { Rewrite } from '../decode/rewrite.js';
import type { NodeClassCodec, NodeClassObject } from '../node-class/node-class-codec.js';

const PROVIDER = ['spec', 'provider'];
const REF = ['spec', 'template', 'spec', 'nodeClassRef'];

/**
 * Takes `spec.provider` out of a NodePool that names no node class, and gives the node class that it describes, under
 * the pool's name. Nothing is taken that is no provider: it stays, to be refused.
 */
export function takeProvider(
  pool: Rewrite,
  isV1: boolean,
  { group, kind, inline }: NodeClassCodec,
): readonly NodeClassObject[] {
  const name = pool.get(['metadata', 'name']);
  const given = inline?.schema.safeParse(pool.get(PROVIDER));
  if (inline === undefined || given?.success !== true) return [];
  if (typeof name !== 'string' || pool.get(REF) !== undefined) return [];
  pool.replace(PROVIDER, REF, isV1 ? { group, kind, name } : { name });
  pool.warn(
    PROVIDER,
    `is an older spelling: write a node class, here read as ${kind}/${name}, and name it in spec.template.spec.nodeClassRef`,
  );
  return [inline.toNodeClass(name, given.data)];
}
