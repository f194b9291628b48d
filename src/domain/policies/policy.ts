/** Policy documents as they stand in ConfigMaps, and what Berth made of them (PolicyStatus). */
import type { Condition } from '../values/condition.js';
import type { Labels } from '../values/labels.js';
import { isNodeClassKind, type NodeClass, type NodeClassKind } from './node-class.js';
import type { NodeOverlay } from './node-overlay.js';
import type { NodePool } from './node-pool.js';
import type { PodDefaults } from './pod-defaults.js';
import type { PoolScale } from './pool-scale.js';
import type { ResolvedObjects } from './resolved-objects.js';
import type { ResourceList } from '../values/resources.js';

/** The kinds of policies that do not depend on the cloud. */
export const COMMON_POLICY_KINDS = ['NodePool', 'NodeOverlay', 'PodDefaults'] as const;

/** Those, and the node classes of clouds. */
export type PolicyKind = (typeof COMMON_POLICY_KINDS)[number] | NodeClassKind;

export function isPolicyKind(kind: string): kind is PolicyKind {
  return isNodeClassKind(kind) || COMMON_POLICY_KINDS.some((common) => common === kind);
}

/** Whether nodes are made of policies of this kind: when their document is gone, nodes are left of it. */
export function hasNodes(kind: PolicyKind): boolean {
  return kind === 'NodePool' || isNodeClassKind(kind);
}

/** Any JSON object; never mutated. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A document's meaning. */
export type PolicyValue =
  | { readonly kind: 'NodePool'; readonly nodePool: NodePool }
  | { readonly kind: NodeClassKind; readonly nodeClass: NodeClass }
  | { readonly kind: 'NodeOverlay'; readonly nodeOverlay: NodeOverlay }
  | { readonly kind: 'PodDefaults'; readonly podDefaults: PodDefaults };

/** Where a document stands. */
export interface PolicySource {
  readonly configMap: string;
  readonly key: string;
}

/** Whether it is a custom resource of another system, as Berth reads them while it observes: nodepools.karpenter.sh/general. */
export function isCustomResource({ configMap }: PolicySource): boolean {
  return configMap.includes('/');
}

/** Where it stands, in words. */
export function describeSource(source: PolicySource): string {
  return isCustomResource(source) ? source.configMap : `ConfigMap ${source.configMap} (key ${source.key})`;
}

export interface PolicyDocument {
  readonly kind: PolicyKind;
  readonly name: string;
  readonly source: PolicySource;
  /** The document as v1 JSON, defaults not applied; what PolicyStatus keeps as spec.lastAccepted. */
  readonly document: JsonObject;
  /** Of `document`: equal documents have equal hashes. */
  readonly hash: string;
  /** undefined when the document has errors. */
  readonly value: PolicyValue | undefined;
  /** Sentences with line and column. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** A ConfigMap labelled berth.sh/policy in Berth's namespace. */
export interface PolicyConfigMap {
  readonly name: string;
  readonly resourceVersion: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly documents: readonly PolicyDocument[];
  /** What is wrong with texts that are no document at all. */
  readonly errors: readonly string[];
}

/** The last document of a name that Berth accepted. */
export interface AcceptedPolicy {
  readonly source: PolicySource;
  readonly document: JsonObject;
  readonly hash: string;
  /** undefined when a later version of Berth can no longer read it. */
  readonly value: PolicyValue | undefined;
}

export interface PolicyStatus {
  /** `<kind in lower case>.<name>`. */
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly annotations: Labels;
  readonly kind: PolicyKind;
  readonly policy: string;
  readonly lastAccepted: AcceptedPolicy | undefined;
  /** Of a static NodePool. */
  readonly scale?: PoolScale | undefined;
  readonly conditions: readonly Condition[];
  /** Of a pool: what its nodes have together, `nodes` among them. */
  readonly resources: ResourceList;
  /** Of a NodePool: how many of its NodeClaims have the condition Drifted. */
  readonly driftedNodes: number;
  /** Of a node class: what it has selected; undefined until the cloud has said so, and where nodes have no such things. */
  readonly resolved?: ResolvedObjects | undefined;
}

/** On a PolicyStatus whose document is gone: `drain` takes its nodes away, `orphan` leaves them to the user. */
export const DELETE_ANNOTATION = 'berth.sh/delete';

/** The name of a document's PolicyStatus. */
export function policyStatusName(kind: string, name: string): string {
  return `${kind.toLowerCase()}.${name}`;
}
