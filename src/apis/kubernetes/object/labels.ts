/** Labels and annotations of objects, and label keys that refer to labels of nodes. */
import {
  canonicalLabel,
  isLabelKey,
  isLabelValue,
  NO_LABELS,
  type Labels,
} from '../../../domain/values/labels.js';
import { describeValue } from '../../documents/part.js';
import { elements, members, optionalText, refuse, refuseMissing, type Field } from './field.js';

/** Labels that the API server would accept; others are reported and left out. */
export function readLabels(field: Field): Labels {
  if (field.value === undefined) return NO_LABELS;
  const labels = new Map<string, string>();
  for (const entry of members(field)) {
    const key = String(entry.key);
    const value = optionalText(entry) ?? '';
    if (!isLabelKey(key)) refuse(entry, NOT_A_KEY, { at: 'key' });
    else if (!isLabelValue(value)) refuse(entry, `${NOT_A_VALUE}, not ${describeValue(value)}`);
    else labels.set(key, value);
  }
  return labels;
}

/** Annotations: any text under any key. */
export function readAnnotations(field: Field): Labels {
  if (field.value === undefined) return NO_LABELS;
  return new Map(members(field).map((entry) => [String(entry.key), optionalText(entry) ?? '']));
}

/**
 * Labels that nodes must have, old keys by their current names. Where an old and a new key ask for different values
 * the old one stays as it is, so that no node to be launched can satisfy both.
 */
export function readNodeLabels(field: Field): Labels {
  const given = readLabels(field);
  const result = new Map<string, string>();
  for (const [key, value] of given) {
    const current = canonicalLabel(key);
    const other = result.get(current) ?? given.get(current) ?? value;
    result.set(other === value ? current : key, value);
  }
  return result;
}

/** Labels of a node, those under old keys readable by the current names too. */
export function withCurrentLabels(labels: Labels): Labels {
  const result = new Map(labels);
  for (const [key, value] of labels) {
    const current = canonicalLabel(key);
    if (!labels.has(current)) result.set(current, value);
  }
  return result;
}

/** A list of label keys (matchLabelKeys). */
export function readLabelKeys(field: Field): readonly string[] {
  return elements(field).flatMap((item) => {
    const key = readLabelKey(item);
    return key === undefined ? [] : [key];
  });
}

/** One label key; a missing or malformed one is reported. */
export function readLabelKey(field: Field): string | undefined {
  const key = optionalText(field);
  if (key !== undefined && isLabelKey(key)) return key;
  if (field.value === undefined) refuseMissing(field);
  else if (key !== undefined) refuse(field, `${NOT_A_KEY}, not ${describeValue(key)}`);
  return undefined;
}

/** Key of a node label that pods are spread over or gathered by, under its current name. */
export function readTopologyKey(field: Field): string | undefined {
  const key = readLabelKey(field);
  return key === undefined ? undefined : canonicalLabel(key);
}

/** Values of a requirement. */
export function readValues(field: Field): readonly string[] {
  return elements(field).map((item) => optionalText(item) ?? '');
}

const NOT_A_KEY =
  'is not a label: it must be a name of at most 63 letters, digits, -, _ and ., after an optional DNS prefix and /';
const NOT_A_VALUE =
  'must be empty or at most 63 letters, digits, -, _ and ., beginning and ending with a letter or digit';
