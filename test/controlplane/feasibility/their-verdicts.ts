/** What kube-scheduler makes of pending pods, as a recording extender and the pods' conditions show it. */
import { eventually } from '../fixture/eventually.js';
import { follow } from '../fixture/api/follow.js';
import type { ApiClient } from '../fixture/api/api-client.js';
import { nodeNamesOf, type ExtenderArgs } from '../fixture/extender-wire.js';
import { PODS, type Pod } from '../fixture/api/kube-object.js';
import { schedulerWithExtenders, type RecordingExtender } from '../fixture/recording-extender.js';
import type { TheirVerdict } from './compare.js';

const REFUSAL = 'asked for its opinion only';

/** All nodes are looked at, those that pass are shown to the extender, and nobody is evicted. */
export function askingScheduler(extender: RecordingExtender): string {
  const entry = extender.entry({ prioritizeVerb: '', preemptVerb: '', httpTimeout: '30s' });
  return schedulerWithExtenders([entry], {
    percentageOfNodesToScore: 100,
    clientConnection: { qps: 5000, burst: 5000 },
    profiles: [
      { schedulerName: 'default-scheduler', plugins: { postFilter: { disabled: [{ name: '*' }] } } },
    ],
  });
}

/** Follows pending pods until kube-scheduler has judged them all. The extender refuses every node, so that none is bound. */
export class TheirVerdicts {
  readonly #extender: RecordingExtender;
  readonly #end = new AbortController();
  readonly #following: Promise<void>;
  /** `namespace/name` → what the condition PodScheduled says. */
  readonly #conditions = new Map<string, { readonly reason: string; readonly message: string }>();

  constructor(api: ApiClient, extender: RecordingExtender) {
    this.#extender = extender;
    extender.forget();
    extender.answer({ filter: refuse });
    this.#following = follow(api, PODS, {
      selection: { fieldSelector: 'spec.nodeName=' },
      signal: this.#end.signal,
      changed: (pod) => {
        this.#see(pod);
      },
      deleted: () => undefined,
    });
  }

  #see({ metadata, status }: Pod): void {
    const condition = status.conditions?.find(({ type }) => type === 'PodScheduled');
    if (condition === undefined || condition.reason === 'SchedulingGated') return;
    const { reason = '', message = '' } = condition;
    this.#conditions.set(`${metadata.namespace ?? ''}/${metadata.name}`, { reason, message });
  }

  /** Per pod, when each of them has been judged. */
  async all(pods: readonly string[]): Promise<ReadonlyMap<string, TheirVerdict>> {
    await eventually(
      'kube-scheduler to have judged all pods',
      () => pods.every((pod) => this.#conditions.has(pod)),
      { timeoutMillis: 120_000, everyMillis: 50 },
    );
    const nodes = this.#nodesByPod();
    return new Map(pods.map((pod) => [pod, this.#verdict(pod, nodes.get(pod))]));
  }

  /** Stops following. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#following;
  }

  /** The nodes of the last call about each pod: earlier ones may come from before its claims were there. */
  #nodesByPod(): ReadonlyMap<string, ReadonlySet<string>> {
    return new Map(
      this.#extender.calls.flatMap(({ verb, args, pod }) =>
        verb === 'filter' ? [[pod, new Set(nodeNamesOf(args))] as const] : [],
      ),
    );
  }

  #verdict(pod: string, nodes: ReadonlySet<string> | undefined): TheirVerdict {
    const { reason, message } = this.#conditions.get(pod) ?? { reason: '', message: '' };
    if (reason !== 'Unschedulable') throw new Error(`${pod}: ${reason} ${message}`);
    return message.includes(REFUSAL) && nodes !== undefined ? { nodes } : { message };
  }
}

function refuse(args: ExtenderArgs): {
  readonly NodeNames: [];
  readonly FailedNodes: Record<string, string>;
} {
  return { NodeNames: [], FailedNodes: Object.fromEntries(nodeNamesOf(args).map((name) => [name, REFUSAL])) };
}
