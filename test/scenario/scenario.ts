/**
 * The language of scenarios: given some policies, when something is applied, scaled or deleted, expect pods scheduled, nodes
 * launched or terminated. It knows worlds only through their port, so that each scenario can run in any of them.
 */
import { footprint, type Scope } from './footprint.js';
import type { Manifest, ObjectName, SeenClaim, SeenNode, SeenPod, World } from './world.js';

/** Longer than a batch, a launch and a boot take together in any world. */
const SECONDS = 60;

export interface ScheduledExpectation {
  /** Pods with this `app` label. */
  readonly app: string;
  /** How many there are to be, all bound and ready. */
  readonly pods: number;
  /** Whether each must be where it was planned first; true unless given. */
  readonly whereFirstPlanned?: boolean;
}

export interface LaunchedExpectation {
  /** Claims that are Ready, all together. */
  readonly nodes: number;
  readonly nodePool?: string;
  readonly instanceType?: string;
  readonly capacityType?: string;
}

export interface AllScheduledExpectation {
  readonly namespace: string;
  /** Of all its workloads, DaemonSets left out. */
  readonly pods: number;
}

/** The steps, bound to a world; each resolves once it holds and fails with what was seen instead. */
export class Scenario {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** What is there before anything happens. */
  given(...manifests: readonly Manifest[]): Promise<void> {
    return this.#world.apply(manifests);
  }

  whenApplied(...manifests: readonly Manifest[]): Promise<void> {
    return this.#world.apply(manifests);
  }

  whenScaled(app: string, replicas: number, namespace = 'default'): Promise<void> {
    return this.#world.scale({ kind: 'Deployment', namespace, name: app }, replicas);
  }

  whenDeleted(object: ObjectName): Promise<void> {
    return this.#world.remove(object);
  }

  /** Answers the pods. */
  async expectScheduled(expected: ScheduledExpectation): Promise<readonly SeenPod[]> {
    const what = `${String(expected.pods)} pods of ${expected.app} are bound and ready`;
    const pods = await this.#until(what, async () => {
      const found = await this.#podsOf(expected.app);
      return (
        found.length === expected.pods &&
        found.every(({ nodeName, ready }) => nodeName !== undefined && ready) &&
        found
      );
    });
    if (expected.whereFirstPlanned ?? true) await this.#expectWherePlanned(pods);
    return pods;
  }

  /** Answers the pods of a namespace once all of them run, each where it was planned first. */
  async expectAllScheduled({ namespace, pods: count }: AllScheduledExpectation): Promise<readonly SeenPod[]> {
    const pods = await this.#until(`${String(count)} pods of ${namespace} are bound and ready`, async () => {
      const found = (await this.#world.pods()).filter((pod) => pod.namespace === namespace);
      return found.length === count && found.every(({ ready }) => ready) && found;
    });
    await this.#expectWherePlanned(pods);
    return pods;
  }

  /** Nothing is launched, moved or taken away in these pools and namespaces for so long. */
  async expectQuiet(seconds: number, scope: Scope): Promise<void> {
    const before = await footprint(this.#world, scope);
    await this.#world.quietFor(seconds);
    const after = await footprint(this.#world, scope);
    const gone = before.filter((line) => !after.includes(line));
    const fresh = after.filter((line) => !before.includes(line));
    if (gone.length + fresh.length > 0)
      throw new Error(`something happened: no longer ${gone.join(', ')}; now ${fresh.join(', ')}`);
  }

  /** Pods that stay pending, with what kube-scheduler says of them. */
  async expectPending(app: string, refusal: string): Promise<void> {
    await this.#until(`pods of ${app} are refused with "${refusal}"`, async () => {
      const pods = await this.#podsOf(app);
      return (
        pods.length > 0 && pods.every((pod) => pod.nodeName === undefined && pod.refusal.includes(refusal))
      );
    });
  }

  /** Answers the claims. */
  expectLaunched(expected: LaunchedExpectation): Promise<readonly SeenClaim[]> {
    const { nodes, ...wanted } = expected;
    const facts = Object.entries(wanted);
    const what = `${String(nodes)} claims are Ready with ${facts.map(([key, value]) => `${key} ${value}`).join(', ')}`;
    return this.#until(what, async () => {
      const claims = await this.#world.claims();
      const ready = claims.filter((claim) => claim.conditions.includes('Ready'));
      const fits = ready.every((claim) =>
        facts.every(([key, value]) => claim[key as keyof SeenClaim] === value),
      );
      return ready.length === nodes && claims.length === nodes && fits && claims;
    });
  }

  /** Nodes, claims and instances that are gone; with no names, all that there were. */
  async expectTerminated(names: readonly string[] | 'all'): Promise<void> {
    const isMeant = (name: string | undefined): boolean =>
      names === 'all' || (name !== undefined && names.includes(name));
    await this.#until(
      `the nodes ${names === 'all' ? 'of all claims' : names.join(', ')} are gone`,
      async () => {
        const claims = await this.#world.claims();
        const left = new Set((await this.#world.nodes()).map(({ name }) => name));
        const held = names === 'all' ? claims.length > 0 : claims.some(({ nodeName }) => isMeant(nodeName));
        return !held && (names === 'all' ? true : !names.some((name) => left.has(name)));
      },
    );
    if (names === 'all') await this.expectInstances(0);
  }

  /** How many instances of the cloud have not ended. */
  async expectInstances(count: number): Promise<void> {
    await this.#until(`${String(count)} instances run`, () =>
      Promise.resolve(
        this.#world.instances().filter(({ state }) => state === 'pending' || state === 'running').length ===
          count,
      ),
    );
  }

  /** A Decision on record, by subject (`Kind/name`, namespaced as `Kind/namespace/name`), action and reason. */
  async expectDecision(subject: string, action: string, reason: string): Promise<void> {
    await this.#until(`Decision ${action} ${reason} about ${subject}`, async () => {
      const decisions = await this.#world.decisions();
      return decisions.some(
        (each) => each.subject.startsWith(subject) && each.action === action && each.reason === reason,
      );
    });
  }

  /** The node of this name, as soon as it is there. */
  node(name: string): Promise<SeenNode> {
    return this.#until(`node ${name} is there`, async () =>
      (await this.#world.nodes()).find((each) => each.name === name),
    );
  }

  async #podsOf(app: string): Promise<readonly SeenPod[]> {
    return (await this.#world.pods()).filter(({ labels }) => labels['app'] === app);
  }

  async #expectWherePlanned(pods: readonly SeenPod[]): Promise<void> {
    const claims = new Map(
      (await this.#world.claims()).map(({ name, nodeName }) => [`NodeClaim/${name}`, nodeName]),
    );
    const plans = await this.#world.plans();
    const astray = pods.filter(({ uid, nodeName = '' }) => {
      const [first = 'no plan'] = plans.get(uid)?.targets ?? [];
      return (claims.get(first) ?? first.replace('Node/', '')) !== nodeName;
    });
    if (astray.length === 0) return;
    const lines = astray.map(
      ({ name, uid, nodeName = '' }) =>
        `${name} on ${nodeName}, planned ${plans.get(uid)?.targets.join(', ') ?? 'nowhere'}`,
    );
    throw new Error(`pods are not where they were planned: ${lines.join('; ')}`);
  }

  #until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    return this.#world.until(what, look, SECONDS);
  }
}
