/** Reads one YAML 1.2 document, bounded before anything recursive touches it. */
import {
  Composer,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Parser,
  type CST,
  type Document as YamlDocument,
  type Pair,
} from 'yaml';
import type { DocumentPath } from '../issue.js';
import type { PairPart } from './document.js';
import { faultAt, type Fault, type ParsedText } from './parsed-text.js';
import type { ReadBudget } from './read-budget.js';
import { shapeOf, TEMPLATE_HINT, tokensOf } from './yaml-shape.js';

/** Repeated keys are found here: the composer compares each key with all before it. */
const OPTIONS = {
  version: '1.2',
  merge: true,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** Parses one document. Faults say what is wrong; the value is then undefined. An empty document is null. */
export function parseYaml(text: string, budget?: ReadBudget): ParsedText {
  const tokens = tokensOf(text, budget);
  if ('code' in tokens) return failed([tokens]);
  const shape = shapeOf(tokens);
  if (shape.fault !== undefined) return failed([shape.fault]);
  const document = compose(tokens, text);
  if (document === undefined) return { ...failed([]), value: null };
  const faults = faultsOf(document, text);
  if (faults.length > 0) return failed(faults);
  try {
    // Size is bounded by the code that walks the value: shared parts cost nothing here.
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    return { value, faults: [], hasAliases: shape.aliases > 0, offsetOf: lazyPlaces(text) };
  } catch (error) {
    return failed([
      faultAt(0, 'not-yaml', `not YAML: ${error instanceof Error ? error.message : String(error)}`),
    ]);
  }
}

function failed(faults: readonly Fault[]): ParsedText {
  return { value: undefined, faults, hasAliases: false, offsetOf: () => undefined };
}

function compose(tokens: Iterable<CST.Token>, text: string): YamlDocument | undefined {
  for (const document of new Composer(OPTIONS).compose(tokens, false, text.length)) return document;
  return undefined;
}

/** Documents are parsed again when a place in them is asked for, so that the nodes of all need not be kept. */
function lazyPlaces(text: string): ParsedText['offsetOf'] {
  let document: YamlDocument | undefined;
  return (path, part) => {
    document ??= compose([...new Parser().parse(text)], text);
    return document === undefined ? undefined : placeOf(document, path, part);
  };
}

/** The first syntax error, since those behind it are echoes; without one, every repeated key. */
function faultsOf(document: YamlDocument, text: string): readonly Fault[] {
  const [error] = [...document.errors, ...document.warnings];
  if (error === undefined) return repeatedKeys(document.contents);
  const hint = text.includes('{{') ? `; ${TEMPLATE_HINT}` : '';
  return [faultAt(error.pos[0], 'not-yaml', `not YAML: ${lowerFirst(error.message)}${hint}`)];
}

/** Keys that one mapping has twice; a merge key may be repeated. */
function repeatedKeys(node: unknown): readonly Fault[] {
  if (isSeq(node)) return node.items.flatMap(repeatedKeys);
  if (!isMap(node)) return [];
  const faults: Fault[] = [];
  const seen = new Set<string>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? nameOfKey(key.value) : '';
    if (seen.has(name)) {
      const message = `key ${JSON.stringify(name.slice(0, 80))} is written twice in one mapping`;
      faults.push(faultAt(startOf(key) ?? 0, 'duplicate-key', message));
    }
    if (name !== '<<') seen.add(name);
    faults.push(...repeatedKeys(value));
  }
  return faults;
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function placeOf(document: YamlDocument, path: DocumentPath, part: PairPart): number | undefined {
  let node: unknown = document.contents;
  let valueAt = startOf(node);
  let keyedAt = valueAt;
  for (const step of path) {
    const found = childOf(isAlias(node) ? node.resolve(document) : node, step);
    if (found === undefined) return valueAt;
    keyedAt = startOf(found.key) ?? startOf(found.value) ?? keyedAt;
    valueAt = startOf(found.value) ?? keyedAt;
    node = found.value;
  }
  return part === 'key' ? keyedAt : valueAt;
}

interface Child {
  readonly key: unknown;
  readonly value: unknown;
}

function childOf(node: unknown, step: string | number): Child | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(step)];
    return value === undefined ? undefined : { key: undefined, value };
  }
  if (!isMap(node)) return undefined;
  return node.items.find((pair: Pair) => isScalar(pair.key) && nameOfKey(pair.key.value) === String(step));
}

/** Keys become text as in JavaScript objects: null is the empty name. The merge key is a symbol. */
function nameOfKey(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'symbol'
    ? (value.description ?? '')
    : JSON.stringify(value ?? '').replaceAll('"', '');
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
