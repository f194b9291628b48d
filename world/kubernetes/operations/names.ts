/** Names, labels and annotations of objects: made, and checked as apimachinery's pkg/api/validation does. */
import type { Random } from '../../../src/ports/random.js';
import { invalid, required, type FieldError } from '../objects/field-error.js';
import { isObject, valueAt } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import { groupOf, type ResourceType } from '../resources/resource-type.js';

/** Without vowels and what looks alike (apimachinery's pkg/util/rand). */
const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const LONGEST_NAME = 253;
const LONGEST_LABEL = 63;

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

/** For metadata.generateName. */
export function generatedName(prefix: string, random: Random): string {
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () =>
    SUFFIX_CHARACTERS.charAt(Math.floor(random.next() * SUFFIX_CHARACTERS.length)),
  );
  return prefix.slice(0, LONGEST_LABEL - SUFFIX_LENGTH) + suffix.join('');
}

/** RFC 4122, version 4. */
export function newUid(random: Random): string {
  const hex = random.hex(32);
  const variant = '89ab'.charAt(Math.floor(random.next() * 4));
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

export function metadataErrors(type: ResourceType, { metadata }: KubeObject): readonly FieldError[] {
  return [
    ...nameErrors(type, metadata.name),
    ...labelErrors(metadata.labels),
    ...annotationErrors(metadata.annotations),
  ];
}

function nameErrors(type: ResourceType, name: string): readonly FieldError[] {
  if (name === '') return [required('metadata.name', 'name or generateName is required')];
  if (groupOf(type) === 'rbac.authorization.k8s.io')
    return /[/%]/.test(name) ? [invalid('metadata.name', name, "may not contain '/' or '%'")] : [];
  if (name.length <= LONGEST_NAME && SUBDOMAIN.test(name)) return [];
  const detail =
    name.length > LONGEST_NAME
      ? 'must be no more than 253 characters'
      : "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  return [invalid('metadata.name', name, detail)];
}

export function labelErrors(labels: unknown, field = 'metadata.labels'): readonly FieldError[] {
  if (!isObject(labels)) return [];
  return Object.entries(labels).flatMap(([key, value]) => {
    const errors = isQualifiedName(key) ? [] : [invalid(field, key, QUALIFIED_DETAIL)];
    if (typeof value === 'string' && value.length <= LONGEST_LABEL && VALUE.test(value)) return errors;
    const detail =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    return [...errors, invalid(field, value, detail)];
  });
}

const QUALIFIED_DETAIL =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

export function isQualifiedName(key: string): boolean {
  const [name = '', prefix, ...more] = key.split('/').reverse();
  const isPrefixed = prefix === undefined || (prefix.length <= LONGEST_NAME && SUBDOMAIN.test(prefix));
  return more.length === 0 && isPrefixed && name.length <= LONGEST_LABEL && QUALIFIED.test(name);
}

function annotationErrors(annotations: unknown): readonly FieldError[] {
  if (!isObject(annotations)) return [];
  return Object.keys(annotations).flatMap((key) => {
    const value = valueAt(annotations, key);
    if (typeof value !== 'string') return [invalid('metadata.annotations', value, 'must be a string')];
    return isQualifiedName(key.toLowerCase()) ? [] : [invalid('metadata.annotations', key, QUALIFIED_DETAIL)];
  });
}
