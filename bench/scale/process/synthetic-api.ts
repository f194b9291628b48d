/** The synthetic Kubernetes API (../api), as the bench starts and asks it. */
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import type { JournalEntry } from '../measuring/journal.js';
import { start } from './owned-process.js';

/** Requests of one verb and resource, such as `create nodeclaims`; the number of the answer comes first where it refused. */
export interface Count {
  readonly requests: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** When the first and the last came, in milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
}

export interface ApiState {
  readonly audit: Readonly<Record<string, Count>>;
  /** In milliseconds since 1970. */
  readonly marks: Readonly<Record<string, number>>;
  /** Resource → how many there are. */
  readonly objects: Readonly<Record<string, number>>;
  /** Pods bound since the start. */
  readonly bound: number;
  /** NodeClaims without an instance. */
  readonly openClaims: number;
  /** Entries of the journal. */
  readonly journal: number;
}

const WRITE = /^(create|update|patch|delete) /;
/** Processors that the server may use; the rest is for what is measured. */
const PROCESSORS = '2';

export class SyntheticApi {
  readonly url: string;
  readonly process: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.process = child;
    this.url = url;
  }

  /** @param latencyMillis what each request takes before it is answered. */
  static async start(binary: string, latencyMillis: number): Promise<SyntheticApi> {
    const child = start(binary, [`-latency=${String(latencyMillis)}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, GOMAXPROCS: PROCESSORS },
    });
    if (child.stdout === null) throw new Error('the synthetic API has no output');
    for await (const line of createInterface(child.stdout)) return new SyntheticApi(child, line);
    throw new Error('the synthetic API ended before it served');
  }

  state(): Promise<ApiState> {
    return this.#ask('state');
  }

  /** Pods that are neither bound nor have room held for them. */
  unplaced(): Promise<number> {
    return this.#ask('unplaced');
  }

  /** What has become of NodeClaims and evicted pods since the start, in order. */
  journal(): Promise<readonly JournalEntry[]> {
    return this.#ask('journal');
  }

  /** Begins to count again. */
  async reset(): Promise<void> {
    await this.#ask('reset');
  }

  /** Makes pods of so many shapes that kube-scheduler finds no place for; resolves when all are there. */
  async pending(pods: number, shapes: number): Promise<void> {
    await this.#ask(`pending?pods=${String(pods)}&shapes=${String(shapes)}`);
  }

  /** Replaces so many running pods a second from now on. */
  async churn(perSecond: number, seconds: number): Promise<void> {
    await this.#ask(`churn?perSecond=${String(perSecond)}&seconds=${String(seconds)}`);
  }

  async #ask<Answer>(what: string): Promise<Answer> {
    const answer = await fetch(`${this.url}/bench/${what}`);
    if (!answer.ok) throw new Error(`${what}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
}

/** All writes that were carried out. */
export function writesOf({ audit }: ApiState): number {
  return sum(Object.entries(audit).filter(([name]) => WRITE.test(name)));
}

/** Requests of one verb and resource. */
export function requestsOf({ audit }: ApiState, name: string): number {
  return audit[name]?.requests ?? 0;
}

/** By verb and resource, most first. */
export function countsOf({ audit }: ApiState): Readonly<Record<string, number>> {
  const counts = Object.entries(audit).map(([name, { requests }]) => [name, requests] as const);
  return Object.fromEntries(counts.sort(([, left], [, right]) => right - left));
}

function sum(counts: readonly (readonly [string, Count])[]): number {
  return counts.reduce((total, [, { requests }]) => total + requests, 0);
}
