/**
 * Rules that may hold each other up: pods that one of them keeps waiting wait for pods that another does, and so on around
 * in a circle. Where there is no such circle, any order of binding ends with all pods bound: of the pods that wait, follow
 * what they wait for until rules that wait for no others. One spread constraint alone always has a pod that may be bound, in
 * its least domain; required affinity and the order that it needs are proven to let all come.
 */
import type { Stand } from './planned-cluster.js';
import type { WaitRule } from './wait-rules.js';

/** Rules in such circles, with all stands that they count or ask. */
export interface DeadlockGroup {
  readonly rules: readonly WaitRule[];
  readonly stands: readonly Stand[];
}

type Links = Pick<WaitRule, 'blocks' | 'awaits'>;

/** Groups that share no circle, an order of binding among the stands of each included. */
export function deadlockGroups(rules: readonly WaitRule[]): readonly DeadlockGroup[] {
  let groups = groupsAmong(rules, []);
  for (;;) {
    // As though the stands of a group waited for each other: then its rules wait for whatever any of them waits for.
    const orders = groups.map(({ stands }): Links => {
      const all = new Set(stands);
      return { blocks: all, awaits: all };
    });
    const wider = groupsAmong(rules, orders);
    const size = (each: readonly DeadlockGroup[]): number =>
      each.reduce((sum, group) => sum + group.rules.length, 0);
    if (wider.length === groups.length && size(wider) === size(groups)) return groups;
    groups = wider;
  }
}

function groupsAmong(rules: readonly WaitRule[], orders: readonly Links[]): readonly DeadlockGroup[] {
  const circles = circlesOf(followers([...rules, ...orders]));
  return circles.flatMap((members): DeadlockGroup[] => {
    const own = members.flatMap((index) => rules[index] ?? []);
    if (own.length < 2 || own.every(({ spread }) => spread === undefined)) return [];
    return [{ rules: own, stands: [...new Set(own.flatMap(({ stands }) => stands))] }];
  });
}

/** Rule → the rules that may keep pods waiting for which its own pods wait. */
function followers(rules: readonly Links[]): readonly (readonly number[])[] {
  const blockers = new Map<Stand, number[]>();
  for (const [index, { blocks }] of rules.entries()) {
    for (const stand of blocks) {
      const known = blockers.get(stand);
      if (known === undefined) blockers.set(stand, [index]);
      else known.push(index);
    }
  }
  return rules.map(({ awaits }) => {
    const next = new Set<number>();
    for (const stand of awaits) for (const index of blockers.get(stand) ?? []) next.add(index);
    return [...next];
  });
}

/** Sets of rules each of which leads to all others of its set (strongly connected components: Tarjan, 1972). */
function circlesOf(next: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const found: number[][] = [];
  const number = new Int32Array(next.length).fill(-1);
  const lowest = new Int32Array(next.length);
  const isOpen = new Uint8Array(next.length);
  const open: number[] = [];
  let count = 0;
  const visit = (rule: number): void => {
    lowest[rule] = number[rule] = count++;
    open.push(rule);
    isOpen[rule] = 1;
    for (const other of next[rule] ?? []) {
      if (number[other] === -1) visit(other);
      if (isOpen[other] === 1) lowest[rule] = Math.min(lowest[rule] ?? 0, lowest[other] ?? 0);
    }
    if (lowest[rule] !== number[rule]) return;
    const circle = open.splice(open.lastIndexOf(rule));
    for (const member of circle) isOpen[member] = 0;
    found.push(circle);
  };
  for (const rule of next.keys()) if (number[rule] === -1) visit(rule);
  return found;
}
