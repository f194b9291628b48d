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
import { shapeOf, TEMPLATE_HINT, tokensOf } from './yaml-shape.js';

const OPTIONS = { version: '1.2', merge: true, prettyErrors: false, logLevel: 'silent' } as const;

/** Parses one document. Faults say what is wrong; the value is then undefined. An empty document is null. */
export function parseYaml(text: string): ParsedText {
  const tokens = tokensOf(text);
  if ('code' in tokens) return failed([tokens]);
  const shape = shapeOf(tokens);
  if (shape.fault !== undefined) return failed([shape.fault]);
  const document = compose(tokens, text);
  if (document === undefined) return { ...failed([]), value: null };
  const faults = faultsOf(document, text);
  if (faults.length > 0) return failed(faults);
  try {
    // Size is bounded by whoever walks the value: shared parts cost nothing here.
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

/** A document is parsed again for the few that anybody asks about, rather than its nodes kept for all. */
function lazyPlaces(text: string): ParsedText['offsetOf'] {
  let document: YamlDocument | undefined;
  return (path, part) => {
    document ??= compose([...new Parser().parse(text)], text);
    return document === undefined ? undefined : placeOf(document, path, part);
  };
}

/** Every repeated key, but only the first syntax error: those behind it are echoes. */
function faultsOf(document: YamlDocument, text: string): Fault[] {
  const found = [...document.errors, ...document.warnings];
  const repeated = found.filter((error) => error.code === 'DUPLICATE_KEY');
  const syntax = found.filter((error) => error.code !== 'DUPLICATE_KEY').slice(0, 1);
  const hint = text.includes('{{') ? `; ${TEMPLATE_HINT}` : '';
  return [
    ...syntax.map(({ pos, message }) =>
      faultAt(pos[0], 'not-yaml', `not YAML: ${lowerFirst(message)}${hint}`),
    ),
    ...repeated.map(({ pos: [at] }) => {
      const message = `key ${JSON.stringify(keyAt(text, at))} is written twice in one mapping`;
      return faultAt(at, 'duplicate-key', message);
    }),
  ];
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

const KEY = /^(?:"([^"\n]{0,80})"|'([^'\n]{0,80})'|([^:\s]{1,80}))/;

/** The key that starts here, for a message. */
function keyAt(text: string, offset: number): string {
  const [, double, single, plain] = KEY.exec(text.slice(offset, offset + 100)) ?? [];
  return double ?? single ?? plain ?? '';
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

/** Keys become text as in JavaScript objects: null is the empty name. */
function nameOfKey(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '').replaceAll('"', '');
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
