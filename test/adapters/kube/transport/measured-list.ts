/**
 * A program: reads all pods of a server once with a reflector and the decoder that Berth uses, and prints how long the thread
 * was busy at a stretch. A program of its own, since code runs several times slower inside jest.
 */
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { staticConnection } from '../../../support/static-connection.js';
import { KubeClient } from '../../../../src/adapters/kube/transport/kube-client.js';
import { Reflector } from '../../../../src/adapters/kube/transport/watch/reflector.js';
import { decodeObservedPod } from '../../../../src/apis/kubernetes/pods/observed-pod.js';
import { podContext } from '../../../../src/apis/kubernetes/pods/pod-context.js';
import type { ObservedPod } from '../../../../src/domain/pods/observed-pod.js';
import { systemClock } from '../../../../src/runtime/time/system-clock.js';
import { systemRandom } from '../../../../src/runtime/process/system-random.js';
import { recordingLogger } from '../../../support/recording-logger.js';

export interface Measured {
  readonly pods: number;
  readonly millis: number;
  /** The longest time that nobody else got the thread, without the time in which other processes had the processor. */
  readonly worstBlockMillis: number;
  readonly heapMegabytes: number;
}

const [server = '', path = ''] = process.argv.slice(2);
const client = new KubeClient({
  connection: staticConnection({ server }),
  clock: systemClock,
  userAgent: 'berth/test',
});
const pods = new Map<string, ObservedPod>();
const context = podContext();
const stop = new AbortController();
const startedAt = performance.now();

/** Linux: time on a processor, time waiting for one (both in nanoseconds), and how often. */
const SCHEDSTAT = '/proc/self/schedstat';

/** How long this thread has waited for a processor; 0 where nobody knows. */
function waitedMillis(): number {
  return existsSync(SCHEDSTAT) ? Number(readFileSync(SCHEDSTAT, 'utf8').split(' ')[1]) / 1e6 : 0;
}

let worstBlockMillis = 0;
let seenAt = performance.now();
let waitedAt = waitedMillis();
const sampling = setInterval(() => {
  const [now, waited] = [performance.now(), waitedMillis()];
  worstBlockMillis = Math.max(worstBlockMillis, now - seenAt - (waited - waitedAt));
  [seenAt, waitedAt] = [now, waited];
}, 1);

const reflector = new Reflector<ObservedPod>({
  client,
  resource: { path },
  decode: (raw) => {
    const pod = decodeObservedPod(raw, context).value;
    return pod === undefined ? undefined : { key: `${pod.namespace}/${pod.name}`, value: pod };
  },
  sink: {
    put: (pod, key) => pods.set(key, pod),
    delete: (key) => pods.delete(key),
    synced: () => {
      stop.abort();
    },
  },
  clock: systemClock,
  random: systemRandom,
  logger: recordingLogger().logger,
});
await reflector.run(stop.signal);

clearInterval(sampling);
client.close();
const measured: Measured = {
  pods: pods.size,
  millis: performance.now() - startedAt,
  worstBlockMillis,
  heapMegabytes: process.memoryUsage().heapUsed / 1e6,
};
process.stdout.write(JSON.stringify(measured));
