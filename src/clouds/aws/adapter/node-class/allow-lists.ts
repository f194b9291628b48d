/** What node classes may use, as flags of Berth allow: policies are written by other users. */
import type { NodeClassSpec } from '../../api/ec2-node-class.js';

/** Texts with `*` for anything; undefined: everything is allowed. */
export interface AllowLists {
  readonly roles?: readonly string[] | undefined;
  readonly instanceProfiles?: readonly string[] | undefined;
  readonly subnetIDs?: readonly string[] | undefined;
  /** As a node class spells owners: account ids, self, amazon, aws-marketplace. */
  readonly imageOwners?: readonly string[] | undefined;
}

/** Owners of images that a term may find where it names none. */
const USUAL_OWNERS = ['self', 'amazon'];

/** Why the class may not be launched from. Subnets are not looked at: those that are not allowed are left out. */
export function allowListProblems(spec: NodeClassSpec, lists: AllowLists): readonly string[] {
  const { role, instanceProfile, amiSelectorTerms } = spec;
  const owners = new Set(amiSelectorTerms.flatMap((term) => ownersOf(term)));
  return [
    ...refused('spec.role', role, lists.roles),
    ...refused('spec.instanceProfile', instanceProfile, lists.instanceProfiles),
    ...[...owners].flatMap((owner) =>
      refused('spec.amiSelectorTerms: image owner', owner, lists.imageOwners),
    ),
  ];
}

/** Whether one of the patterns is the text. */
export function isAllowed(text: string, patterns: readonly string[] | undefined): boolean {
  return patterns?.some((pattern) => matches(text, pattern)) ?? true;
}

function refused(
  field: string,
  value: string | undefined,
  patterns: readonly string[] | undefined,
): readonly string[] {
  if (value === undefined || isAllowed(value, patterns)) return [];
  return [`${field} ${value} is not allowed; allowed are ${(patterns ?? []).join(', ')}`];
}

/** Aliases and parameters of /aws/service are Amazon's; whose an image by id is does not stand there, so `*` alone allows it. */
function ownersOf(term: NodeClassSpec['amiSelectorTerms'][number]): readonly string[] {
  if (term.alias !== undefined) return ['amazon'];
  if (term.ssmParameter !== undefined)
    return [/^(?:arn:[^/]*)?\/aws\/service\//.test(term.ssmParameter) ? 'amazon' : ANY_OWNER];
  if (term.id !== undefined) return [ANY_OWNER];
  return term.owner === undefined ? USUAL_OWNERS : [term.owner];
}

const ANY_OWNER = '(any owner)';

function matches(text: string, pattern: string): boolean {
  const source = pattern
    .split('*')
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.*');
  return new RegExp(`^${source}$`).test(text);
}
