/** The other side of ThreadPolicyReader: the program as a thread that only reads policy ConfigMaps. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { readPolicyConfigMap, type PolicyConfigMapRead } from '../../apis/berth/read-policy-config-map.js';

/** What a thread is given, so that the program knows at its start that it is to read. */
export interface PolicyWorkerData {
  readonly berth: 'policies';
}

export interface PolicyQuestion {
  readonly id: number;
  /** The object of a ConfigMap. */
  readonly configMap: unknown;
}

/** `ready` once, when the thread has started. */
export type PolicyReply =
  | { readonly ready: true }
  | { readonly id: number; readonly read: PolicyConfigMapRead }
  | { readonly id: number; readonly error: string };

/** Whether this thread was started to read policies. */
export function isPolicyWorker(): boolean {
  const data = workerData as Partial<PolicyWorkerData> | null;
  return !isMainThread && data?.berth === 'policies';
}

/** Answers questions, one after the other, until the thread is ended. To be called where `isPolicyWorker`. */
export function startPolicyWorker(read: typeof readPolicyConfigMap = readPolicyConfigMap): void {
  const port = parentPort;
  if (port === null) return;
  const say = (reply: PolicyReply): void => {
    port.postMessage(reply);
  };
  port.on('message', ({ id, configMap }: PolicyQuestion) => {
    try {
      say({ id, read: read(configMap) });
    } catch (error) {
      say({ id, error: String(error) });
    }
  });
  say({ ready: true });
}
