/** Spellings of older versions that users still write into NodePools, replaced by the fields of the document's version. */
import { plainObject } from '../decode/plain.js';
import type { Rewrite } from '../decode/rewrite.js';
import { formatDuration } from '../fields/duration.js';

/** Which names the document's own version has for what was moved. */
export interface PoolSpelling {
  /** Policy that WhenUnderutilized became. */
  readonly underutilized: 'WhenEmptyOrUnderutilized' | 'WhenUnderutilized';
  /** Where expireAfter stands. */
  readonly expireAfter: readonly string[];
}

export const V1_SPELLING: PoolSpelling = {
  underutilized: 'WhenEmptyOrUnderutilized',
  expireAfter: ['spec', 'template', 'spec', 'expireAfter'],
};
export const V1BETA1_SPELLING: PoolSpelling = {
  underutilized: 'WhenUnderutilized',
  expireAfter: ['spec', 'disruption', 'expireAfter'],
};

const POLICY = ['spec', 'disruption', 'consolidationPolicy'];
const AFTER = ['spec', 'disruption', 'consolidateAfter'];

/** Replaces limits.resources, WhenUnderutilized, ttlSecondsAfterEmpty and ttlSecondsUntilExpired. */
export function respellPool(pool: Rewrite, spelling: PoolSpelling): void {
  respellLimits(pool);
  respellPolicy(pool, spelling);
  respellEmptiness(pool);
  respellExpiry(pool, spelling);
}

function respellLimits(pool: Rewrite): void {
  const from = ['spec', 'limits', 'resources'];
  const resources = plainObject(pool.get(from));
  if (resources === undefined) return;
  pool.remove(from);
  pool.set(['spec', 'limits'], { ...plainObject(pool.get(['spec', 'limits'])), ...resources });
  for (const name of Object.keys(resources))
    pool.moves.push({ from: [...from, name], to: ['spec', 'limits', name] });
  pool.warn(from, 'is an older spelling: resources stand in spec.limits itself, for example spec.limits.cpu');
}

/** Before v1 consolidateAfter could not stand beside WhenUnderutilized, and meant 0s; v1 needs it. */
function respellPolicy(pool: Rewrite, { underutilized }: PoolSpelling): void {
  if (pool.get(POLICY) !== 'WhenUnderutilized') return;
  const after = pool.get(AFTER);
  if (underutilized === 'WhenUnderutilized') {
    if (after !== undefined && after !== 'Never') {
      pool.warn(
        AFTER,
        'is refused beside WhenUnderutilized by Karpenter before v1; it is read as v1 reads it with WhenEmptyOrUnderutilized',
      );
    }
    return;
  }
  pool.set(POLICY, underutilized);
  if (after === undefined) pool.set(AFTER, '0s');
  pool.warn(POLICY, `is an older spelling: WhenUnderutilized is called ${underutilized} in v1`);
}

function respellEmptiness(pool: Rewrite): void {
  const from = ['spec', 'ttlSecondsAfterEmpty'];
  const seconds = pool.get(from);
  if (
    !isSeconds(seconds) ||
    pool.get(AFTER) !== undefined ||
    !['WhenEmpty', undefined].includes(pool.get(POLICY) as string)
  )
    return;
  pool.replace(from, AFTER, formatDuration(seconds));
  pool.set(POLICY, 'WhenEmpty');
  pool.warn(
    from,
    `is an older spelling: write spec.disruption.consolidationPolicy WhenEmpty and spec.disruption.consolidateAfter ${formatDuration(seconds)}`,
  );
}

function respellExpiry(pool: Rewrite, { expireAfter }: PoolSpelling): void {
  const from = ['spec', 'ttlSecondsUntilExpired'];
  const seconds = pool.get(from);
  if (!isSeconds(seconds) || !pool.replace(from, expireAfter, formatDuration(seconds))) return;
  pool.warn(from, `is an older spelling: write ${expireAfter.join('.')} ${formatDuration(seconds)}`);
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
