/** Where a day is played: the world with levers, and what users and EC2 have done to it so far, which judges excuse things by. */
import type { Draw } from '../../../fuzz/draw.js';
import type { SimulatedWorld } from '../../simulated-world.js';
import type { DeploymentTerms } from './workloads.js';
import { classManifest, poolManifest, type PoolTerms } from './pools.js';

/** Who is kept from working as usual: EC2, which has no capacity; nodes, which boot late or never; calls to AWS; Berth itself. */
export type TroubleWith = 'capacity' | 'boots' | 'calls' | 'berth';

/** A time in which instances could not be had, or not as usual. */
export interface Trouble {
  readonly with: TroubleWith;
  readonly what: string;
  readonly from: number;
  /** Infinity while it lasts. Milliseconds since 1970, as `from`. */
  until: number;
}

export interface PoolVersion {
  readonly from: number;
  readonly terms: PoolTerms;
}

export interface Change {
  readonly at: number;
  readonly what: string;
}

export interface StageOptions {
  readonly world: SimulatedWorld;
  readonly draw: Draw;
  readonly pools: readonly PoolTerms[];
  readonly deployments: readonly DeploymentTerms[];
}

export class Stage {
  readonly world: SimulatedWorld;
  /** For choices among what there is at a moment. */
  readonly draw: Draw;
  readonly deployments: readonly DeploymentTerms[];
  readonly troubles: Trouble[] = [];
  /** Everything that may be a reason to move pods again. */
  readonly changes: Change[] = [];
  /** Instances that EC2 or a user took, or is about to take. */
  readonly taken = new Set<string>();
  /** Spot instances that were interrupted. */
  interruptions = 0;
  readonly #onInterruption = new Set<(nodeName: string) => void>();
  readonly #pools = new Map<string, PoolVersion[]>();
  readonly #ends = new Set<() => void>();
  readonly #replicas = new Map<string, number>();
  readonly #revisions = new Map<string, number>();
  #classGeneration = 1;
  #names = 0;

  constructor({ world, draw, pools, deployments }: StageOptions) {
    this.world = world;
    this.draw = draw;
    this.deployments = deployments;
    const from = world.clock.now();
    for (const terms of pools) this.#pools.set(terms.name, [{ from, terms }]);
  }

  get now(): number {
    return this.world.clock.now();
  }

  /** Puts it into the trace. */
  note(what: string): void {
    this.changes.push({ at: this.now, what });
    this.world.actors.trace.add('day', '-', what);
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : items[this.draw.integer(0, items.length - 1)];
  }

  /** EC2 or a user takes the instance. */
  take(instanceID: string, what: string): void {
    this.taken.add(instanceID);
    this.note(what);
  }

  /** EC2 warns that it takes the spot instance in two minutes. */
  interrupt({ id, privateDnsName }: { readonly id: string; readonly privateDnsName: string }): void {
    this.take(id, `spot instance ${id} (${privateDnsName}) is interrupted`);
    this.interruptions++;
    for (const listener of this.#onInterruption) listener(privateDnsName);
    this.world.aws.interrupt(id);
  }

  /** Called with the name of the node. */
  onInterruption(listener: (nodeName: string) => void): void {
    this.#onInterruption.add(listener);
  }

  nextName(prefix: string): string {
    return `${prefix}-${String(++this.#names)}`;
  }

  /** Newest first. */
  versionsOf(pool: string): readonly PoolVersion[] {
    return [...(this.#pools.get(pool) ?? [])].reverse();
  }

  get pools(): readonly PoolTerms[] {
    return [...this.#pools.keys()].flatMap((name) => this.versionsOf(name)[0]?.terms ?? []);
  }

  async changePool(terms: PoolTerms, what: string): Promise<void> {
    this.note(`NodePool ${terms.name}: ${what}`);
    this.#pools.get(terms.name)?.push({ from: this.now, terms });
    await this.world.apply([poolManifest(terms)]);
  }

  async changeClass(): Promise<void> {
    this.#classGeneration++;
    this.note(`EC2NodeClass default: generation ${String(this.#classGeneration)}`);
    await this.world.apply([classManifest(this.#classGeneration)]);
  }

  replicasOf(name: string): number | undefined {
    return this.#replicas.get(name);
  }

  async scale(name: string, replicas: number): Promise<void> {
    if (this.#replicas.get(name) === replicas) return;
    this.#replicas.set(name, replicas);
    this.note(`Deployment ${name}: ${String(replicas)} replicas`);
    await this.world.scale({ kind: 'Deployment', name }, replicas);
  }

  /** Answers the next revision of its pods. */
  nextRevision(name: string): number {
    const revision = (this.#revisions.get(name) ?? 1) + 1;
    this.#revisions.set(name, revision);
    return revision;
  }

  /** Something that passes: `begin` answers what ends it. `of`: whom it keeps from working as usual, if anybody. */
  during(
    what: string,
    { minutes, of }: { readonly minutes: number; readonly of?: TroubleWith },
    begin: () => () => void,
  ): void {
    this.note(`${what}: begins, for ${minutes.toFixed(1)} min`);
    const undo = begin();
    const trouble: Trouble | undefined = of && { with: of, what, from: this.now, until: Infinity };
    if (trouble !== undefined) this.troubles.push(trouble);
    const end = (): void => {
      stop();
      this.#ends.delete(end);
      if (trouble !== undefined) trouble.until = this.now;
      this.note(`${what}: ends`);
      undo();
    };
    const stop = this.world.clock.timer(minutes * 60_000, end);
    this.#ends.add(end);
  }

  /** Everything that passes has passed. */
  calm(): void {
    for (const end of [...this.#ends]) end();
  }

  /** How long of the time since then Berth ran and its calls to AWS were answered. */
  workingMillis(since: number): number {
    const { now } = this;
    const step = 10_000;
    let working = 0;
    for (let at = since; at < now; at += step)
      if (!this.troublesIn(at, at).some((trouble) => trouble.with === 'calls' || trouble.with === 'berth'))
        working += Math.min(step, now - at);
    return working;
  }

  /** What stood in the way of launches at some moment of this time. */
  troublesIn(from: number, until: number): readonly Trouble[] {
    return this.troubles.filter((trouble) => trouble.from <= until && trouble.until >= from);
  }
}
