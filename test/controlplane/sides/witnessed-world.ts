/** A world that writes down what a scenario is shown, and leaves everything else to the world that it stands before. */
import type {
  CloudLevers,
  Manifest,
  NodeConditionChange,
  ObjectName,
  SeenClaim,
  SeenDecision,
  SeenEvent,
  SeenInstance,
  SeenNode,
  SeenPlan,
  SeenPod,
  SeenPolicy,
  SeenRequest,
  World,
} from '../../scenario/world.js';
import type { Sight } from './sight.js';

/** A scenario ends when it sees what it asks for; what Berth says of that comes a moment later. */
const LAST_WORD_SECONDS = 5;

/** What there was before, since several scenarios may use a world after one another. */
interface Before {
  readonly at: number;
  readonly claims: ReadonlySet<string>;
  /** Of claims and nodes, as Decisions and Events have them. */
  readonly subjects: ReadonlySet<string>;
  readonly instances: ReadonlySet<string>;
  readonly decisions: ReadonlySet<string>;
  readonly events: ReadonlySet<string>;
}

export class WitnessedWorld implements World {
  readonly #world: World;
  readonly #before: Before;
  readonly #claims = new Map<string, SeenClaim>();
  /** Uid → when the pod was first seen without a node. */
  readonly #waiting = new Map<string, number>();
  #longestWait = 0;

  private constructor(world: World, before: Before) {
    this.#world = world;
    this.#before = before;
  }

  static async of(world: World): Promise<WitnessedWorld> {
    const claims = (await world.claims()).map(({ name }) => name);
    const nodes = (await world.nodes()).map(({ name }) => name);
    return new WitnessedWorld(world, {
      at: world.now(),
      claims: new Set(claims),
      subjects: new Set([
        ...claims.map((name) => `NodeClaim/${name}`),
        ...nodes.map((name) => `Node/${name}`),
      ]),
      instances: new Set(world.instances().map(({ id }) => id)),
      decisions: new Set((await world.decisions()).map(decisionKey)),
      events: new Set((await world.events()).map(eventKey)),
    });
  }

  /** All that happened since it was made. */
  async sight(): Promise<Sight> {
    const { at, instances, subjects, decisions, events } = this.#before;
    const seconds = Math.round((this.now() - at) / 1000);
    await this.#world.quietFor(LAST_WORD_SECONDS);
    await this.claims();
    const claims = [...this.#claims.values()].filter(({ instanceType }) => instanceType !== undefined);
    const told = (await this.decisions()).filter(
      (each) => !subjects.has(each.subject) && !decisions.has(decisionKey(each)),
    );
    const heard = (await this.events()).filter(
      (each) => !subjects.has(each.subject) && !events.has(eventKey(each)),
    );
    return {
      instances: claims.map(instanceText).sort(),
      hourly: claims.reduce((total, { hourlyPrice = 0 }) => total + hourlyPrice, 0).toFixed(6),
      sold: this.instances().filter(({ id }) => !instances.has(id)).length,
      secondsToBound: Math.round(this.#longestWait / 1000),
      seconds,
      decisions: distinct(
        told.map(({ subject, action, reason }) => `${kindOf(subject)}: ${action} ${reason}`),
      ),
      events: distinct(heard.map(({ subject, reason }) => `${kindOf(subject)}: ${reason}`)),
    };
  }

  get cloud(): CloudLevers {
    return this.#world.cloud;
  }

  apply(manifests: readonly Manifest[]): Promise<void> {
    return this.#world.apply(manifests);
  }

  remove(object: ObjectName): Promise<void> {
    return this.#world.remove(object);
  }

  scale(object: ObjectName, replicas: number): Promise<void> {
    return this.#world.scale(object, replicas);
  }

  setNodeCondition(node: string, condition: NodeConditionChange): Promise<void> {
    return this.#world.setNodeCondition(node, condition);
  }

  resize(...asked: Parameters<World['resize']>): Promise<void> {
    return this.#world.resize(...asked);
  }

  async pods(): Promise<readonly SeenPod[]> {
    const pods = await this.#world.pods();
    const now = this.now();
    for (const { uid, nodeName } of pods) {
      const since = this.#waiting.get(uid);
      if (nodeName === undefined && since === undefined) this.#waiting.set(uid, now);
      if (nodeName === undefined || since === undefined) continue;
      this.#waiting.delete(uid);
      this.#longestWait = Math.max(this.#longestWait, now - since);
    }
    return pods;
  }

  nodes(): Promise<readonly SeenNode[]> {
    return this.#world.nodes();
  }

  async claims(): Promise<readonly SeenClaim[]> {
    const claims = await this.#world.claims();
    for (const claim of claims) {
      if (!this.#before.claims.has(claim.name)) this.#claims.set(claim.name, claim);
    }
    return claims;
  }

  decide(verdict: 'approve' | 'reject', decision: string): Promise<void> {
    return this.#world.decide(verdict, decision);
  }

  decisions(): Promise<readonly SeenDecision[]> {
    return this.#world.decisions();
  }

  policies(): Promise<readonly SeenPolicy[]> {
    return this.#world.policies();
  }

  events(): Promise<readonly SeenEvent[]> {
    return this.#world.events();
  }

  requests(): Promise<readonly SeenRequest[]> {
    return this.#world.requests();
  }

  instances(): readonly SeenInstance[] {
    return this.#world.instances();
  }

  plans(): Promise<ReadonlyMap<string, SeenPlan>> {
    return this.#world.plans();
  }

  setStock(pool: Parameters<World['setStock']>[0], instances: number): void {
    this.#world.setStock(pool, instances);
  }

  /** Looks at pods and claims whenever the scenario looks at anything. */
  until<T>(what: string, look: () => Promise<T | undefined | false>, seconds: number): Promise<T> {
    const watched = async (): Promise<T | undefined | false> => {
      await this.pods();
      await this.claims();
      return look();
    };
    return this.#world.until(what, watched, seconds);
  }

  now(): number {
    return this.#world.now();
  }

  quietFor(seconds: number): Promise<void> {
    return this.#world.quietFor(seconds);
  }
}

function instanceText({ nodePool, instanceType = '?', capacityType = '?', ...claim }: SeenClaim): string {
  const { zone = '?', hourlyPrice = NaN } = claim;
  return `${nodePool}: ${instanceType} ${capacityType} ${zone} at ${String(hourlyPrice)}`;
}

function decisionKey({ subject, action, reason }: SeenDecision): string {
  return `${subject} ${action} ${reason}`;
}

function eventKey({ subject, reason, message }: SeenEvent): string {
  return `${subject} ${reason} ${message}`;
}

function kindOf(subject: string): string {
  return subject.split('/')[0] ?? '';
}

function distinct(lines: readonly string[]): readonly string[] {
  return [...new Set(lines)].sort();
}
