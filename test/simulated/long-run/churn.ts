/** What users and EC2 do to a cluster for hours: by a seed, so that it is the same again. */
import type { Random } from '../../../src/ports/random.js';
import { deployment, job, nodeClass, nodePool } from '../../scenario/objects.js';
import type { SimulatedWorld } from '../simulated-world.js';

const SHORTEST_MILLIS = 60_000;
const LONGEST_MILLIS = 150_000;
const MOST_DEPLOYMENTS = 10;
const MOST_REPLICAS = 6;
const MOST_JOB_PODS = 4;
/** How long a type is out of stock. */
const DRY_MILLIS = 600_000;
const CPU = ['250m', '500m', '1', '1500m', '2'];
const TYPES = ['c5a.large', 'c5a.xlarge', 'c6g.large', 'm5.large', 'm5a.large', 't3a.medium', 't4g.medium'];
const ARCHITECTURES = ['amd64', 'arm64'];

export interface ChurnCounts {
  scaled: number;
  jobs: number;
  created: number;
  deleted: number;
  interrupted: number;
  /** Times that a type went out of stock. */
  dry: number;
}

export class Churn {
  readonly counts: ChurnCounts = { scaled: 0, jobs: 0, created: 0, deleted: 0, interrupted: 0, dry: 0 };
  readonly #world: SimulatedWorld;
  readonly #random: Random;
  readonly #deployments: string[] = [];
  readonly #dry = new Set<() => void>();
  #names = 0;

  constructor(world: SimulatedWorld, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  /** Two pools, and the first workloads. */
  async begin(): Promise<void> {
    const disruption = {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '60s',
      budgets: [{ nodes: '30%' }],
    };
    const both = { 'kubernetes.io/arch': ARCHITECTURES };
    await this.#world.apply([
      nodeClass(),
      nodePool({
        name: 'spot',
        requirements: { ...both, 'karpenter.sh/capacity-type': ['spot'] },
        spec: { disruption, weight: 10 },
      }),
      nodePool({ name: 'steady', requirements: both, spec: { disruption, limits: { cpu: '100' } } }),
    ]);
    for (let count = 0; count < MOST_DEPLOYMENTS / 2; count++) await this.#create();
  }

  /** Something happens every other minute or so until so much time has passed. */
  async go(millis: number): Promise<void> {
    const { clock } = this.#world;
    const end = clock.monotonic() + millis;
    while (clock.monotonic() < end) {
      await this.#act();
      const pause = SHORTEST_MILLIS + this.#random.next() * (LONGEST_MILLIS - SHORTEST_MILLIS);
      await clock.advance(Math.min(pause, end - clock.monotonic()));
    }
  }

  /** Everything is in stock again; resolves when every pod has a node and every instance a claim. */
  async end(): Promise<void> {
    for (const refill of this.#dry) refill();
    await this.#world.until(
      'all pods run, on as many instances as there are claims',
      () => this.#isCalm(),
      300,
    );
  }

  async #act(): Promise<void> {
    const chance = this.#random.next();
    if (chance < 0.5) await this.#scale();
    else if (chance < 0.7) await this.#runJob();
    else if (chance < 0.8)
      await (this.#deployments.length < MOST_DEPLOYMENTS ? this.#create() : this.#delete());
    else if (chance < 0.9) this.#interrupt();
    else this.#runDry();
  }

  async #scale(): Promise<void> {
    const name = this.#pick(this.#deployments);
    if (name === undefined) return;
    this.counts.scaled++;
    await this.#world.scale({ kind: 'Deployment', name }, this.#below(MOST_REPLICAS + 1));
  }

  async #create(): Promise<void> {
    const name = `web-${String(++this.#names)}`;
    this.counts.created++;
    this.#deployments.push(name);
    const replicas = 1 + this.#below(MOST_REPLICAS);
    await this.#world.apply([deployment({ name, replicas, requests: this.#requests() })]);
  }

  async #delete(): Promise<void> {
    const [name] = this.#deployments.splice(this.#below(this.#deployments.length), 1);
    if (name === undefined) return;
    this.counts.deleted++;
    await this.#world.remove({ kind: 'Deployment', name });
  }

  async #runJob(): Promise<void> {
    const name = `job-${String(++this.#names)}`;
    this.counts.jobs++;
    const parallelism = 1 + this.#below(MOST_JOB_PODS);
    const seconds = 60 + this.#below(180);
    await this.#world.apply([job({ name, requests: this.#requests(), parallelism, seconds })]);
  }

  #interrupt(): void {
    const { aws } = this.#world;
    const spot = aws
      .instances()
      .filter(({ capacityType, state }) => capacityType === 'spot' && state === 'running');
    const instance = this.#pick(spot);
    if (instance === undefined) return;
    this.counts.interrupted++;
    aws.interrupt(instance.id);
  }

  #runDry(): void {
    const { aws, clock } = this.#world;
    const instanceType = this.#pick(TYPES);
    this.counts.dry++;
    aws.setStock({ instanceType }, 0);
    const refill = (): void => {
      stop();
      this.#dry.delete(refill);
      aws.setStock({ instanceType }, Infinity);
    };
    const stop = clock.timer(DRY_MILLIS, refill);
    this.#dry.add(refill);
  }

  async #isCalm(): Promise<boolean> {
    const pods = await this.#world.pods();
    const claims = await this.#world.claims();
    const instances = this.#world
      .instances()
      .filter(({ state }) => state === 'pending' || state === 'running');
    return (
      pods.every(({ nodeName }) => nodeName !== undefined) &&
      claims.every(({ conditions, deleting }) => conditions.includes('Ready') && !deleting) &&
      instances.length === claims.length
    );
  }

  #requests(): Readonly<Record<string, string>> {
    return { cpu: this.#pick(CPU) ?? '1', memory: `${String(1 + this.#below(3))}Gi` };
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[this.#below(items.length)];
  }

  #below(count: number): number {
    return Math.floor(this.#random.next() * count);
  }
}
