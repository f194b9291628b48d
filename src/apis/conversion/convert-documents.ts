/** `berth convert`: policies of any version as plain objects of the newest one. */
import type { Document } from '../documents/document.js';
import type { Issue } from '../issue.js';
import { mergeKubelets } from './merge-kubelets.js';
import type { CurrentObject } from './policy-kinds.js';
import { isPolicy, upgrade } from './upgrade.js';

export interface Converted {
  /** JSON-able objects as a user would write them: no status, nothing that the API server adds, no defaults. */
  readonly documents: readonly CurrentObject[];
  readonly issues: readonly Issue[];
}

/**
 * Converts documents that belong together: kubelet settings of older pools go into the node classes that they name.
 * Documents that are no policies are left out. Decoding the result gives what decoding the documents gives.
 */
export function convertDocuments(documents: readonly Document[]): Converted {
  const upgraded = documents.filter(isPolicy).map(upgrade);
  return {
    documents: mergeKubelets(upgraded.flatMap((item) => item.objects)),
    issues: upgraded.flatMap((item) => item.issues),
  };
}
