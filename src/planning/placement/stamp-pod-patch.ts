/** Stamps as the smallest JSON patch (RFC 6902) that makes them: it adds, and never replaces what others put there. */
import { plainObject } from '../../apis/decode/plain.js';
import type { StampedToleration } from '../../domain/policies/pod-defaults.js';
import type { Stamp } from './stamp-pod-draft.js';
import type { PatchedParent, PodView } from './stamp-pod-view.js';

export interface PatchOperation {
  readonly op: 'add';
  /** JSON pointer (RFC 6901). */
  readonly path: string;
  readonly value: unknown;
}

/** Most bytes that all annotations of an object may have, keys included (apimachinery: TotalAnnotationSizeLimitB). */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** The patch for a pod, with the record of who stamped what in an annotation; empty when there are no stamps. */
export function stampPatch(
  pod: PodView,
  stamps: readonly Stamp[],
  record: ReadonlyMap<string, string>,
  annotation: string,
): readonly PatchOperation[] {
  if (stamps.length === 0) return [];
  const labels = stamps.flatMap((stamp): Entry[] =>
    stamp.kind === 'nodeSelector' ? [[stamp.key, stamp.value]] : [],
  );
  const constraints = stamps.flatMap((stamp) => (stamp.kind === 'spread' ? [constraintOf(stamp)] : []));
  const tolerations = stamps.flatMap((stamp) =>
    stamp.kind === 'toleration' ? [tolerationOf(stamp.toleration)] : [],
  );
  const schedulers = stamps.flatMap((stamp) => (stamp.kind === 'schedulerName' ? [stamp.name] : []));
  return [
    ...addEntries(pod, 'nodeSelector', '/spec/nodeSelector', labels),
    ...addItems(pod, 'topologySpreadConstraints', constraints),
    ...addItems(pod, 'tolerations', tolerations),
    // The API server has set the default by now; RFC 6902 lets `add` put another in its place.
    ...schedulers.map((name) => add('/spec/schedulerName', name)),
    ...addEntries(pod, 'annotations', '/metadata/annotations', recordEntry(pod, record, annotation)),
  ];
}

type Entry = readonly [key: string, value: string];

function add(path: string, value: unknown): PatchOperation {
  return { op: 'add', path, value };
}

/** Into an object: one by one where it is there, all at once where it is not. */
function addEntries(
  pod: PodView,
  parent: PatchedParent,
  path: string,
  entries: readonly Entry[],
): readonly PatchOperation[] {
  if (entries.length === 0) return [];
  if (!pod.present.has(parent)) return [add(path, Object.fromEntries(entries))];
  return entries.map(([key, value]) => add(`${path}/${escaped(key)}`, value));
}

/** At the end of a list. */
function addItems(pod: PodView, parent: PatchedParent, items: readonly unknown[]): readonly PatchOperation[] {
  if (items.length === 0) return [];
  if (!pod.present.has(parent)) return [add(`/spec/${parent}`, items)];
  return items.map((item) => add(`/spec/${parent}/-`, item));
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function constraintOf({
  topologyKey,
  spread,
  selector,
}: Extract<Stamp, { readonly kind: 'spread' }>): object {
  const { matchLabels, matchLabelKeys } = selector;
  return {
    maxSkew: spread.maxSkew,
    topologyKey,
    whenUnsatisfiable: spread.whenUnsatisfiable,
    labelSelector: { matchLabels: Object.fromEntries(matchLabels) },
    ...(matchLabelKeys.length > 0 && { matchLabelKeys }),
  };
}

function tolerationOf({ key, operator, value, effect, tolerationSeconds }: StampedToleration): object {
  return {
    ...(key !== '' && { key }),
    operator,
    ...(value !== '' && { value }),
    ...(effect !== undefined && { effect }),
    ...(tolerationSeconds !== undefined && { tolerationSeconds }),
  };
}

/** What was recorded before stays. Where there is no room left for the record, the pod goes without it. */
function recordEntry(
  { annotations }: PodView,
  record: ReadonlyMap<string, string>,
  annotation: string,
): readonly Entry[] {
  const text = JSON.stringify(Object.fromEntries([...recorded(annotations.get(annotation)), ...record]));
  const others = [...annotations].filter(([key]) => key !== annotation);
  const bytes = [...others, [annotation, text]].flat().reduce((sum, part) => sum + byteLength(part), 0);
  return bytes > MAX_ANNOTATION_BYTES ? [] : [[annotation, text]];
}

function recorded(text: string | undefined): readonly Entry[] {
  return Object.entries(plainObject(parsed(text)) ?? {}).flatMap(([field, name]) =>
    typeof name === 'string' ? [[field, name] as const] : [],
  );
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return undefined;
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
