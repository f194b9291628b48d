/** A node class that is written inside a pool, as Provisioners had it, made an EC2NodeClass of its own. */
import * as z from 'zod';
import type { Rewrite } from '../decode/rewrite.js';
import { withRule } from '../decode/refuse.js';
import type { EC2NodeClassInput } from '../../clouds/aws/api/v1.js';
import { checkNodeTemplate, nodeClassFromTemplate, nodeTemplateFields } from '../../clouds/aws/api/v1alpha1.js';
import { NODE_CLASS_GROUP, NODE_CLASS_KIND } from './v1.js';

const provider = withRule(z.strictObject(nodeTemplateFields.inline), checkNodeTemplate);
const PROVIDER = ['spec', 'provider'];
const REF = ['spec', 'template', 'spec', 'nodeClassRef'];

/**
 * Takes `spec.provider` out of a NodePool that names no node class, and gives the EC2NodeClass that it describes, under
 * the pool's name. Nothing is taken that is no provider: it stays, to be refused.
 */
export function takeProvider(pool: Rewrite, isV1: boolean): readonly EC2NodeClassInput[] {
  const name = pool.get(['metadata', 'name']);
  const given = provider.safeParse(pool.get(PROVIDER));
  if (!given.success || typeof name !== 'string' || pool.get(REF) !== undefined) return [];
  pool.replace(PROVIDER, REF, isV1 ? { group: NODE_CLASS_GROUP, kind: NODE_CLASS_KIND, name } : { name });
  pool.warn(
    PROVIDER,
    `is an older spelling: write an EC2NodeClass, here read as EC2NodeClass/${name}, and name it in spec.template.spec.nodeClassRef`,
  );
  return [nodeClassFromTemplate({ name }, given.data)];
}
