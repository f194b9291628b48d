/** Asks a scheduler extender as kube-scheduler does (k8s.io/kube-scheduler/extender/v1, nodeCacheCapable: true). */
import type { Pod } from '../cluster/objects.js';

/** POSTs the arguments to the verb and answers the JSON of the reply; rejects when there is none in time. */
export type CallExtender = (verb: 'filter' | 'prioritize' | 'preempt', args: object) => Promise<unknown>;

export interface ExtenderOptions {
  readonly call: CallExtender;
  /** Of its scores, 0–10, against the plugins' 0–100; 1 by default. */
  readonly weight?: number | undefined;
  /** Whether pods are placed without it when it does not answer; true by default. */
  readonly ignorable?: boolean | undefined;
}

export interface ExtenderVerdict {
  readonly nodeNames: readonly string[];
  /** Node → why not; and whether preemption could help. */
  readonly refused: ReadonlyMap<string, { readonly message: string; readonly resolvable: boolean }>;
}

export interface Victims {
  readonly pods: readonly Pod[];
  readonly numPDBViolations: number;
}

/** A score of 10 counts as much as a plugin's 100. */
const SCALE = 10;

export class Extender {
  readonly #call: CallExtender;
  readonly #weight: number;
  readonly #ignorable: boolean;

  constructor({ call, weight = 1, ignorable = true }: ExtenderOptions) {
    this.#call = call;
    this.#weight = weight;
    this.#ignorable = ignorable;
  }

  /** @throws Error when it fails and may not be ignored, or answers with nodes that it was not asked about. */
  async filter(pod: Pod, nodeNames: readonly string[]): Promise<ExtenderVerdict> {
    const answer = await this.#ask('filter', { Pod: pod, Nodes: null, NodeNames: nodeNames });
    if (answer === undefined) return { nodeNames, refused: new Map() };
    const passed = namesIn(field(answer, 'NodeNames'));
    const asked = new Set(nodeNames);
    const foreign = passed.find((name) => !asked.has(name));
    if (foreign !== undefined)
      throw new Error(
        `extender claims a filtered node "${foreign}" which is not found in the input node list`,
      );
    const refused = new Map([
      ...refusals(field(answer, 'FailedNodes'), true),
      ...refusals(field(answer, 'FailedAndUnresolvableNodes'), false),
    ]);
    return { nodeNames: passed, refused };
  }

  /** Node → what is added to its score; nothing when it fails. */
  async prioritize(pod: Pod, nodeNames: readonly string[]): Promise<ReadonlyMap<string, number>> {
    try {
      const answer = await this.#call('prioritize', { Pod: pod, Nodes: null, NodeNames: nodeNames });
      const entries = Array.isArray(answer) ? answer : [];
      return new Map(
        entries.map((entry) => [
          String(field(entry, 'Host')),
          Number(field(entry, 'Score') ?? 0) * this.#weight * SCALE,
        ]),
      );
    } catch {
      return new Map();
    }
  }

  /** What it leaves of the candidates for preemption. @throws Error when it fails and may not be ignored. */
  async preempt(pod: Pod, victims: ReadonlyMap<string, Victims>): Promise<ReadonlyMap<string, Victims>> {
    const meta = [...victims].map(([node, { pods, numPDBViolations }]) => [
      node,
      { Pods: pods.map(({ metadata: { uid } }) => ({ UID: uid })), NumPDBViolations: numPDBViolations },
    ]);
    const answer = await this.#ask('preempt', {
      Pod: pod,
      NodeNameToVictims: null,
      NodeNameToMetaVictims: Object.fromEntries(meta) as object,
    });
    return answer === undefined ? victims : victimsIn(answer, victims);
  }

  /** undefined: it failed and is ignored. */
  async #ask(verb: 'filter' | 'preempt', args: object): Promise<unknown> {
    try {
      const answer = await this.#call(verb, args);
      const error = field(answer, 'Error');
      if (typeof error === 'string' && error !== '') throw new Error(error);
      return answer ?? {};
    } catch (error) {
      if (this.#ignorable) return undefined;
      throw error;
    }
  }
}

function victimsIn(answer: unknown, known: ReadonlyMap<string, Victims>): ReadonlyMap<string, Victims> {
  const left = Object.entries(field(answer, 'NodeNameToMetaVictims') ?? {}) as [string, unknown][];
  return new Map(
    left.flatMap(([node, entry]): [string, Victims][] => {
      const before = known.get(node);
      if (before === undefined) return [];
      const pods = field(entry, 'Pods');
      const uids = new Set((Array.isArray(pods) ? pods : []).map((pod) => field(pod, 'UID')));
      const numPDBViolations = Number(field(entry, 'NumPDBViolations') ?? 0);
      return [
        [node, { pods: before.pods.filter(({ metadata }) => uids.has(metadata.uid)), numPDBViolations }],
      ];
    }),
  );
}

/** Go reads the keys of JSON whatever their case. */
function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const entry = Object.entries(value).find(([key]) => key.toLowerCase() === name.toLowerCase());
  return entry?.[1] as unknown;
}

/** Without a list no node passes. */
function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function refusals(
  value: unknown,
  resolvable: boolean,
): readonly [string, { readonly message: string; readonly resolvable: boolean }][] {
  return Object.entries(value ?? {}).map(([node, message]) => [
    node,
    { message: String(message), resolvable },
  ]);
}
