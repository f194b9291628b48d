/** Turns what changes in a cluster into an account that people can follow: what happened at about the same time is one line. */
import { isTrue } from '../../../src/domain/values/condition.js';
import type { Decision } from '../../../src/domain/records/decision.js';
import type { NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { Change } from '../../../src/state/cluster/store.js';
import { counted, usdPerHour } from '../../../src/domain/values/text.js';

export interface AccountLine {
  /** One word: what kind of thing happened. */
  readonly verb: string;
  readonly text: string;
}

/** Names listed in one line. */
const MOST_NAMES = 4;

/** Collects changes; `flush` tells them. */
export class AccountLines {
  #planned: NodeClaim[] = [];
  #launched: NodeClaim[] = [];
  #ready: NodeClaim[] = [];
  #gone: NodeClaim[] = [];
  #bound = new Map<string, number>();
  #decisions: Decision[] = [];

  claimChanged({ before, after }: Change<NodeClaim>): void {
    if (after === undefined) {
      if (before !== undefined) this.#gone.push(before);
      return;
    }
    if (before === undefined) this.#planned.push(after);
    if (became('Launched', before, after)) this.#launched.push(after);
    if (became('Ready', before, after)) this.#ready.push(after);
  }

  podChanged({ before, after }: Change<ObservedPod>): void {
    if (after?.nodeName === undefined || before?.nodeName === after.nodeName) return;
    if (after.owner?.kind === 'DaemonSet') return;
    this.#bound.set(after.namespace, (this.#bound.get(after.namespace) ?? 0) + 1);
  }

  decisionChanged({ before, after }: Change<Decision>): void {
    if (before === undefined && after !== undefined && isShown(after)) this.#decisions.push(after);
  }

  /** What was collected since the last time, in the order in which it tends to happen. */
  flush(): readonly AccountLine[] {
    const lines = [
      ...grouped(this.#decisions, wordsOf).map(([words, decisions]) => ({
        verb: decisions[0]?.spec.action.toLowerCase() ?? '',
        text: `${listed(decisions.map(({ spec }) => spec.subject.name))}: ${words}`,
      })),
      ...grouped(this.#planned, poolOf).map(([pool, claims]) => ({
        verb: 'plan',
        text: `${counted(claims.length, 'NodeClaim')} of NodePool ${pool}`,
      })),
      ...grouped(this.#launched, offeringOf).map(([offering, claims]) => ({
        verb: 'launch',
        text: `${String(claims.length)} x ${offering}, ${usdPerHour(priceOf(claims))}, for NodePool ${poolsOf(claims)}`,
      })),
      ...grouped(this.#ready, poolOf).map(([pool, claims]) => ({
        verb: 'ready',
        text: `${listed(claims.map(({ status }) => status.nodeName ?? '?'))} of NodePool ${pool}`,
      })),
      ...this.#boundLine(),
      ...grouped(this.#gone, poolOf).map(([pool, claims]) => ({
        verb: 'gone',
        text: `${listed(claims.map(({ name, status }) => status.nodeName ?? name))} of NodePool ${pool}, ${usdPerHour(priceOf(claims))} less`,
      })),
    ];
    this.#forget();
    return lines;
  }

  #boundLine(): readonly AccountLine[] {
    if (this.#bound.size === 0) return [];
    const parts = [...this.#bound].map(([namespace, count]) => `${String(count)} of ${namespace}`);
    const total = [...this.#bound.values()].reduce((sum, count) => sum + count, 0);
    return [{ verb: 'bound', text: `${counted(total, 'pod')}: ${parts.join(', ')}` }];
  }

  #forget(): void {
    this.#planned = [];
    this.#launched = [];
    this.#ready = [];
    this.#gone = [];
    this.#bound = new Map();
    this.#decisions = [];
  }
}

/** Whether it says more than the objects themselves show. That a node stays is the rule, and not shown. */
function isShown({ spec: { action, subject } }: Decision): boolean {
  return action === 'Disrupt' || action === 'Freeze' || (action === 'Refuse' && subject.kind !== 'NodeClaim');
}

function wordsOf({ spec }: Decision): string {
  return spec.message;
}

function became(condition: string, before: NodeClaim | undefined, after: NodeClaim): boolean {
  return isTrue(after.status.conditions, condition) && !isTrue(before?.status.conditions ?? [], condition);
}

function poolOf({ spec }: NodeClaim): string {
  return spec.nodePool;
}

function offeringOf({ status: { instanceType, capacityType, zone } }: NodeClaim): string {
  return `${instanceType ?? '?'} ${capacityType ?? '?'} in ${zone ?? '?'}`;
}

function poolsOf(claims: readonly NodeClaim[]): string {
  return [...new Set(claims.map(poolOf))].join(', ');
}

function priceOf(claims: readonly NodeClaim[]): number {
  return claims.reduce((sum, { status }) => sum + (status.hourlyPrice ?? 0), 0);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${String(names.length - MOST_NAMES)} more` : shown;
}

function grouped<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): readonly (readonly [string, readonly T[]])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups];
}
