/** Why the claims of a plan are as they are, those with the same reason told once. */
import { counted } from '../../../../domain/values/text.js';
import { describeWhy } from '../../../../planning/describe-reason.js';
import type { PlannedClaim } from '../../../../planning/plan.js';
import { indent } from '../text/table.js';
import type { Terminal } from '../text/terminal.js';

/** Headline and one line per reason, in the order of the claims; nothing where no claim has a reason. */
export function whyLines(claims: readonly PlannedClaim[], { style }: Terminal): readonly string[] {
  const groups = new Map<string, PlannedClaim[]>();
  for (const claim of claims) {
    if (claim.why === undefined) continue;
    const words = describeWhy(claim.why);
    const group = groups.get(words);
    if (group === undefined) groups.set(words, [claim]);
    else group.push(claim);
  }
  if (groups.size === 0) return [];
  const lines = [...groups].map(([words, [first, ...more]]) => {
    const name = more.length === 0 ? '' : ` and ${counted(more.length, 'other')}`;
    return `${style.bold(`${first?.name ?? ''}${name}:`)} ${words}`;
  });
  return [style.bold('Why these nodes:'), ...indent(lines, 2)];
}
