/** One document of any version → checked plain objects of the newest version, which say the same. */
import { decodeValue } from '../decode/decode.js';
import { Findings, type Move } from '../decode/findings.js';
import { nearest } from '../decode/nearest.js';
import { valueAt } from '../decode/plain.js';
import { Rewrite } from '../decode/rewrite.js';
import { withoutNulls } from '../decode/schema-tree.js';
import type { Document } from '../documents/document.js';
import type { Issue } from '../issue.js';
import { nodeClassCodecs } from '../node-class/node-class-codecs.js';
import { policyKinds, type CurrentObject, type PolicyKind } from './policy-kinds.js';

/** API groups whose documents are policies, beside those of node classes; and the records of controllers that share them. */
const GROUPS = ['karpenter.sh', 'berth.sh'];
const RECORDS = ['NodeClaim', 'Machine', 'Reservation', 'PolicyStatus', 'Decision'];

export interface Upgraded {
  /** Empty when the document has errors. */
  readonly objects: readonly CurrentObject[];
  /** From paths of the objects to those of the text. */
  readonly moves: readonly Move[];
  readonly issues: readonly Issue[];
}

/**
 * Whether a document is a policy or was meant to be one: any kind in these groups, known kinds in a group that looks
 * like a slip, and node classes of other products that are read. Other projects have kinds called NodePool, too; those are ignored.
 */
export function isPolicy({ apiVersion, kind }: Pick<Document, 'apiVersion' | 'kind'>): boolean {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const groups = [...GROUPS, ...nodeClassCodecs().map((codec) => codec.group)];
  if (groups.includes(group)) return !RECORDS.includes(kind);
  const ofKind = policyKinds().filter((known) => known.kind === kind);
  if (ofKind.some((known) => known.product !== undefined && known.apiVersion.startsWith(`${group}/`)))
    return true;
  return ofKind.length > 0 && (group === '' || nearest(group, groups) !== undefined);
}

/** Checks a document against the schema of its version and converts it, with all issues at once. Never throws. */
export function upgrade(document: Document): Upgraded {
  const known = policyKinds().find(
    (item) => item.apiVersion === document.apiVersion && item.kind === document.kind,
  );
  if (known === undefined) return { objects: [], moves: [], issues: unknownKind(document) };
  const rewrite = new Rewrite(document.value);
  const inner = known.respell(rewrite);
  const findings = new Findings(document, rewrite.moves);
  warnOfVersion(known, document, findings);
  for (const warning of rewrite.warnings) findings.warning(warning);
  // Lists of a kind may leave apiVersion and kind of their items out.
  const headed = { ...rewrite.value, apiVersion: document.apiVersion, kind: document.kind };
  const value = withoutNulls(headed, known.schema);
  const moves = [...rewrite.moves, ...known.renamed.flatMap(({ from, to }) => (to ? [{ from, to }] : []))];
  if (decodeValue(known.schema, value, findings) === undefined) {
    return { objects: [], moves, issues: findings.issues };
  }
  for (const note of known.notes(value)) findings.warning(note);
  const own = known.toCurrent(value);
  checkConverted(known.becomes === undefined ? inner : [...own, ...inner], findings);
  const objects = [...own, ...inner];
  return { objects: findings.hasErrors ? [] : objects, moves, issues: findings.issues };
}

function warnOfVersion(
  { becomes, product, renamed }: PolicyKind,
  document: Document,
  findings: Findings,
): void {
  if (becomes === undefined) return;
  const what = product === undefined ? 'an older version' : `of ${product}`;
  const text = `is ${what}, read as ${becomes}: berth convert rewrites it`;
  findings.warning({ code: 'older-version', path: ['apiVersion'], text });
  for (const { from, to, now = to?.join('.') ?? '' } of renamed) {
    if (valueAt(document.value, from) === undefined) continue;
    findings.warning({
      code: 'older-spelling',
      path: from,
      text: `has another place in v1: ${now}`,
      at: 'key',
    });
  }
}

/** What an older version allowed and v1 does not, such as too many requirements once defaults are added. */
function checkConverted(objects: readonly CurrentObject[], findings: Findings): void {
  for (const object of objects) {
    const current = policyKinds().find(
      (item) => item.apiVersion === object.apiVersion && item.kind === object.kind,
    );
    const result = current?.schema.safeParse(object);
    if (result === undefined || result.success) continue;
    const texts = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    findings.error({
      code: 'invalid-value',
      path: [],
      text: `is not valid as ${object.kind} of ${object.apiVersion}: ${texts.join('; ')}`,
    });
  }
}

function unknownKind(document: Document): readonly Issue[] {
  const { apiVersion, kind } = document;
  const findings = new Findings(document);
  const versions = policyKinds()
    .filter((item) => item.kind === kind)
    .map((item) => item.apiVersion);
  if (versions.length > 0) {
    const text = `must be ${versions.join(' or ')} for ${kind}, not ${apiVersion}`;
    findings.error({
      code: 'unknown-version',
      path: ['apiVersion'],
      text,
      allowed: versions,
      guess: nearest(apiVersion, versions),
    });
  } else {
    const own = policyKinds().filter(({ product }) => product === undefined);
    const allowed = [...new Set(own.map((item) => item.kind))];
    const text = `is not a kind of ${apiVersion} that Berth reads: ${kind}`;
    findings.error({ code: 'unknown-kind', path: ['kind'], text, allowed, guess: nearest(kind, allowed) });
  }
  return findings.issues;
}
