/** Amounts, prices and durations in the words of stories, the same in every locale. */
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS, type ResourceList } from '../../domain/values/resources.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const GIBI = 2 ** 30;
const MEBI = 2 ** 20;

/** As kubectl writes ages: `45s`, `3m20s`, `5h12m`, `9d`. Nothing is younger than `0s`. */
export function durationText(millis: number): string {
  const left = Math.max(0, millis);
  if (left < 2 * MINUTE) return `${String(Math.floor(left / SECOND))}s`;
  if (left < 10 * MINUTE) return pair(left, [MINUTE, 'm'], [SECOND, 's']);
  if (left < 3 * HOUR) return `${String(Math.floor(left / MINUTE))}m`;
  if (left < 8 * HOUR) return pair(left, [HOUR, 'h'], [MINUTE, 'm']);
  if (left < 2 * DAY) return `${String(Math.floor(left / HOUR))}h`;
  if (left < 8 * DAY) return pair(left, [DAY, 'd'], [HOUR, 'h']);
  return `${String(Math.floor(left / DAY))}d`;
}

function pair(millis: number, [large, name]: [number, string], [small, rest]: [number, string]): string {
  const first = Math.floor(millis / large);
  const second = Math.floor((millis % large) / small);
  return `${String(first)}${name}${second === 0 ? '' : `${String(second)}${rest}`}`;
}

/** An amount as people read it: cpu `1.5`, memory `15.6Gi`, counts plain. */
export function amountText(resource: string, amount: number): string {
  if (resource === CPU) return String(Number((amount / 1000).toFixed(2)));
  if (resource !== MEMORY && resource !== EPHEMERAL_STORAGE) return String(amount);
  if (Math.abs(amount) < GIBI) return `${String(Math.round(amount / MEBI))}Mi`;
  return `${String(Number((amount / GIBI).toFixed(1)))}Gi`;
}

/** `0.5 cpu, 1Gi memory, 1 nvidia.com/gpu`; pod slots are left out. */
export function requestsText(requests: ResourceList): string {
  const parts = [...requests]
    .filter(([resource, amount]) => resource !== PODS && amount > 0)
    .map(([resource, amount]) => `${amountText(resource, amount)} ${resource}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** `3.2 of 4 cpu (80%)`. */
export function usedText(resource: string, used: number, size: number): string {
  const share = size > 0 ? ` (${String(Math.floor((100 * used) / size))}%)` : '';
  return `${amountText(resource, used)} of ${amountText(resource, size)} ${resource}${share}`;
}
