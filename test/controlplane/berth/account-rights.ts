/** What an account of Berth may do by the manifests, and what it did by the API server's audit log. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { AuditEvent } from '../fixture/audit.js';

const MANIFESTS = join(import.meta.dirname, '../../../manifests');
const NAMESPACE = 'berth-system';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** '' where the rule is not about one object. */
  readonly name: string;
}

/** Requests of the account that it had no right to: verb and path. */
export function forbiddenRequests(events: readonly AuditEvent[], account: string): readonly string[] {
  return requestsOf(events, account)
    .filter(({ responseStatus }) => responseStatus?.code === 403)
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}

/**
 * `verb group/resource` of each right that a file of manifests/ gives and the account never used, with the object's name where
 * the right is about one. A file that gives none, or an account that asked for nothing, is an error.
 */
export function unusedRights(
  events: readonly AuditEvent[],
  account: string,
  file: string,
): readonly string[] {
  const given = rightsIn(file).map(textOf);
  const used = new Set(requestsOf(events, account).flatMap(usedBy));
  if (given.length === 0 || used.size === 0) throw new Error(`${account}: no rules, or no requests`);
  return given.filter((right) => !used.has(right));
}

/** All of them, in their order. */
export function requestsOf(events: readonly AuditEvent[], account: string): readonly AuditEvent[] {
  return events.filter(({ user }) => user.username === `system:serviceaccount:${NAMESPACE}:${account}`);
}

function rightsIn(file: string): readonly Right[] {
  const documents = parseAllDocuments(readFileSync(join(MANIFESTS, file), 'utf8'));
  const roles = documents.map((document) => document.toJS() as { readonly rules?: readonly Rule[] });
  return roles.flatMap(({ rules = [] }) => rules.flatMap(rightsOf));
}

function rightsOf({ apiGroups, resources, resourceNames = [''], verbs }: Rule): readonly Right[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      resourceNames.flatMap((name) => verbs.map((verb) => ({ verb, group, resource, name }))),
    ),
  );
}

/** What a request used, with and without the object's name, as rules are written either way. */
function usedBy({ verb, objectRef, requestURI }: AuditEvent): readonly string[] {
  if (objectRef === undefined) return [];
  const { resource, subresource, apiGroup: group = '', name = '' } = objectRef;
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  // A watch that begins with all objects is a list: a server that does not know such watches is asked for one.
  const verbs = requestURI.includes('sendInitialEvents=true') ? [verb, 'list'] : [verb];
  return verbs.flatMap((each) =>
    ['', name].map((named) => textOf({ verb: each, group, resource: whole, name: named })),
  );
}

function textOf({ verb, group, resource, name }: Right): string {
  return `${verb} ${group}/${resource}${name === '' ? '' : ` ${name}`}`;
}
