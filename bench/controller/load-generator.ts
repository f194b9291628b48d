/** kube-scheduler's calls in a process of their own: so many a second, whether or not the ones before are answered. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LoadRequest {
  readonly port: number;
  readonly nodeNames: readonly string[];
}

export interface LoadOrder {
  readonly seconds: number;
  readonly perSecond: number;
}

/** Milliseconds from when each call was due to the end of its answer; a call that fails took for ever. */
export type LoadReply = readonly number[];

const VERBS = ['filter', 'prioritize'] as const;

/** Calls as its parent orders, until it lets go. */
export function runLoad({ port, nodeNames }: LoadRequest): void {
  const agent = new Agent({ keepAlive: true });
  let calls = 0;
  const call = (): Promise<boolean> => {
    const verb = VERBS[calls % VERBS.length] ?? 'filter';
    const body = JSON.stringify({ Pod: podOf(calls++ >> 1), Nodes: null, NodeNames: nodeNames });
    return post(agent, { port, path: `/scheduler/${verb}` }, body);
  };
  process.on('message', ({ seconds, perSecond }: LoadOrder) => {
    void callsOf(call, seconds * perSecond, 1000 / perSecond).then((reply) => process.send?.(reply));
  });
}

/** Calls at even distances from now on. */
async function callsOf(call: () => Promise<boolean>, count: number, everyMillis: number): Promise<LoadReply> {
  const start = performance.now();
  const answers: Promise<number>[] = [];
  for (let index = 0; index < count; index++) {
    const due = start + index * everyMillis;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    // A timer is late by a millisecond or two, which is not the server's doing.
    const sent = performance.now();
    answers.push(call().then((isAnswered) => (isAnswered ? performance.now() - sent : Infinity)));
  }
  return Promise.all(answers);
}

function post(
  agent: Agent,
  to: { readonly port: number; readonly path: string },
  body: string,
): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const calling = request({ agent, host: '127.0.0.1', method: 'POST', headers, ...to }, (response) => {
      response.resume();
      response.on('end', () => {
        resolve(response.statusCode === 200);
      });
    });
    calling.on('error', () => {
      resolve(false);
    });
    calling.end(body);
  });
}

/** A pod without a plan, as the API server has it. */
function podOf(number: number): object {
  const name = `load-${String(number)}`;
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1' },
    spec: {
      containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '10m', memory: '16Mi' } } }],
    },
    status: { phase: 'Pending' },
  };
}
