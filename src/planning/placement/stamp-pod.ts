/** What the webhook changes in a pod that is just being created, and on whose behalf. */
import { POD_DEFAULTS } from '../../apis/pod-defaults/defaults.js';
import type { PodDefault, Stamp, StampedPod } from '../../apis/pod-defaults/pod-default.js';
import {
  listIn,
  submittedPod,
  textIn,
  textsIn,
  withAddition,
  type SubmittedPod,
} from '../../apis/pod-defaults/submitted-pod.js';
import { selects } from '../../domain/values/label-selector.js';
import type { Labels } from '../../domain/values/labels.js';
import type { DemandTerms } from '../../domain/pods/demand.js';
import type { PodDefaults } from '../../domain/policies/pod-defaults.js';
import { stampPatch, type PatchOperation } from './stamp-pod-patch.js';

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
  /** Whether the Lease of Berth's leader is fresh. */
  readonly isLed: boolean;
  /** Berth's own namespace. */
  readonly ownNamespace: string;
  /** Which pods Berth plans. */
  readonly demandTerms: DemandTerms;
}

export interface Stamping {
  /** Why the pod is left alone, whatever the documents say. */
  readonly exempt: Exemption | undefined;
  /** JSON patch (RFC 6902); empty when nothing changes. */
  readonly patch: readonly PatchOperation[];
  /** Stamped field → name of the PodDefaults. */
  readonly stamped: ReadonlyMap<string, string>;
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
  const pod = submittedPod(request.pod);
  const exempt = pod === undefined ? 'Malformed' : exemption(pod, request);
  if (pod === undefined || exempt !== undefined)
    return { exempt, patch: [], stamped: new Map(), warnings: [] };
  let draft: Draft = {
    pod: {
      ...pod,
      schedulerRuns: request.schedulerRuns,
      isLed: request.isLed,
      demandTerms: request.demandTerms,
    },
    decided: new Set(),
  };
  const podLabels = textsIn(pod.metadata, 'labels');
  const byDefault: Stamp[][] = DEFAULTS.map(() => []);
  const record = new Map<string, string>();
  const warnings: string[] = [];
  for (const document of request.podDefaults) {
    if (!isMeant(document, podLabels, request)) continue;
    const { stamps, next } = applied(document, draft);
    if (document.mode === 'warn') {
      const what = stamps.flat().map(({ text }) => text);
      if (what.length > 0)
        warnings.push(`PodDefaults ${document.name} (mode warn) would stamp ${what.join(', ')}`);
      continue;
    }
    draft = next;
    for (const [index, own] of stamps.entries()) {
      byDefault[index]?.push(...own);
      for (const { field } of own) record.set(field, document.name);
    }
  }
  return { exempt, patch: stampPatch(pod, byDefault, record, STAMPED_ANNOTATION), stamped: record, warnings };
}

const DEFAULTS: readonly PodDefault[] = Object.values(POD_DEFAULTS);

/** The pod while documents are applied to it. */
interface Draft {
  readonly pod: StampedPod;
  /** Defaults that no later document may decide. */
  readonly decided: ReadonlySet<PodDefault>;
}

/** What the document adds for each default, and the pod with it. */
function applied(
  document: PodDefaults,
  { pod, decided }: Draft,
): { readonly stamps: readonly (readonly Stamp[])[]; readonly next: Draft } {
  let current = pod;
  const nowDecided = new Set(decided);
  const stamps = DEFAULTS.map((each) => {
    const own = decided.has(each) ? undefined : each.stamps(document, current);
    if (own === undefined) return [];
    if (each.decidesOnce === true) nowDecided.add(each);
    for (const { addition } of own) current = { ...current, ...withAddition(current, addition) };
    return own;
  });
  return { stamps, next: { pod: current, decided: nowDecided } };
}

/** Why a pod is left alone. */
export type Exemption =
  'Namespace' | 'Ignored' | 'Mirror' | 'DaemonSet' | 'Bound' | 'ForeignScheduler' | 'Malformed';

/** As label or annotation of a pod, `"true"`. */
const IGNORE = 'berth.sh/ignore';
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** The first reason to leave the pod alone; undefined when it may be stamped. */
function exemption(
  { metadata, spec }: SubmittedPod,
  { namespace, ownNamespace, demandTerms }: Pick<StampRequest, 'namespace' | 'ownNamespace' | 'demandTerms'>,
): Exemption | undefined {
  // What runs there must start when Berth does not.
  if (namespace === 'kube-system' || namespace === ownNamespace) return 'Namespace';
  const annotations = textsIn(metadata, 'annotations');
  if (textsIn(metadata, 'labels').get(IGNORE) === 'true' || annotations.get(IGNORE) === 'true')
    return 'Ignored';
  if (annotations.has(MIRROR_ANNOTATION)) return 'Mirror';
  const owners = listIn(metadata, 'ownerReferences') ?? [];
  if (owners.some((owner) => textIn(owner, 'kind') === 'DaemonSet')) return 'DaemonSet';
  if (textIn(spec, 'nodeName') !== '') return 'Bound';
  const schedulerName = textIn(spec, 'schedulerName');
  const isOwn = schedulerName === '' || demandTerms.schedulers.includes(schedulerName);
  return isOwn ? undefined : 'ForeignScheduler';
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
