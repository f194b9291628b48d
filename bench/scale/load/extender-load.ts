/** kube-scheduler's calls to the extender, in a process of their own: so many a second, whether or not those before are answered. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LoadRequest {
  readonly port: number;
}

export type Verb = 'filter' | 'prioritize';

export interface LoadOrder {
  readonly verbs: readonly Verb[];
  /** Of the nodes in a call. They come with the order: those of 5,000 nodes are too long for an argument of a process. */
  readonly nodeNames: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
}

export interface LoadReply {
  readonly calls: number;
  /** Not answered with 200. */
  readonly failed: number;
  /** Milliseconds from the sending of a call to the end of its answer; of those that failed, Infinity. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the generator itself. */
  readonly cpuSeconds: number;
}

/** kube-scheduler's connections to an extender; more calls wait for one of them. */
const CONNECTIONS = 100;

/** Calls as its parent orders, until it lets go. */
export function runLoad({ port }: LoadRequest): void {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  process.on('message', (order: LoadOrder) => {
    void callAll(agent, port, order).then((reply) => process.send?.(reply));
  });
}

async function callAll(
  agent: Agent,
  port: number,
  { verbs, nodeNames, perSecond, seconds }: LoadOrder,
): Promise<LoadReply> {
  const own = process.cpuUsage();
  // Written once: the generator has the same processors as Berth.
  const list = JSON.stringify(nodeNames);
  const start = performance.now();
  const calls: Promise<number>[] = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const early = start + (index * 1000) / perSecond - performance.now();
    if (early > 0) await sleep(early);
    const path = `/scheduler/${verbs[index % verbs.length] ?? 'filter'}`;
    calls.push(call(agent, port, path, `{"Pod":${podOf(index)},"Nodes":null,"NodeNames":${list}}`));
  }
  const millis = (await Promise.all(calls)).sort((left, right) => left - right);
  const { user, system } = process.cpuUsage(own);
  const at = (share: number): number => millis[Math.ceil(share * millis.length) - 1] ?? Infinity;
  return {
    calls: millis.length,
    failed: millis.filter((each) => each === Infinity).length,
    p50: at(0.5),
    p99: at(0.99),
    cpuSeconds: (user + system) / 1e6,
  };
}

function call(agent: Agent, port: number, path: string, body: string): Promise<number> {
  const sent = performance.now();
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const calling = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        resolve(answer.statusCode === 200 ? performance.now() - sent : Infinity);
      });
      answer.on('error', () => {
        resolve(Infinity);
      });
    });
    calling.on('error', () => {
      resolve(Infinity);
    });
    calling.end(body);
  });
}

/** A pod without a plan. */
function podOf(number: number): string {
  const name = `load-${String(number)}`;
  return JSON.stringify({
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1' },
    spec: {
      schedulerName: 'default-scheduler',
      containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '10m', memory: '16Mi' } } }],
    },
    status: { phase: 'Pending' },
  });
}
