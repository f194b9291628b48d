/** Questions that a kube-scheduler could ask an extender about the cluster as it is: many kinds of them, the same for a seed. */
import type { Random } from '../../../src/ports/random.js';
import { seededRandom } from '../../../world/seeded-random.js';
import type { Node, Pod } from '../fixture/api/kube-object.js';
import type { ExtenderVerb } from './extender-client.js';

export interface ExtenderQuestion {
  readonly verb: ExtenderVerb;
  readonly body: { readonly Pod: Pod; readonly [field: string]: unknown };
}

export interface QuestionSource {
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
}

/** A node that no watch has told of. */
const UNKNOWN_NODE = 'nobody-knows-this-node';
/** Of the cluster's nodes, how likely each is asked about. */
const SHARES = [0.2, 0.6, 1];
const VERBS: readonly ExtenderVerb[] = ['filter', 'filter', 'prioritize', 'preempt'];
/** One question in so many is about a pod that no watch has told of, has whole nodes, has an unknown node. */
const STRANGERS = 10;
const WHOLE = 6;
const UNKNOWN = 8;

/** As many questions as asked for; the pods and nodes are taken in the order of their names, so that only the seed matters. */
export function extenderQuestions(
  { pods, nodes }: QuestionSource,
  { seed, count }: { readonly seed: number; readonly count: number },
): readonly ExtenderQuestion[] {
  const chance = new Chance(seed);
  const sorted = { pods: byName(pods), nodes: byName(nodes) };
  return Array.from({ length: count }, (_, index) =>
    questionOf(chance, sorted, `${String(seed)}-${String(index)}`),
  );
}

function questionOf(chance: Chance, { pods, nodes }: QuestionSource, name: string): ExtenderQuestion {
  const verb = chance.of(VERBS);
  const known = chance.of(pods);
  const pod = chance.once(STRANGERS) ? stranger(known, name) : known;
  const share = chance.of(SHARES);
  const asked = chance.shuffled(nodes.filter(() => chance.below(1) < share));
  if (verb === 'preempt')
    return { verb, body: { Pod: pod, NodeNameToMetaVictims: victims(chance, asked, pods) } };
  if (chance.once(WHOLE)) return { verb, body: { Pod: pod, Nodes: { items: asked }, NodeNames: null } };
  const names = asked.map(({ metadata }) => metadata.name);
  if (chance.once(UNKNOWN)) names.push(UNKNOWN_NODE);
  return { verb, body: { Pod: pod, Nodes: null, NodeNames: names } };
}

/** Some of the pods on each node. */
function victims(
  chance: Chance,
  nodes: readonly Node[],
  pods: readonly Pod[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    nodes.map(({ metadata: { name } }) => {
      const here = pods.filter(({ spec }) => spec.nodeName === name && chance.below(1) < 0.5);
      const meta = here.map(({ metadata }) => ({ UID: metadata.uid }));
      return [name, { Pods: meta, NumPDBViolations: Math.floor(chance.below(3)) }];
    }),
  );
}

/** The same pod as a new one: nothing is planned for it. */
function stranger({ metadata, spec, ...rest }: Pod, name: string): Pod {
  const unbound = Object.fromEntries(Object.entries(spec).filter(([field]) => field !== 'nodeName'));
  const uid = `stranger-${name}`;
  return { ...rest, metadata: { ...metadata, name: uid, uid }, spec: unbound as unknown as Pod['spec'] };
}

function byName<T extends Pod | Node>(objects: readonly T[]): readonly T[] {
  const key = ({ metadata }: T): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  return [...objects].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

class Chance {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** From 0, and less than this. */
  below(end: number): number {
    return this.#random.next() * end;
  }

  once(inSoMany: number): boolean {
    return this.below(inSoMany) < 1;
  }

  of<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.below(choices.length))];
    if (choice === undefined) throw new Error('there is nothing to choose from');
    return choice;
  }

  shuffled<T>(items: readonly T[]): readonly T[] {
    return items
      .map((item) => ({ item, rank: this.below(1) }))
      .sort((left, right) => left.rank - right.rank)
      .map(({ item }) => item);
  }
}
