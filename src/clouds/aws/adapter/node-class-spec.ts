/** The spec of a node class with all its defaults: what a launch is made of. */
import { ec2NodeClassV1, type EC2NodeClassDocument } from '../api/v1.js';
import type { NodeClassSource } from '../../../ports/cloud.js';
import { PortError } from '../../../ports/port-error.js';

export type NodeClassSpec = EC2NodeClassDocument['spec'];

/** @throws PortError Invalid, when the document is none that Berth would accept. */
export function nodeClassSpec({ nodeClass, document }: NodeClassSource): NodeClassSpec {
  const { success, data, error } = ec2NodeClassV1.safeParse(document);
  if (success) return data.spec;
  const [issue] = error.issues;
  throw new PortError('Invalid', {
    operation: `read EC2NodeClass ${nodeClass.name}`,
    message: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is no EC2NodeClass'}`,
  });
}
