/** The words for why a claim is as it is: `PlannedClaim.why` in one sentence. */
import { formatAmount } from '../domain/resources.js';
import type { ClaimAlternative, ClaimWhy, TooSmall } from './plan.js';

/** How many types hold the pods, what is cheaper and too small, and what the next best pool costs. */
export function describeWhy({ holding, cheaper, alternative }: ClaimWhy): string {
  const types =
    holding === 1
      ? '1 instance type of the pool fits its pods'
      : `${String(holding)} instance types of the pool fit its pods`;
  return [types, cheaperText(cheaper), alternativeText(alternative)].filter((part) => part !== '').join('; ');
}

function cheaperText(cheaper: TooSmall | undefined): string {
  if (cheaper === undefined) return 'no type is cheaper';
  const { instanceType, hourlyPrice, short } = cheaper;
  const lacks = [...short].map(([name, amount]) => `${formatAmount(name, amount)} ${name}`);
  return `${instanceType} at ${usd(hourlyPrice)} lacks ${lacks.join(' and ')}`;
}

function alternativeText(alternative: ClaimAlternative | undefined): string {
  if (alternative === undefined) return 'no other pool fits them';
  const { nodePool, instanceType, zone, capacityType, hourlyPrice } = alternative;
  return `the next best pool, ${nodePool}, would launch ${instanceType} ${capacityType} in ${zone} at ${usd(hourlyPrice)}`;
}

function usd(hourly: number): string {
  return `${hourly.toFixed(4)} USD/h`;
}
