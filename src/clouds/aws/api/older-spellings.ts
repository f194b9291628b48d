/** Selectors of node templates that users still write into EC2NodeClasses, replaced by the terms that say the same. */
import type * as z from 'zod';
import type { Rewrite } from '../../../apis/decode/rewrite.js';
import {
  amiSelector,
  amiTermsOf,
  resourceSelector,
  securityGroupTermsOf,
  subnetTermsOf,
} from './selector-maps.js';

interface Spelling {
  readonly schema: z.ZodType<Record<string, string>>;
  readonly termsOf: (selector: Record<string, string>) => readonly object[];
}

const SPELLINGS: Readonly<Record<string, Spelling>> = {
  subnetSelector: { schema: resourceSelector('subnet', ''), termsOf: subnetTermsOf },
  securityGroupSelector: { schema: resourceSelector('sg', ''), termsOf: securityGroupTermsOf },
  amiSelector: { schema: amiSelector, termsOf: amiTermsOf },
};

/** Replaces subnetSelector, securityGroupSelector and amiSelector. What is no selector stays, to be refused. */
export function respellNodeClass(nodeClass: Rewrite): void {
  for (const [field, { schema, termsOf }] of Object.entries(SPELLINGS)) {
    const selector = schema.safeParse(nodeClass.get(['spec', field]));
    if (!selector.success) continue;
    const terms = `${field}Terms`;
    if (!nodeClass.replace(['spec', field], ['spec', terms], termsOf(selector.data))) continue;
    nodeClass.warn(
      ['spec', field],
      `is an older spelling: write spec.${terms}, a list of terms such as {tags: {…}} or {id: …}`,
    );
  }
}
