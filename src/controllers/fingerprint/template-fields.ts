/**
 * The fields of a NodePool's template and of a node class, as a claim remembers them from its launch, so that a Drifted
 * condition can name each field that changed with its old and its new value. Whether a claim has drifted is decided by the
 * hashes beside them; these are for people.
 */
import { createHash } from 'node:crypto';
import { formatPath } from '../../apis/decode/format-path.js';
import { formatDuration } from '../../apis/fields/duration.js';
import type { DocumentPath } from '../../apis/issue.js';
import type { NodeClass } from '../../domain/policies/node-class.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import { formatTaint, type Taint } from '../../domain/values/taint.js';

/** Path, as `spec.kubelet.maxPods`, to value; a value that is long or secret is stored as its hash only. */
export type TemplateFields = ReadonlyMap<string, string>;

/** Characters of a value that are remembered; of a longer one its hash. */
const LONGEST_VALUE = 120;
const HASH_PREFIX = 'sha256:';
/** Fields that one message names; the rest are counted. */
const MOST_NAMED = 5;

/** Fields of a pool's template that a change of makes drift; taints in one order. */
export function nodePoolFields({ template }: NodePool): TemplateFields {
  const { labels, annotations, nodeClassRef, expireAfterSeconds, terminationGracePeriodSeconds } = template;
  const fields = new Map<string, string>();
  const metadata = ['spec', 'template', 'metadata'];
  const spec = ['spec', 'template', 'spec'];
  for (const [key, value] of labels) put(fields, [...metadata, 'labels', key], value);
  for (const [key, value] of annotations) put(fields, [...metadata, 'annotations', key], value);
  put(fields, [...spec, 'taints'], taintTexts(template.taints));
  put(fields, [...spec, 'startupTaints'], taintTexts(template.startupTaints));
  put(fields, [...spec, 'nodeClassRef'], { ...nodeClassRef });
  put(fields, [...spec, 'expireAfter'], formatDuration(expireAfterSeconds));
  put(fields, [...spec, 'terminationGracePeriod'], formatDuration(terminationGracePeriodSeconds));
  return fields;
}

/** Taints as text, in an order that does not depend on how they were written. */
export function taintTexts(taints: readonly Taint[]): readonly string[] {
  return taints.map(formatTaint).sort();
}

/** Fields of a class that a change of makes drift, down to single values; lists whole. */
export function nodeClassFields({ template, formerTemplate, secretFields }: NodeClass): TemplateFields {
  const fields = new Map<string, string>();
  // Claims of earlier versions remember these.
  put(fields, ['spec'], formerTemplate ?? template, secretFields);
  return fields;
}

/** Annotations are read by many: of secret fields they hold the hash. */
function put(
  fields: Map<string, string>,
  path: DocumentPath,
  value: unknown,
  secret: readonly string[] = [],
): void {
  if (value === undefined || value === null) return;
  if (typeof value === 'object' && !Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value)) put(fields, [...path, key], inner, secret);
    return;
  }
  const name = formatPath(path);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isHidden = secret.includes(name) || text.length > LONGEST_VALUE;
  fields.set(name, isHidden ? `${HASH_PREFIX}${createHash('sha256').update(text).digest('hex')}` : text);
}

/** As the value of an annotation. */
export function encodeFields(fields: TemplateFields): string {
  return JSON.stringify(Object.fromEntries(fields));
}

/** What an annotation holds; undefined when it is missing or was not written by {@link encodeFields}. */
export function decodeFields(text: string | undefined): TemplateFields | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries: readonly [string, unknown][] = Object.entries(value);
    return new Map(entries.flatMap(([key, of]) => (typeof of === 'string' ? [[key, of] as const] : [])));
  } catch {
    return undefined;
  }
}

/** `spec.kubelet.maxPods from 58 to 110; spec.userData changed`; '' when no field differs. */
export function describeChanges(before: TemplateFields, now: TemplateFields): string {
  const paths = [...new Set([...before.keys(), ...now.keys()])].sort();
  const changed = paths.filter((path) => before.get(path) !== now.get(path));
  const named = changed
    .slice(0, MOST_NAMED)
    .map((path) => describeChange(path, before.get(path), now.get(path)));
  const rest = changed.length - named.length;
  return [...named, ...(rest > 0 ? [`${String(rest)} more fields`] : [])].join('; ');
}

function describeChange(path: string, before: string | undefined, now: string | undefined): string {
  if ([before, now].some((value) => value?.startsWith(HASH_PREFIX) === true)) return `${path} changed`;
  return `${path} from ${shown(before)} to ${shown(now)}`;
}

function shown(value: string | undefined): string {
  if (value === undefined) return 'unset';
  return value === '' || value.includes(' ') ? JSON.stringify(value) : value;
}
