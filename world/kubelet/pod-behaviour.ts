/** How a pod behaves on a node, which its annotations may say. */
import type { Span } from '../cluster/chance.js';
import type { Pod } from '../cluster/objects.js';

const PREFIX = 'simulator.berth.sh/';
const JOB_MILLIS = 60_000;

export interface PodBehaviour {
  /** From its image being there until it is Ready; undefined: some moment. */
  readonly startMillis: number | undefined;
  /** From running until its containers exit; undefined: never. */
  readonly runMillis: number | undefined;
  readonly exitCode: number;
  /** From being told to until its containers have ended; undefined: some moment. */
  readonly terminationMillis: number | undefined;
}

/** What pods do that do not say. */
export const STARTING_MILLIS: Span = { from: 200, to: 1_500 };
export const ENDING_MILLIS: Span = { from: 100, to: 2_000 };

/** Annotations `simulator.berth.sh/{start,run,termination}-seconds` and `exit-code`; Jobs' pods run for a minute by default. */
export function podBehaviour({ metadata, spec }: Pod): PodBehaviour {
  const text = (name: string): string | undefined => metadata.annotations?.[PREFIX + name];
  const millis = (name: string): number | undefined => {
    const seconds = Number(text(name) ?? NaN);
    return Number.isFinite(seconds) ? seconds * 1000 : undefined;
  };
  const exitCode = Number(text('exit-code') ?? 0);
  const { restartPolicy = 'Always' } = spec;
  // Others are started again, and so keep running.
  const ends = restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && exitCode === 0);
  const isJobs = metadata.ownerReferences?.some(({ kind }) => kind === 'Job') ?? false;
  const usual = isJobs && text('run-seconds') === undefined ? JOB_MILLIS : undefined;
  return {
    startMillis: millis('start-seconds'),
    runMillis: ends ? (millis('run-seconds') ?? usual) : undefined,
    exitCode,
    terminationMillis: millis('termination-seconds'),
  };
}
