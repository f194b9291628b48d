/** A request as the API server understands it: which resource, which object, how it is to be answered. */
import { parse as parseYaml } from 'yaml';
import { ApiError, badRequest, unsupportedMediaType } from '../objects/api-error.js';
import { isObject, type JsonObject } from '../objects/json.js';
import { decodeProtobuf, PROTOBUF } from '../protobuf/decode-protobuf.js';
import type { WriteOptions } from '../operations/object-writer.js';
import type { Selection } from '../selection/selection.js';
import type { WireRequest } from '../../wire/wire.js';

/** What a path below /api and /apis names. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string;
}

/** undefined for discovery and everything else. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const [root, ...parts] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeSegment);
  const [group, version, ...rest] = root === 'api' ? ['', ...parts] : parts;
  if (root !== 'api' && root !== 'apis') return undefined;
  if (group === undefined || version === undefined || rest.length === 0) return undefined;
  return { group, version, ...parsePlace(rest) };
}

function parsePlace(rest: readonly string[]): Omit<ResourcePath, 'group' | 'version'> {
  const [first, second, third, ...more] = rest;
  // The namespace itself has two subresources, which are spelled as resources in it.
  const isNamespaced = first === 'namespaces' && third !== undefined && !NAMESPACE_PARTS.includes(third);
  const [plural = '', name, subresource = ''] = isNamespaced ? [third, ...more] : rest;
  return { namespace: isNamespaced ? second : undefined, plural, name, subresource };
}

const NAMESPACE_PARTS = ['status', 'finalize'];

/** @throws ApiError 400 */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`the path has the malformed part ${JSON.stringify(segment)}`);
  }
}

export function selectionOf(query: URLSearchParams, namespace: string | undefined, name?: string): Selection {
  const fields = query.get('fieldSelector') ?? '';
  const named =
    name === undefined ? fields : [`metadata.name=${name}`, fields].filter((each) => each !== '').join(',');
  return { namespace, labelSelector: query.get('labelSelector') ?? '', fieldSelector: named };
}

/** @throws ApiError 400 */
export function writeOptionsOf(query: URLSearchParams, warn: (text: string) => void): WriteOptions {
  const dryRun = query.get('dryRun');
  const fieldValidation = query.get('fieldValidation') ?? 'Warn';
  if (dryRun !== null && dryRun !== 'All')
    throw badRequest(`dryRun: Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`);
  if (fieldValidation !== 'Ignore' && fieldValidation !== 'Warn' && fieldValidation !== 'Strict')
    throw badRequest(
      `fieldValidation: Unsupported value: ${JSON.stringify(fieldValidation)}: supported values: "", "Ignore", "Strict", "Warn"`,
    );
  return { dryRun: dryRun === 'All', fieldValidation, warn };
}

const JSON_TYPES = ['', 'application/json', '*/*'];
const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml'];

/** The body's media type without parameters. */
export function mediaTypeOf({ headers }: WireRequest): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** An object in JSON, YAML or protobuf. @throws ApiError 400, 415 */
export function readObject(request: WireRequest): JsonObject {
  const type = mediaTypeOf(request);
  // Bytes that are no text come as one character each.
  if (type === PROTOBUF) return decodeProtobuf(Buffer.from(request.body, 'latin1'));
  if (!JSON_TYPES.includes(type) && !YAML_TYPES.includes(type))
    throw unsupportedMediaType(['application/json', 'application/yaml']);
  const value = readBody(request.body, YAML_TYPES.includes(type));
  if (!isObject(value)) throw badRequest('the object provided is unrecognized (must be an object)');
  return value;
}

/** @throws ApiError 400 */
export function readBody(body: string, isYaml: boolean): unknown {
  try {
    return isYaml ? parseYaml(body) : JSON.parse(body);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badRequest(`the object provided is unrecognized: ${why}`);
  }
}

/** As what objects are asked for. */
export type Rendering = 'object' | 'table' | 'metadata';

/** The first of the Accept header that is available. @throws ApiError 406 */
export function renderingOf({ headers }: WireRequest): { readonly as: Rendering; readonly version: string } {
  const accepted = (headers['accept'] ?? '*/*').split(',').map((each) => each.trim());
  for (const each of accepted) {
    const [type = '', ...parameters] = each.split(';').map((part) => part.trim());
    if (!JSON_TYPES.includes(type) && type !== 'application/*') continue;
    const values = Object.fromEntries(parameters.map((part) => part.split('=', 2) as [string, string]));
    const { as = '', v: version = 'v1' } = values as { readonly as?: string; readonly v?: string };
    if (as === 'Table') return { as: 'table', version };
    if (as.startsWith('PartialObjectMetadata')) return { as: 'metadata', version };
    if (as === '') return { as: 'object', version };
  }
  throw new ApiError(406, 'NotAcceptable', 'only the following media types are accepted: application/json');
}
