/** What each verb of the extender does with a request, and what it answers when it must not judge. */
import { filter, isFree, nodesToScore } from '../../planning/placement/filter.js';
import type { PlacementView, PlacementPod } from '../../planning/placement/placement-view.js';
import { preempt, type PreemptOptions } from '../../planning/placement/preempt.js';
import { prioritize } from '../../planning/placement/prioritize.js';
import type { Clock } from '../../ports/clock.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { PlacementAnswers } from '../../state/ledger/placement-answers.js';
import type { RoomLedger } from '../../state/ledger/room-ledger.js';
import { filterResult, NO_SCORES, passedNames, preemptionResult } from './wire-answers.js';
import { namesTextOf, type WireBody } from './wire-body.js';
import {
  boundsOf,
  firstNames,
  hostPriorityList,
  textOfNames,
  type NameBounds,
  type NamesText,
} from './wire-names.js';
import { readNodesRequest, readPreemptRequest, type NodesRequest } from './wire-requests.js';
import { decodeObservedPod } from '../../apis/kubernetes/pods/observed-pod.js';
import { podContext } from '../../apis/kubernetes/pods/pod-context.js';
import { isOlder } from '../../domain/values/resource-version.js';
import { fieldOf, objectAt, nameAt, WireError, type WireObject } from './wire-fields.js';

export type ExtenderVerb = 'filter' | 'prioritize' | 'preempt';

/** `refused`: no node, or no victim, is left. */
export interface ExtenderAnswer {
  /** Each character is one byte of the answer. */
  readonly text: string;
  readonly outcome: 'answered' | 'refused';
}

/** One request, read. */
export interface ExtenderQuestion {
  /** From what is known. @throws WireError when the pod cannot be read. */
  answer(): ExtenderAnswer;
  /** Everything that was asked about, as if there were no extender. */
  pass(): string;
}

/** Verb → how its requests are read. @throws WireError naming the field that is wrong. */
export type ExtenderVerbs = Readonly<Record<ExtenderVerb, (body: WireBody) => ExtenderQuestion>>;

export interface ExtenderVerbsOptions {
  readonly cluster: Cluster;
  readonly ledger: RoomLedger;
  readonly clock: Clock;
  readonly preempting: Omit<PreemptOptions, 'now'>;
  /** As of `filter`. */
  readonly mostNodes: number;
}

export function extenderVerbs(options: ExtenderVerbsOptions): ExtenderVerbs {
  const { cluster, ledger, clock, preempting, mostNodes } = options;
  const view = new PlacementAnswers({ cluster, ledger });
  const pods = new KnownPods(cluster);
  const filterNodes = (request: NodesRequest): ExtenderAnswer => {
    const pod = pods.read(request.pod);
    ledger.expire();
    ledger.release(pod.uid);
    const { text } = request;
    if (text !== undefined && isFree(view, pod) && !isAnyRestricted(view, text)) {
      const passed = firstNames(text, nodesToScore(pod, mostNodes));
      ledger.answered(pod, passed.count, undefined);
      return { text: passedNames(passed), outcome: 'answered' };
    }
    const nodeNames = request.nodeNames();
    const answer = filter(view, pod, nodeNames, mostNodes);
    ledger.answered(pod, answer.nodeNames.length, answer.charge);
    const outcome = answer.nodeNames.length > 0 ? 'answered' : 'refused';
    return { text: filterResult(answer, { ...request, nodeNames }), outcome };
  };
  const scoreNodes = ({ pod, text, nodeNames }: NodesRequest): string => {
    ledger.expire();
    const names = text ?? textOfNames(nodeNames());
    const bounds = boundsOf(names);
    return hostPriorityList(
      names,
      bounds,
      prioritize(view, pods.read(pod), rowsOf(view, names, bounds), clock.now()),
    );
  };
  return {
    filter: (body) => {
      const request = readNodesRequest(body);
      return { answer: () => filterNodes(request), pass: () => passAll(request) };
    },
    prioritize: (body) => {
      const request = readNodesRequest(body);
      return {
        answer: () => ({ text: scoreNodes(request), outcome: 'answered' }),
        pass: () => NO_SCORES,
      };
    },
    preempt: (body) => {
      const { pod, victims } = readPreemptRequest(body);
      return {
        answer: () => {
          ledger.expire();
          const allowed = preempt(view, pods.read(pod), victims, { ...preempting, now: clock.now() });
          const outcome = allowed.size > 0 ? 'answered' : 'refused';
          return { text: preemptionResult(allowed), outcome };
        },
        pass: () => preemptionResult(victims),
      };
    },
  };
}

/**
 * What `pass` answers, from a body that is not parsed: nothing is known to be wrong with it either. undefined where the
 * answer takes more than that.
 */
export function passUnread(verb: ExtenderVerb, bytes: Buffer): string | undefined {
  if (verb === 'prioritize') return NO_SCORES;
  const namesText = verb === 'filter' ? namesTextOf(bytes) : undefined;
  return namesText === undefined ? undefined : passedNames(namesText);
}

function passAll(request: NodesRequest): string {
  const nodeNames = request.nodeNames();
  return filterResult({ nodeNames, refused: [], charge: undefined }, { ...request, nodeNames });
}

function isAnyRestricted(view: PlacementView, names: NamesText): boolean {
  if (view.restricted.size === 0) return false;
  const { restricted } = view.columns;
  return rowsOf(view, names, boundsOf(names)).some((row) => restricted[row] === 1);
}

function rowsOf({ columns }: PlacementView, { bytes }: NamesText, { starts, ends }: NameBounds): Int32Array {
  return starts.map((start, index) => columns.rowAt(bytes, start, ends[index] ?? start));
}

/** The pod that kube-scheduler asks about, as far as it is known already. */
class KnownPods {
  readonly #cluster: Cluster;
  readonly #context = podContext();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * The watched pod, or the one in the request where that is news: kube-scheduler may have seen it before us.
   * @throws WireError when it cannot be read.
   */
  read(pod: WireObject): PlacementPod {
    const metadata = objectAt(fieldOf(pod, 'metadata'), 'Pod.metadata');
    const watched = this.#cluster.podByUID(nameAt(fieldOf(metadata, 'uid'), 'Pod.metadata.uid'));
    const version = fieldOf(metadata, 'resourceVersion');
    if (
      watched !== undefined &&
      !isOlder(watched.resourceVersion, typeof version === 'string' ? version : '')
    )
      return watched;
    const { value, findings } = decodeObservedPod(pod, this.#context);
    if (value !== undefined) return value;
    const [first] = findings;
    const why = first === undefined ? 'it has no name' : `${first.path.join('.')} ${first.text}`;
    throw new WireError(`Pod cannot be read: ${why}`);
  }
}
