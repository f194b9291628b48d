/** What a cloud tells of its kind of node class, so that its documents are read, converted and explained like all others. */
import type * as z from 'zod';
import type { NodeClass, NodeClassKind } from '../../domain/policies/node-class.js';
import type { Finding, Findings } from '../decode/findings.js';
import type { RenamedField } from '../decode/renamed-field.js';
import type { Rewrite } from '../decode/rewrite.js';
import type { EnvelopeMetadata } from '../fields/metadata.js';
import type { DocumentPath } from '../issue.js';

/** A node class in the newest version of its kind, as a user would write it. */
export interface NodeClassObject {
  readonly apiVersion: string;
  readonly kind: NodeClassKind;
  readonly metadata: EnvelopeMetadata;
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * A version of the kind, an older kind that it replaced, or the kind of another product that says the same. The functions get
 * values that have passed the schema.
 */
export interface NodeClassVersion {
  readonly apiVersion: string;
  readonly kind: string;
  /** The product that it is of; undefined for versions of this kind. */
  readonly product?: string;
  /** Names that people use for it, in lower case. */
  readonly names?: readonly string[];
  readonly schema: z.ZodType;
  /** Fields that the newest version has elsewhere; undefined for the newest version. */
  readonly renamed?: readonly RenamedField[];
  /** Replaces spellings of other versions by those of this one. */
  respell?(document: Rewrite): void;
  /** The same in the newest version. */
  toCurrent(value: unknown): NodeClassObject;
  /** What to warn of. */
  notes?(value: unknown): readonly Finding[];
}

/** A node class as pools of old versions carried it inside them, in `provider`. */
export interface InlineNodeClass {
  readonly schema: z.ZodType;
  /** The node class of this name; the value has passed the schema. */
  toNodeClass(name: string, value: unknown): NodeClassObject;
  /** What to warn of in the value at this path. */
  notes(value: unknown, path: DocumentPath): readonly Finding[];
}

export interface NodeClassCodec {
  readonly group: string;
  readonly kind: NodeClassKind;
  /** The newest first. */
  readonly versions: readonly [NodeClassVersion, ...NodeClassVersion[]];
  /** Reads an object that has passed the schema of the newest version. */
  decode(object: NodeClassObject): NodeClass;
  /** Adds what is allowed but will hurt. */
  warn?(nodeClass: NodeClass, findings: Findings): void;
  /** The object with these settings of the kubelet in place of its own; undefined where the kind has none. */
  withKubelet?(object: NodeClassObject, kubelet: Readonly<Record<string, unknown>>): NodeClassObject;
  readonly inline?: InlineNodeClass;
  /** Has a NodePool of another product name this kind, and its labels. */
  respellPool?(pool: Rewrite): void;
}

/** What names the kind in a NodePool's nodeClassRef. */
export type NodeClassRefKind = Pick<NodeClassCodec, 'group' | 'kind'>;
