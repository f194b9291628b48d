/**
 * Server-side apply, simplified: owners are only those who apply, so that a conflict arises between two of them; what an
 * update changed has no owner.
 */
import { ApiError } from '../objects/api-error.js';
import { equalJson, isObject, listAt, textAt, type JsonObject } from '../objects/json.js';
import {
  decodeFields,
  encodeFields,
  leavesOf,
  valueAtPath,
  withoutPath,
  type FieldPath,
} from './field-paths.js';
import { applyStrategicMergePatch } from './strategic-merge-patch.js';

export interface ApplyOptions {
  readonly kind: string;
  readonly apiVersion: string;
  readonly manager: string;
  readonly force: boolean;
  readonly time: string;
}

/** apiVersion, kind and name identify the object, and have no owner. */
const NOT_OWNED = ['f:apiVersion', 'f:kind'];
const NOT_OWNED_META = ['f:name', 'f:namespace', 'f:uid', 'f:resourceVersion', 'f:creationTimestamp'];

/**
 * The object as the configuration wants it: fields that this manager applied before and now leaves out go, unless another
 * applies them too.
 * @throws ApiError 409, when another manager applies another value and it is not to be forced
 */
export function serverSideApply(current: JsonObject, applied: JsonObject, options: ApplyOptions): JsonObject {
  const { kind, manager, force } = options;
  const entries = listAt(current, 'metadata', 'managedFields').filter(isObject);
  const own = entries.find((entry) => isApplyOf(entry, manager));
  const others = entries.filter((entry) => entry !== own);
  const paths = leavesOf(kind, applied).filter(isOwnable);
  const taken = conflictsWith(others, paths, { current, applied });
  if (taken.length > 0 && !force) throw conflictError(taken);

  const owned = new Set(paths.map(keyOf));
  const elsewhere = new Set(others.flatMap((entry) => decodeFields(entry['fieldsV1'])).map(keyOf));
  const dropped = decodeFields(own?.['fieldsV1']).filter((path) => {
    return !owned.has(keyOf(path)) && !elsewhere.has(keyOf(path));
  });
  const cleaned = dropped.reduce<unknown>(withoutPath, current);
  const merged = applyStrategicMergePatch(kind, cleaned, applied) as JsonObject;
  const managedFields = [
    ...others.map((entry) => withoutPaths(entry, new Set(taken.map(({ path }) => keyOf(path))))),
    entryOf(options, paths, equalJson(own?.['fieldsV1'], encodeFields(paths)) ? textAt(own, 'time') : ''),
  ];
  const metadata = isObject(merged['metadata']) ? merged['metadata'] : {};
  return { ...merged, metadata: { ...metadata, managedFields } };
}

interface Conflict {
  readonly manager: string;
  readonly path: FieldPath;
}

function conflictsWith(
  others: readonly JsonObject[],
  paths: readonly FieldPath[],
  { current, applied }: { readonly current: JsonObject; readonly applied: JsonObject },
): readonly Conflict[] {
  const changed = new Map(
    paths
      .filter((path) => !equalJson(valueAtPath(current, path), valueAtPath(applied, path)))
      .map((path) => [keyOf(path), path]),
  );
  return others.flatMap((entry) =>
    decodeFields(entry['fieldsV1'])
      .filter((path) => changed.has(keyOf(path)))
      .map((path) => ({ manager: textAt(entry, 'manager'), path })),
  );
}

function conflictError(conflicts: readonly Conflict[]): ApiError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${JSON.stringify(manager)}`,
    field: path.map((part) => (part.startsWith('f:') ? `.${part.slice(2)}` : `[${part.slice(2)}]`)).join(''),
  }));
  const [first] = causes;
  const told =
    causes.length === 1 && first !== undefined
      ? `${first.message}: ${first.field}`
      : causes.map(({ message, field }) => `${message}: ${field}`).join('\n- ');
  const count = causes.length === 1 ? '1 conflict' : `${String(causes.length)} conflicts`;
  return new ApiError(409, 'Conflict', `Apply failed with ${count}: ${told}`, { causes });
}

function isApplyOf(entry: JsonObject, manager: string): boolean {
  return entry['operation'] === 'Apply' && entry['manager'] === manager;
}

function isOwnable([first = '', second = '']: FieldPath): boolean {
  return !NOT_OWNED.includes(first) && !(first === 'f:metadata' && NOT_OWNED_META.includes(second));
}

function withoutPaths(entry: JsonObject, gone: ReadonlySet<string>): JsonObject {
  const left = decodeFields(entry['fieldsV1']).filter((path) => !gone.has(keyOf(path)));
  return { ...entry, fieldsV1: encodeFields(left) };
}

/** `time`: when it was applied first, where nothing changes. */
function entryOf(
  { manager, apiVersion, time }: ApplyOptions,
  paths: readonly FieldPath[],
  known: string,
): JsonObject {
  return {
    manager,
    operation: 'Apply',
    apiVersion,
    time: known === '' ? time : known,
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFields(paths),
  };
}

function keyOf(path: FieldPath): string {
  return path.join('\u0000');
}
