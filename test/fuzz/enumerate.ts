/** Every solution of a very small problem, one after the other, to prove that the search finds the best. */
import type { Model, ModelPod } from './model.js';
import { compareScores, PackingState, prioritiesOf, type Score } from './packing-state.js';
import { Binding, findOrder, type Host } from './binding.js';
import { isWithin, type Form } from './forms.js';

export interface Enumeration {
  /** A score better than the one given; undefined when there is none. */
  readonly better: Score | undefined;
  /** Whether nothing was left to look at, or a better one was found. */
  readonly isComplete: boolean;
}

interface Block {
  readonly host: Host;
  readonly group: number;
  readonly members: number[];
}

/**
 * Looks for any solution that is better than `than`; partial ones that cannot become so are not continued. Gives up after
 * `most` complete and partial solutions.
 */
export function findBetter(model: Model, than: Score, most = Infinity): Enumeration {
  return new Enumerator(model, than, most).run();
}

class Enumerator {
  readonly #model: Model;
  readonly #than: Score;
  readonly #helper: PackingState;
  readonly #pending: readonly ModelPod[];
  readonly #priorities: readonly number[];
  readonly #blocks: Block[] = [];
  readonly #leftOut: number[];
  #better: Score | undefined;
  #left: number;

  constructor(model: Model, than: Score, most: number) {
    this.#left = most;
    this.#model = model;
    this.#than = than;
    this.#helper = new PackingState(model);
    this.#pending = model.pods
      .filter(({ boundTo }) => boundTo < 0)
      .sort((left, right) => (left.sameAs < right.sameAs ? -1 : 1));
    this.#priorities = prioritiesOf(model);
    this.#leftOut = this.#priorities.map(() => 0);
    for (const { site, name, members } of this.#helper.nodes)
      this.#blocks.push({ host: { site, name }, group: -1, members: [...members] });
  }

  run(): Enumeration {
    this.#place(0);
    return { better: this.#better, isComplete: this.#left > 0 };
  }

  /** The choice made for the pod before, where it is one question with this one: choices of equals do not go down. */
  #place(position: number, before = -1): void {
    if (this.#better !== undefined || this.#left <= 0) return;
    this.#left -= 1;
    const pod = this.#pending[position];
    if (!this.#mayBeBetter()) return;
    if (pod === undefined) {
      this.#judge();
      return;
    }
    const isEqual = this.#pending[position - 1]?.sameAs === pod.sameAs;
    const least = isEqual ? before : -1;
    for (let at = Math.max(0, least); at < this.#blocks.length; at++) this.#join(pod, at, position);
    this.#openEach(pod, least, position);
    const rank = this.#priorities.indexOf(pod.spec.priority);
    this.#leftOut[rank] = (this.#leftOut[rank] ?? 0) + 1;
    this.#place(position + 1, Infinity);
    this.#leftOut[rank] = (this.#leftOut[rank] ?? 0) - 1;
  }

  #join(pod: ModelPod, at: number, position: number): void {
    const block = this.#blocks[at];
    if (block === undefined) return;
    block.members.push(pod.index);
    if (this.#formsOf(block).length > 0) this.#place(position + 1, at);
    block.members.pop();
  }

  #openEach(pod: ModelPod, least: number, position: number): void {
    if (least > this.#blocks.length) return;
    for (const group of this.#model.groups.keys()) this.#open(pod, group, position);
  }

  #open(pod: ModelPod, group: number, position: number): void {
    const [site] = this.#model.groups[group] ?? [];
    if (site === undefined) return;
    const host = { site, name: `launched-${String(this.#blocks.length)}` };
    this.#blocks.push({ host, group, members: [pod.index] });
    if (this.#formsOf(this.#blocks.at(-1)).length > 0) this.#place(position + 1, this.#blocks.length - 1);
    this.#blocks.pop();
  }

  #formsOf(block: Block | undefined): readonly Form[] {
    if (block === undefined) return [];
    return this.#helper.formsAt(block.group, block.members, block.host.site);
  }

  #mayBeBetter(): boolean {
    const price = this.#blocks.reduce((sum, block) => sum + (this.#formsOf(block)[0]?.site.price ?? 0), 0);
    return compareScores({ leftOut: this.#leftOut, price }, this.#than) < 0;
  }

  #judge(): void {
    const hostOf = this.#model.pods.map(({ index }) =>
      this.#blocks.findIndex(({ members }) => members.includes(index)),
    );
    if (!this.#hasWholeGangs(hostOf) || !this.#keepsExclusive()) return;
    const hosts = this.#blocks.map(({ host }) => host);
    const price = this.#cheapest(0, []);
    if (price === Infinity) return;
    const score = { leftOut: [...this.#leftOut], price };
    if (compareScores(score, this.#than) >= 0) return;
    const holds = (['existing', 'launchable'] as const).every(
      (domains) => findOrder(new Binding(this.#model, hosts, hostOf, domains)) !== undefined,
    );
    if (holds) this.#better = score;
  }

  /** USD/h of the cheapest forms of the blocks that stay within all limits together. */
  #cheapest(at: number, chosen: readonly Form[]): number {
    const block = this.#blocks[at];
    if (block === undefined) return 0;
    const { pools } = this.#model.input;
    let least = Infinity;
    for (const form of this.#formsOf(block)) {
      const { site } = form;
      const limits = site.node === undefined ? pools[site.pool]?.pool.limits : undefined;
      const ofPool = [...chosen, form].filter((each) => each.site.pool === site.pool);
      if (limits !== undefined && !isWithin(limits, ofPool)) continue;
      least = Math.min(least, site.price + this.#cheapest(at + 1, [...chosen, form]));
      if (!this.#model.hasLimits) break;
    }
    return least;
  }

  #hasWholeGangs(hostOf: readonly number[]): boolean {
    return (this.#model.input.gangs ?? []).every(({ key, minMembers }) => {
      const members = this.#model.pods.filter(({ pod }) => pod.gang?.key === key && !pod.terminating);
      const placed = members.filter(({ index }) => (hostOf[index] ?? -1) >= 0);
      return placed.every(({ boundTo }) => boundTo >= 0) || placed.length >= minMembers;
    });
  }

  #keepsExclusive(): boolean {
    const { volumes, pods } = this.#model;
    const uses = this.#blocks.flatMap(({ members }) =>
      members.flatMap((index) => pods[index]?.spec.volumes ?? []),
    );
    const exclusive = uses.filter((use) => volumes.resolve(use).readWriteOncePod).map(({ claim }) => claim);
    return new Set(exclusive).size === exclusive.length;
  }
}
