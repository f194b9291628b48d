/** Selectors as one map, as node templates have them, and the terms that say the same. */
import * as z from 'zod';
import { refuse, type RuleContext } from '../../../apis/decode/refuse.js';
import type { EC2NodeClassInput } from './v1.js';

type SelectorMap = Record<string, string>;
type Spec = EC2NodeClassInput['spec'];

const ID_KEYS = ['aws-ids', 'aws::ids'];
const MOST_TERMS = 30;
const NAME_KEY = 'aws::name';
const OWNER_KEY = 'aws::owners';

const HOW = 'Tag key → value, * for any, several values with commas; aws-ids (or aws::ids) → ids';

/** A map that selects subnets (`subnet`) or security groups (`sg`). */
export function resourceSelector(prefix: string, what: string): z.ZodType<SelectorMap, SelectorMap> {
  return z
    .record(z.string(), z.string())
    .superRefine((value, context) => {
      checkSelector(value, prefix, context);
    })
    .describe(`Selects the ${what}. ${HOW}, which excludes other keys.`);
}

/** A map that selects AMIs. */
export const amiSelector = z
  .record(z.string(), z.string())
  .superRefine((value, context) => {
    checkSelector(value, 'ami', context);
  })
  .describe(
    `Selects the AMIs that nodes may start from. ${HOW}, which excludes other keys; aws::name → names; aws::owners → owners. Default: the newest AMI of the family.`,
  );

function checkSelector(value: SelectorMap, prefix: string, context: RuleContext): void {
  const keys = Object.keys(value);
  if (keys.length === 0) refuse(context, 'must not be empty');
  const terms = Object.values(value).reduce((product, text) => product * valuesOf(text).length, 1);
  if (terms > MOST_TERMS) {
    refuse(
      context,
      `stands for ${String(terms)} combinations of values; at most ${String(MOST_TERMS)} can be selected`,
    );
  }
  for (const [key, text] of Object.entries(value)) {
    if (key === '' || text === '') refuse(context, 'must not have an empty key or value', { path: [key] });
    if (!ID_KEYS.includes(key)) continue;
    const wrong = valuesOf(text).find((id) => !new RegExp(`^${prefix}-[0-9a-z]+$`).test(id));
    if (wrong !== undefined)
      refuse(context, `must hold ids such as ${prefix}-0123456789abcdef0, not ${JSON.stringify(wrong)}`, {
        path: [key],
      });
    if (keys.length > 1)
      refuse(context, 'cannot be combined with other keys', { path: [key], code: 'conflict', at: 'key' });
  }
}

/** Values between commas, without blanks around them. */
function valuesOf(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim());
}

/** Terms for subnets: one per id or combination of tag values. */
export function subnetTermsOf(selector: SelectorMap): Spec['subnetSelectorTerms'] {
  return combinations(selector, { 'aws-ids': 'id', 'aws::ids': 'id' });
}

/** Terms for security groups. */
export function securityGroupTermsOf(selector: SelectorMap): Spec['securityGroupSelectorTerms'] {
  return combinations(selector, { 'aws-ids': 'id', 'aws::ids': 'id', [NAME_KEY]: 'name' });
}

/** Terms for AMIs. */
export function amiTermsOf(selector: SelectorMap): Spec['amiSelectorTerms'] {
  return combinations(selector, {
    'aws-ids': 'id',
    'aws::ids': 'id',
    [NAME_KEY]: 'name',
    [OWNER_KEY]: 'owner',
  });
}

interface Term {
  readonly tags?: Record<string, string>;
  readonly id?: string;
  readonly name?: string;
  readonly owner?: string;
}

/** A map asks for all of its keys and any of a key's values; terms are alternatives, so there is one per combination. */
function combinations(selector: SelectorMap, special: Readonly<Record<string, keyof Term>>): Term[] {
  let terms: Term[] = [{}];
  for (const key of Object.keys(selector).sort()) {
    const field = special[key];
    terms = valuesOf(selector[key] ?? '').flatMap((value) =>
      terms.map((term) =>
        field === undefined ? { ...term, tags: { ...term.tags, [key]: value } } : { ...term, [field]: value },
      ),
    );
  }
  return Object.keys(selector).length === 0 ? [] : terms;
}
