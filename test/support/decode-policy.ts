/** One policy document of any version decoded, as `berth validate` and the policy ConfigMaps do with all of theirs. */
import { decodeCurrent, type DecodedPolicy } from '../../src/apis/conversion/decode-policy.js';
import { mergeKubelets } from '../../src/apis/conversion/merge-kubelets.js';
import { upgrade } from '../../src/apis/conversion/upgrade.js';
import type { Document } from '../../src/apis/documents/document.js';
import type { Issue } from '../../src/apis/issue.js';

export interface DecodedPolicies {
  /** One, or two where a pool carried its node class within; empty when the document has errors. */
  readonly policies: readonly DecodedPolicy[];
  readonly issues: readonly Issue[];
}

/** Reads a policy of any version. Never throws: what is wrong becomes issues. */
export function decodePolicy(document: Document): DecodedPolicies {
  const { objects, issues } = upgrade(document);
  return { policies: mergeKubelets(objects).map(decodeCurrent), issues };
}
