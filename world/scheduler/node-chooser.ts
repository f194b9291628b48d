/** One scheduling cycle: the node a pod goes to, or why there is none. */
import type { Chance } from '../cluster/chance.js';
import type { Diagnosis } from './diagnosis.js';
import type { Extender } from './extender.js';
import { feasibility, localFeasibility } from './filters/feasibility.js';
import type { NodeCache } from './node-cache.js';
import { EarlyRefusal, refusal, type Facts, type NodeCheck, type Refusal } from './filters/node-check.js';
import type { NodeInfo } from './filters/node-info.js';
import type { Nominations } from './nominations.js';
import type { PodInfo } from './filters/pod-info.js';
import { scores } from './scores.js';

/** Smaller clusters are always looked at as a whole. */
const ALL_NODES = 100;
const LEAST_PERCENT = 5;

export type Choice = { readonly nodeName: string } | { readonly diagnosis: Diagnosis };

export interface NodeChooserOptions {
  readonly cache: NodeCache;
  readonly nominations: Nominations;
  readonly extender: Extender | undefined;
  readonly chance: Chance;
}

export class NodeChooser {
  readonly #options: NodeChooserOptions;
  #start = 0;

  constructor(options: NodeChooserOptions) {
    this.#options = options;
  }

  /** @throws Error when an extender that may not be ignored fails. */
  async choose(pod: PodInfo): Promise<Choice> {
    const facts = this.#options.cache.facts();
    const nodeCount = facts.nodes.length;
    let check: NodeCheck;
    try {
      check = this.#check(pod, facts);
    } catch (error) {
      if (!(error instanceof EarlyRefusal)) throw error;
      const early = { plugin: error.plugin, message: error.message };
      return { diagnosis: { nodeCount, refusals: new Map(), early } };
    }
    if (await this.#isNominatedFine(pod, check)) return { nodeName: pod.pod.status?.nominatedNodeName ?? '' };
    const refusals = new Map<string, Refusal>();
    const fine = this.#filter(facts.nodes, check, refusals);
    const names = await this.#ask(pod, fine, refusals);
    if (names.length === 0) return { diagnosis: { nodeCount, refusals, early: undefined } };
    return { nodeName: await this.#best(pod, fine, names) };
  }

  /** A node must do with the pods that go first there, and without. */
  #check(pod: PodInfo, facts: Facts): NodeCheck {
    const { nominations } = this.#options;
    const whole = feasibility(pod, facts);
    const local = localFeasibility(pod, facts);
    return (node) => {
      const crowded = nominations.withBetter(node, pod);
      return (crowded === undefined ? undefined : local(crowded)) ?? whole(node);
    };
  }

  /** The nominated node is tried first and alone. */
  async #isNominatedFine(pod: PodInfo, check: NodeCheck): Promise<boolean> {
    const { cache, extender } = this.#options;
    const { nominatedNodeName = '' } = pod.pod.status ?? {};
    const node = cache.node(nominatedNodeName);
    if (node === undefined || check(node) !== undefined) return false;
    if (extender === undefined) return true;
    return (await extender.filter(pod.pod, [node.name])).nodeNames.length > 0;
  }

  /** Large clusters are looked at from where the last look ended, until enough nodes would do. */
  #filter(nodes: readonly NodeInfo[], check: NodeCheck, refusals: Map<string, Refusal>): readonly NodeInfo[] {
    const enough = enoughOf(nodes.length);
    const fine: NodeInfo[] = [];
    let looked = 0;
    for (; looked < nodes.length && fine.length < enough; looked++) {
      const node = nodes[(this.#start + looked) % nodes.length];
      if (node === undefined) continue;
      const found = check(node);
      if (found === undefined) fine.push(node);
      else refusals.set(node.name, found);
    }
    if (nodes.length > 0) this.#start = (this.#start + looked) % nodes.length;
    return fine;
  }

  async #ask(
    { pod }: PodInfo,
    fine: readonly NodeInfo[],
    refusals: Map<string, Refusal>,
  ): Promise<readonly string[]> {
    const names = fine.map(({ name }) => name);
    const { extender } = this.#options;
    if (extender === undefined || names.length === 0) return names;
    const { nodeNames, refused } = await extender.filter(pod, names);
    const passed = new Set(nodeNames);
    for (const name of names) {
      if (passed.has(name)) continue;
      const { message, resolvable } = refused.get(name) ?? { message: '', resolvable: true };
      refusals.set(name, refusal('Extender', message, resolvable));
    }
    return nodeNames;
  }

  async #best(pod: PodInfo, fine: readonly NodeInfo[], names: readonly string[]): Promise<string> {
    const [first = ''] = names;
    if (names.length === 1) return first;
    const { extender, chance } = this.#options;
    const passed = new Set(names);
    const own = scores(
      pod,
      fine.filter(({ name }) => passed.has(name)),
    );
    const added = await extender?.prioritize(pod.pod, names);
    const total = names.map((name) => (own.get(name) ?? 0) + (added?.get(name) ?? 0));
    const most = Math.max(...total);
    const best = names.filter((_, index) => total[index] === most);
    return best[Math.floor(chance.of(`choose ${pod.key}`) * best.length)] ?? first;
  }
}

/** kube-scheduler's percentageOfNodesToScore when it is not set. */
function enoughOf(nodes: number): number {
  if (nodes < ALL_NODES) return nodes;
  const percent = Math.max(50 - Math.floor(nodes / 125), LEAST_PERCENT);
  return Math.max(Math.floor((nodes * percent) / 100), ALL_NODES);
}
