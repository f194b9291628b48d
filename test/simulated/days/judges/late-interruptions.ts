/** Pods of interrupted spot instances that do not run elsewhere when the two minutes are over. */
import type { PodRecord } from '../record/history.js';
import type { Bench, Judge } from './judge.js';

const WARNING_MILLIS = 120_000;
/** How long a trouble is felt when it is over: offerings are remembered as unavailable for three minutes. */
const AFTERMATH_MILLIS = 300_000;
/** What a pod may ask for, to be sure of moving in time. */
const MOST_GRACE_SECONDS = 30;

interface Interrupted {
  readonly at: number;
  readonly nodeName: string;
  readonly pods: readonly PodRecord[];
}

export function lateInterruptions(bench: Bench): Judge {
  const { world, history, stage, report } = bench;
  stage.onInterruption((nodeName) => {
    const pods = history
      .podsOn(nodeName)
      .filter((pod) => !pod.isOfDaemonSet && !pod.isOfJob && pod.readyAt !== undefined)
      .filter(({ graceSeconds }) => graceSeconds <= MOST_GRACE_SECONDS);
    const interrupted: Interrupted = { at: stage.now, nodeName, pods };
    world.clock.timer(WARNING_MILLIS, () => {
      judge(interrupted);
    });
  });
  const judge = ({ at, nodeName, pods }: Interrupted): void => {
    if (stage.troublesIn(at - AFTERMATH_MILLIS, stage.now).length > 0) return;
    for (const pod of pods) {
      if (isExcused(bench, pod, at) || runsElsewhere(pod, nodeName)) continue;
      const successor = successors(pod).at(-1) ?? pod;
      report({
        kind: 'lateInterruptions',
        objects: [pod.key, successor.key, nodeName, successor.nodeName ?? ''],
        what: `pod ${pod.key} of interrupted node ${nodeName} does not run elsewhere after two minutes: ${stateOf(pod, successor)}`,
      });
    }
  };
  return {};
}

/** The pods that came in its place, one after the other. */
function successors({ successor }: PodRecord): readonly PodRecord[] {
  return successor === undefined ? [] : [successor, ...successors(successor)];
}

function runsElsewhere(pod: PodRecord, nodeName: string): boolean {
  return successors(pod).some((next) => next.readyAt !== undefined && next.nodeName !== nodeName);
}

/** Its budget kept it; or it, or a pod in its place, was one too many. */
function isExcused({ history }: Bench, pod: PodRecord, at: number): boolean {
  if ((history.refusedEvictions.get(pod.uid) ?? 0) >= at) return true;
  return [pod, ...successors(pod)].some(({ leftAt, cause }) => leftAt !== undefined && cause === undefined);
}

function stateOf(pod: PodRecord, successor: PodRecord): string {
  if (pod.leftAt === undefined) return 'it is still on the node';
  if (successor === pod) return 'nothing came in its place';
  if (successor.nodeName === undefined) return `${successor.key} has no node`;
  return `${successor.key} is not Ready on ${successor.nodeName}`;
}
