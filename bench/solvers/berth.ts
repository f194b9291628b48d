/** Starts Berth in a process of its own and takes its measurements. */
import { fork } from 'node:child_process';
import type { Question } from '../workloads/question.js';
import {
  measureBerth,
  measureCurve,
  planEach,
  type BerthMeasurement,
  type CurveMeasurement,
  type Method,
  type PlannedQuestion,
} from './measure-berth.js';

import { measureDisruptor, type DisruptorMeasurement } from './measure-disruptor.js';
import { measureChurn, type ChurnQuestion, type ChurnRow } from './measure-churn.js';
import { measureBlowup, type BlowupPoint, type BlowupQuestion } from './measure-blowup.js';

export type { BerthMeasurement, CurveMeasurement, Method } from './measure-berth.js';

/** The argument that makes a process of this program a measured one. */
export const MEASURE = '--measure';

/**
 * What a measured process is asked: to plan one question until it gets no faster, or each of several once; for the
 * consolidation curve of a cluster, again and again; to disrupt one until nothing more is to be gained; to disrupt clusters
 * whose workloads change; or to plan one input that once made planning slow.
 */
type MeasureRequest =
  | { readonly repeat: Question; readonly budget: number; readonly method: Method }
  | { readonly each: readonly Question[] }
  | { readonly curve: Question; readonly budget: number }
  | { readonly disruptor: Question }
  | { readonly churn: readonly ChurnQuestion[] }
  | { readonly blowup: BlowupQuestion };

/** Answers a request, in the measured process. */
export function answer(request: string): unknown {
  const asked = JSON.parse(request) as MeasureRequest;
  if ('churn' in asked) return asked.churn.map(measureChurn);
  if ('blowup' in asked) return measureBlowup(asked.blowup);
  if ('disruptor' in asked) return measureDisruptor(asked.disruptor);
  if ('curve' in asked) return measureCurve(asked.curve, asked.budget);
  return 'repeat' in asked ? measureBerth(asked.repeat, asked.budget, asked.method) : planEach(asked.each);
}

/**
 * Repeats of one question, for about `budget` seconds.
 * @param program this program, bundled.
 */
export async function measureInProcess(
  program: string,
  repeat: Question,
  { budget, method = 'berth' }: { readonly budget: number; readonly method?: Method },
): Promise<BerthMeasurement> {
  return (await ask(program, { repeat, budget, method })) as BerthMeasurement;
}

/** Each question once, in a process that is warm. */
export async function planEachInProcess(
  program: string,
  each: readonly Question[],
): Promise<readonly PlannedQuestion[]> {
  return (await ask(program, { each })) as readonly PlannedQuestion[];
}

/** The consolidation curve of a cluster, for about `budget` seconds. */
export async function measureCurveInProcess(
  program: string,
  curve: Question,
  budget: number,
): Promise<CurveMeasurement> {
  return (await ask(program, { curve, budget })) as CurveMeasurement;
}

/** The disruptor on a cluster, until it rests. */
export async function measureDisruptorInProcess(
  program: string,
  disruptor: Question,
): Promise<DisruptorMeasurement> {
  return (await ask(program, { disruptor })) as DisruptorMeasurement;
}

/** Hours of clusters whose workloads change, one after the other. */
export async function measureChurnInProcess(
  program: string,
  churn: readonly ChurnQuestion[],
): Promise<readonly ChurnRow[]> {
  return (await ask(program, { churn })) as readonly ChurnRow[];
}

/** One input that once made planning slow, planned once. */
export async function measureBlowupInProcess(program: string, blowup: BlowupQuestion): Promise<BlowupPoint> {
  return (await ask(program, { blowup })) as BlowupPoint;
}

/** @throws Error when the process ends without an answer. */
async function ask(program: string, request: MeasureRequest): Promise<unknown> {
  const child = fork(program, [MEASURE, JSON.stringify(request)], {
    serialization: 'advanced',
    execArgv: ['--expose-gc'],
  });
  return new Promise((resolve, reject) => {
    child.on('message', resolve);
    child.on('error', reject);
    child.on('exit', (code) => {
      reject(
        new Error(
          `a measured process ends without an answer, with ${String(code)}: ${JSON.stringify(request)}`,
        ),
      );
    });
  });
}
