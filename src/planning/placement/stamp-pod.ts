/** What the webhook changes in a pod that is just being created, and on whose behalf. */
import { selects } from '../../domain/values/label-selector.js';
import type { Labels } from '../../domain/values/labels.js';
import type { PodDefaults } from '../../domain/policies/pod-defaults.js';
import { exemption, type Exemption } from './stamp-pod-exemption.js';
import { formatStamp, PodDraft, recordedField, type Stamp } from './stamp-pod-draft.js';
import { stampPatch, type PatchOperation } from './stamp-pod-patch.js';
import { viewPod } from './stamp-pod-view.js';

export interface StampRequest {
  /** The pod as it was submitted, so far: core/v1 as JSON. Its name and namespace may still be missing. */
  readonly pod: unknown;
  readonly namespace: string;
  /** undefined while the namespace has not been seen: then only documents that its name decides about apply. */
  readonly namespaceLabels: Labels | undefined;
  /** All that are in force, in the order of `byPriority`. */
  readonly podDefaults: readonly PodDefaults[];
  /** Whether the Lease of berth-scheduler is fresh. */
  readonly schedulerRuns: boolean;
  /** Berth's own namespace. */
  readonly ownNamespace: string;
}

export interface Stamping {
  /** Why the pod is left alone, whatever the documents say. */
  readonly exempt: Exemption | undefined;
  /** JSON patch (RFC 6902); empty when nothing changes. */
  readonly patch: readonly PatchOperation[];
  /** What documents in mode warn would have stamped, one sentence each. */
  readonly warnings: readonly string[];
}

/** Stamped field → name of the PodDefaults, as JSON. */
export const STAMPED_ANNOTATION = 'berth.sh/stamped';

/** Highest priority first; names decide between equals, so that every replica answers alike. */
export function byPriority(left: PodDefaults, right: PodDefaults): number {
  if (left.priority !== right.priority) return right.priority - left.priority;
  return left.name < right.name ? -1 : Number(left.name > right.name);
}

/**
 * Applies all documents that match, one after the other; what the pod says, or an earlier document has set, stays. A pod
 * with the patch applied gets no further patch.
 */
export function stampPod(request: StampRequest): Stamping {
  const view = viewPod(request.pod);
  const exempt = view === undefined ? 'Malformed' : exemption(view, request);
  if (view === undefined || exempt !== undefined) return { exempt, patch: [], warnings: [] };
  const draft = new PodDraft(view, request.schedulerRuns);
  const stamps: Stamp[] = [];
  const record = new Map<string, string>();
  const warnings: string[] = [];
  for (const document of request.podDefaults) {
    if (!isMeant(document, view.labels, request)) continue;
    const missing = draft.missing(document);
    if (missing.stamps.length === 0 && document.mode === 'warn') continue;
    if (document.mode === 'warn') {
      const what = missing.stamps.map(formatStamp).join(', ');
      warnings.push(`PodDefaults ${document.name} (mode warn) would stamp ${what}`);
      continue;
    }
    draft.take(missing);
    stamps.push(...missing.stamps);
    for (const stamp of missing.stamps) record.set(recordedField(stamp), document.name);
  }
  return { exempt, patch: stampPatch(view, stamps, record, STAMPED_ANNOTATION), warnings };
}

/** Every namespace has its name as a label. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

function isMeant(
  { namespaceSelector, podSelector }: PodDefaults,
  podLabels: Labels,
  { namespace, namespaceLabels }: StampRequest,
): boolean {
  if (!selects(podSelector, podLabels)) return false;
  if (namespaceLabels !== undefined) return selects(namespaceSelector, namespaceLabels);
  const keys = [...namespaceSelector.requirements.keys()];
  if (keys.some((key) => key !== NAMESPACE_NAME)) return false;
  return selects(namespaceSelector, new Map([[NAMESPACE_NAME, namespace]]));
}
