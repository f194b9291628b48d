/** Pods that could hold each other up, so that none of them is ever bound, are bound in an order that the plan names. */
import { ZONE } from '../../../src/domain/values/labels.js';
import { provePlan } from '../../../src/planning/prove/prove-plan.js';
import { CompileCache } from '../../../src/planning/engine/compile-cache.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { spreadOver } from '../../support/builders/constraints.js';
import { node } from '../../support/builders/node.js';
import { handMadePlan } from '../../support/builders/plan.js';
import { replicas } from '../../support/builders/pod.js';

const RACK = 'rack';
const MAX_SKEW: Readonly<Record<string, number>> = { [ZONE]: 1, [RACK]: 2 };

type Home = Readonly<Record<string, string>>;

/** Pod n, with both constraints, is on a node with the labels of home n. */
function prove(homes: readonly Home[]): { readonly rules: readonly string[]; readonly after: After } {
  const labels = { app: 'web' };
  const spread = Object.entries(MAX_SKEW).map(([key, maxSkew]) => spreadOver(key, labels, { maxSkew }));
  const input = clusterInput({
    pods: replicas(homes.length, { name: 'web', labels, spread }),
    nodes: homes.map((home, at) => node({ name: `node-${String(at)}`, labels: home })),
  });
  const nodes = Object.fromEntries(
    homes.map((_, at) => [`node-${String(at)}`, [`default/web-${String(at)}`]]),
  );
  const memory = new CompileCache().proof;
  const { refutations, after } = provePlan(buildSnapshot(input), handMadePlan(input, { nodes }), memory);
  return { rules: refutations.map(({ rule }) => rule), after };
}

type After = ReadonlyMap<string, readonly string[]>;

/** Sets of pods (bits) after which none may be bound any more, of all that binding one after the other leads to. */
function deadEnds(homes: readonly Home[], after: After): readonly number[] {
  const waitsFor = homes.map((_, at) =>
    (after.get(`default/web-${String(at)}`) ?? []).map((key) => Number(key.split('-').at(-1))),
  );
  const all = 2 ** homes.length - 1;
  const seen = new Set([0]);
  const ends: number[] = [];
  for (const bound of seen) {
    const next = homes.flatMap((_, at) => {
      const isFree =
        (bound & (1 << at)) === 0 && waitsFor[at]?.every((other) => (bound & (1 << other)) !== 0);
      return isFree === true && isEven(homes, bound, at) ? [bound | (1 << at)] : [];
    });
    for (const each of next) seen.add(each);
    if (next.length === 0 && bound !== all) ends.push(bound);
  }
  return ends;
}

function isEven(homes: readonly Home[], bound: number, pod: number): boolean {
  return Object.entries(MAX_SKEW).every(([key, maxSkew]) => {
    const counts = new Map(homes.map((home) => [home[key], 0]));
    for (const [at, home] of homes.entries())
      if ((bound & (1 << at)) !== 0) counts.set(home[key], (counts.get(home[key]) ?? 0) + 1);
    return (counts.get(homes[pod]?.[key]) ?? 0) + 1 - Math.min(...counts.values()) <= maxSkew;
  });
}

const at = (zone: string, rack: string): Home => ({ [ZONE]: zone, [RACK]: rack });

describe('the proof of a plan in which pods have two spread constraints', () => {
  // With a pod in b and one in c, both in rack 1, that rack is full and only it reaches zone a, which is the next to come.
  const entangled = [at('a', '1'), at('a', '1'), at('b', '1'), at('c', '1'), at('b', '2'), at('c', '2')];

  test('names an order of binding where without one the pods could hold each other up', () => {
    const { rules, after } = prove(entangled);
    expect(deadEnds(entangled, new Map())).not.toEqual([]);
    expect(rules).toEqual([]);
    expect(deadEnds(entangled, after)).toEqual([]);
  });

  test('names none where a pod may be bound in every state that there can be', () => {
    const free = [at('a', '1'), at('a', '2'), at('b', '1'), at('b', '2')];
    const { rules, after } = prove(free);
    expect(deadEnds(free, new Map())).toEqual([]);
    expect(rules).toEqual([]);
    expect([...after]).toEqual([]);
  });
});
