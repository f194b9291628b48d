/** Node classes of other products that people take for those of a cloud: refused with what to write instead. */
import type { Findings } from '../decode/findings.js';
import { plainObject, valueAt, withValueAt } from '../decode/plain.js';
import type { Document } from '../documents/document.js';
import type { MistakenNodeClass, NodeClassCodec } from './node-class-codec.js';
import { nodeClassCodecs } from './node-class-codecs.js';

const REF = ['spec', 'template', 'spec', 'nodeClassRef'];

type Head = Pick<Document, 'apiVersion' | 'kind'>;

export function isMistakenNodeClass(head: Head): boolean {
  return find((mistaken) => isOf(head, mistaken)) !== undefined;
}

/** Refuses a document that is one. */
export function refuseMistakenNodeClass(head: Head, findings: Findings): void {
  const found = find((mistaken) => isOf(head, mistaken));
  if (found === undefined) return;
  const { codec, mistaken } = found;
  const text = `${mistaken.group} ${mistaken.kind} ${mistaken.text}; write an ${codec.kind} (${codec.versions[0].apiVersion})`;
  findings.error({ code: 'unknown-kind', path: ['kind'], text });
}

/** Refuses a NodePool's reference to one, and gives the value with a reference that has no further faults. */
export function withoutMistakenRef(value: unknown, findings: Findings): unknown {
  const ref = plainObject(valueAt(value, REF));
  const found = find(({ group }) => ref?.['group'] === group);
  if (found === undefined) return value;
  const { codec, mistaken } = found;
  const { group, kind } = codec;
  const text = `names ${mistaken.group} ${mistaken.kind}, which ${mistaken.text}; write an ${kind} and name that: group ${group}, kind ${kind}`;
  findings.error({ code: 'invalid-value', path: REF, text });
  return withValueAt(value, REF, { ...ref, group, kind });
}

function isOf({ apiVersion, kind }: Head, mistaken: MistakenNodeClass): boolean {
  return kind === mistaken.kind && apiVersion.startsWith(`${mistaken.group}/`);
}

function find(
  isMeant: (mistaken: MistakenNodeClass) => boolean,
): { readonly codec: NodeClassCodec; readonly mistaken: MistakenNodeClass } | undefined {
  for (const codec of nodeClassCodecs()) {
    const { mistaken } = codec;
    if (mistaken !== undefined && isMeant(mistaken)) return { codec, mistaken };
  }
  return undefined;
}
