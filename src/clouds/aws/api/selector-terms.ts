/** Terms that select subnets, security groups, AMIs, capacity reservations and placement groups. */
import * as z from 'zod';
import { refuse, withRule, type Loose, type RuleContext } from '../../../apis/decode/refuse.js';
import { ALIAS_NAMES, familyOfAlias } from '../families/families.js';

const MOST_TERMS = 30;
const MOST_TAGS = 20;

function selectorTags(what: string): z.ZodType<Record<string, string>, Record<string, string>> {
  return z
    .record(z.string(), z.string())
    .superRefine((value, context) => {
      const count = Object.keys(value).length;
      if (count > MOST_TAGS)
        refuse(context, `must have at most ${String(MOST_TAGS)} entries, not ${String(count)}`);
      for (const [key, text] of Object.entries(value)) {
        if (key === '' || text === '')
          refuse(context, 'must not have an empty key or value', { path: [key] });
      }
    })
    .describe(`Tags that ${what} must carry; a value of * stands for any. All must match. At most 20.`);
}

function idLike(prefix: string, what: string): z.ZodString {
  return z
    .string()
    .regex(new RegExp(`^${prefix}-[0-9a-z]+$`), `must be an id such as ${prefix}-0123456789abcdef0`)
    .describe(`Id of the ${what}; excludes other fields.`);
}

/** Reports a term without any of `needed`, and fields beside one that must stand alone. */
function termRule(needed: readonly string[], alone: readonly string[], others: readonly string[]) {
  return (term: Loose, context: RuleContext): void => {
    const has = (field: string): boolean => term[field] !== undefined;
    if (!needed.some(has))
      refuse(context, `must have one of ${needed.join(', ')}`, { code: 'missing-field', allowed: needed });
    for (const field of alone.filter(has)) {
      const beside = others.filter((other) => other !== field && has(other));
      if (beside.length > 0)
        refuse(context, `cannot be combined with ${beside.join(', ')} in one term`, {
          path: [field],
          code: 'conflict',
          at: 'key',
        });
    }
  };
}

/** Selects subnets. */
export const subnetTerms = z
  .array(
    withRule(
      z.strictObject({
        tags: selectorTags('the subnet').optional(),
        id: idLike('subnet', 'subnet').optional(),
      }),
      termRule(['tags', 'id'], ['id'], ['tags']),
    ),
  )
  .min(1)
  .max(MOST_TERMS)
  .describe(
    'Subnets that nodes may start in: those that match any of the terms. They decide the zones. 1 to 30 terms.',
  );

/** Selects security groups. */
export const securityGroupTerms = z
  .array(
    withRule(
      z.strictObject({
        tags: selectorTags('the security group').optional(),
        id: idLike('sg', 'security group').optional(),
        name: z
          .string()
          .describe('Name of the security group (not its Name tag); excludes other fields.')
          .optional(),
      }),
      termRule(['tags', 'id', 'name'], ['id', 'name'], ['tags', 'id', 'name']),
    ),
  )
  .min(1)
  .max(MOST_TERMS)
  .describe('Security groups of the nodes: all that match any of the terms. 1 to 30 terms.');

const alias = z
  .string()
  .max(30)
  .superRefine((text, context) => {
    const [, family, version] = /^([a-zA-Z0-9]+)@(.+)$/.exec(text) ?? [];
    if (family === undefined)
      refuse(
        context,
        `must look like family@version, for example al2023@v20240807, not ${JSON.stringify(text)}`,
      );
    else if (!ALIAS_NAMES.includes(family))
      refuse(context, `has an unknown family, ${family}`, {
        allowed: ALIAS_NAMES,
        guess: ALIAS_NAMES.find((name) => name === family.toLowerCase()),
      });
    else if (familyOfAlias(family)?.alias?.hasLatestOnly === true && version !== 'latest')
      refuse(context, `must be ${family}@latest: its images have no pinned versions`);
  })
  .describe(
    'EKS-optimised AMI as family@version, for example al2023@v20240807 or bottlerocket@latest; the version latest makes nodes drift with each release. Excludes other fields and other terms.',
  );

const amiFields = {
  tags: selectorTags('the AMI').optional(),
  id: idLike('ami', 'AMI').optional(),
  name: z.string().describe('Name of the AMI (not its Name tag); * stands for any text.').optional(),
  owner: z
    .string()
    .describe('Owner of the AMI: an account id, self, amazon or aws-marketplace. Default: self and amazon.')
    .optional(),
};

/** Selects AMIs before v1. */
export const amiTermsV1Beta1 = z
  .array(
    withRule(z.strictObject(amiFields), termRule(['tags', 'id', 'name'], ['id'], ['tags', 'name', 'owner'])),
  )
  .max(MOST_TERMS)
  .describe(
    'AMIs that nodes may start from: those that match any of the terms, the newest first. Default: the newest of the family.',
  );

/** Selects AMIs. */
export const amiTerms = z
  .array(
    withRule(
      z.strictObject({
        alias: alias.optional(),
        ...amiFields,
        ssmParameter: z
          .string()
          .describe('Name or ARN of the SSM parameter that holds the id of the AMI.')
          .optional(),
      }),
      termRule(
        ['tags', 'id', 'name', 'alias', 'ssmParameter'],
        ['id', 'alias'],
        ['alias', 'id', 'tags', 'name', 'owner'],
      ),
    ),
  )
  .min(1)
  .max(MOST_TERMS)
  .superRefine((terms, context) => {
    const index = terms.findIndex((term) => term.alias !== undefined);
    if (index >= 0 && terms.length > 1)
      refuse(context, 'cannot be combined with other terms', {
        path: [index, 'alias'],
        code: 'conflict',
        at: 'key',
      });
  })
  .describe(
    'AMIs that nodes may start from: those that match any of the terms, the newest first for each architecture. 1 to 30 terms.',
  );

/** Selects capacity reservations. */
export const capacityReservationTerms = z
  .array(
    withRule(
      z.strictObject({
        tags: selectorTags('the reservation').optional(),
        id: idLike('cr', 'capacity reservation').optional(),
        ownerID: z
          .string()
          .regex(/^[0-9]{12}$/, 'must be an account id of 12 digits')
          .describe('Account that owns the reservation. Default: any.')
          .optional(),
        instanceMatchCriteria: z
          .enum(['open', 'targeted'])
          .describe('open: reservations that any instance uses; targeted: only those launched for it.')
          .optional(),
      }),
      termRule(['tags', 'id', 'instanceMatchCriteria'], ['id'], ['tags', 'ownerID', 'instanceMatchCriteria']),
    ),
  )
  .max(MOST_TERMS)
  .describe(
    'Capacity reservations that nodes may use, as capacity type reserved: those that match any of the terms. Default: none. At most 30 terms.',
  );

/** Selects one placement group. */
export const placementGroupSelector = withRule(
  z.strictObject({
    name: z.string().min(1).describe('Name of the placement group; excludes id.').optional(),
    id: idLike('pg', 'placement group').optional(),
  }),
  termRule(['name', 'id'], ['id'], ['name']),
).describe('Placement group that nodes start in. Default: none.');
