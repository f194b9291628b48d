/**
 * Fingerprints of what a pool and a node class say about their nodes: a claim with another fingerprint than they have now has
 * drifted. What can be looked up on the node itself (requirements, images, subnets, security groups) is left out.
 */
import { policyHash } from '../../apis/berth/policy-hash.js';
import type { Labels } from '../../domain/values/labels.js';
import {
  NODECLASS_FIELDS_ANNOTATION,
  NODECLASS_HASH_ANNOTATION,
  NODECLASS_HASH_VERSION_ANNOTATION,
  NODEPOOL_FIELDS_ANNOTATION,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_HASH_VERSION_ANNOTATION,
  type NodeClaim,
} from '../../domain/nodes/node-claim.js';
import type { NodeClass } from '../../domain/policies/node-class.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import { encodeFields, nodeClassFields, nodePoolFields, taintTexts } from './template-fields.js';

/** Changes with what is counted in, so that a new Berth does not take its own change for a drift. */
export const HASH_VERSION = 'v1';

/** Of the pool's template, requirements aside; the order of taints and labels does not matter. */
export function nodePoolHash({ template }: NodePool): string {
  return policyHash({
    labels: Object.fromEntries(template.labels),
    annotations: Object.fromEntries(template.annotations),
    taints: taintTexts(template.taints),
    startupTaints: taintTexts(template.startupTaints),
    nodeClassRef: { ...template.nodeClassRef },
    expireAfter: template.expireAfterSeconds ?? null,
    terminationGracePeriod: template.terminationGracePeriodSeconds ?? null,
  });
}

/** Node classes are immutable, and asked about for every claim. */
const classHashes = new WeakMap<NodeClass, string>();

/** Of the class's spec with its defaults, so that writing a default down is no change. */
export function nodeClassHash(nodeClass: NodeClass): string {
  const known = classHashes.get(nodeClass);
  if (known !== undefined) return known;
  const hash = policyHash(nodeClass.template);
  classHashes.set(nodeClass, hash);
  return hash;
}

/** Whether a claim with this fingerprint was made of the class as it is, by this version of Berth or an earlier one. */
export function isNodeClassHash(hash: string | undefined, nodeClass: NodeClass): boolean {
  if (hash === nodeClassHash(nodeClass)) return true;
  const { formerTemplate } = nodeClass;
  return formerTemplate !== undefined && hash === policyHash(formerTemplate);
}

/** The annotations of a claim that is made of these now. */
export function hashAnnotations(pool: NodePool, nodeClass: NodeClass | undefined): Labels {
  const ofClass: readonly (readonly [string, string])[] =
    nodeClass === undefined
      ? []
      : [
          [NODECLASS_HASH_ANNOTATION, nodeClassHash(nodeClass)],
          [NODECLASS_HASH_VERSION_ANNOTATION, HASH_VERSION],
          [NODECLASS_FIELDS_ANNOTATION, encodeFields(nodeClassFields(nodeClass))],
        ];
  return new Map([
    [NODEPOOL_HASH_ANNOTATION, nodePoolHash(pool)],
    [NODEPOOL_HASH_VERSION_ANNOTATION, HASH_VERSION],
    [NODEPOOL_FIELDS_ANNOTATION, encodeFields(nodePoolFields(pool))],
    ...ofClass,
  ]);
}

/** Whether a claim has the fingerprint, of today's kind, so that it can be compared. `version` and `hash` are its annotations. */
export function hasFingerprint(
  { annotations }: Pick<NodeClaim, 'annotations'>,
  version: string,
  hash: string,
): boolean {
  return annotations.get(version) === HASH_VERSION && annotations.has(hash);
}
