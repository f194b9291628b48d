/**
 * What documents of EKS Auto Mode say that Berth cannot do: its NodeClass launches instances that AWS manages (EKS user guide,
 * "Create a Node Class for Amazon EKS"), and its fields are not those of an EC2NodeClass.
 */
import type { Findings } from '../../../apis/decode/findings.js';
import { plainObject, valueAt, withValueAt } from '../../../apis/decode/plain.js';
import type { Document } from '../../../apis/documents/document.js';
import { NODE_CLASS_GROUP, NODE_CLASS_KIND } from '../../../apis/node-pool/v1.js';

const GROUP = 'eks.amazonaws.com';
const KIND = 'NodeClass';
const WHAT = 'is the node class of EKS Auto Mode, whose instances only AWS can launch';
const REF = ['spec', 'template', 'spec', 'nodeClassRef'];

/** Whether it is a node class of EKS Auto Mode. */
export function isAutoModeNodeClass({ apiVersion, kind }: Pick<Document, 'apiVersion' | 'kind'>): boolean {
  return kind === KIND && apiVersion.startsWith(`${GROUP}/`);
}

/** Refuses a node class of EKS Auto Mode. */
export function refuseAutoModeNodeClass(findings: Findings): void {
  const text = `${GROUP} ${KIND} ${WHAT}; write an ${NODE_CLASS_KIND} (${NODE_CLASS_GROUP}/v1)`;
  findings.error({ code: 'unknown-kind', path: ['kind'], text });
}

/** Refuses a NodePool's reference to one, and gives the value with a reference that has no further faults. */
export function withoutAutoModeRef(value: unknown, findings: Findings): unknown {
  const ref = plainObject(valueAt(value, REF));
  if (ref?.['group'] !== GROUP) return value;
  const text = `names ${GROUP} ${KIND}, which ${WHAT}; write an ${NODE_CLASS_KIND} and name that: group ${NODE_CLASS_GROUP}, kind ${NODE_CLASS_KIND}`;
  findings.error({ code: 'invalid-value', path: REF, text });
  return withValueAt(value, REF, { ...ref, group: NODE_CLASS_GROUP, kind: NODE_CLASS_KIND });
}
