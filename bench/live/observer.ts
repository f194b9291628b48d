/** What happens in a cluster, as seen from outside: when pods come and are bound, when nodes come and go, and what they cost. */
import { readFileSync } from 'node:fs';
import type { ControlPlane } from '../../test/controlplane/fixture/control-plane.js';
import { follow } from '../../test/controlplane/fixture/api/follow.js';
import { NODES, PODS } from '../../test/controlplane/fixture/api/kube-object.js';
import { priceKey, type Prices } from './instance-types.js';
import { SYSTEM_NODE } from '../../test/live/fixture/live-cluster.js';

export interface SeenPod {
  readonly uid: string;
  readonly createdAt: number;
  nodeName: string | undefined;
  boundAt: number | undefined;
  isLeaving: boolean;
}

export interface SeenNode {
  readonly name: string;
  /** The claim's name too, where the system puts it there. */
  readonly hostname: string;
  /** USD/h. */
  readonly price: number;
  readonly createdAt: number;
  goneAt: number | undefined;
  /** Pods that were bound to it, ever. */
  pods: number;
}

/** Seconds since the observer began. */
export class Observer {
  readonly pods = new Map<string, SeenPod>();
  readonly nodes = new Map<string, SeenNode>();
  readonly #startedAt = performance.now();
  readonly #end = new AbortController();
  readonly #following: Promise<unknown>;

  constructor({ api }: ControlPlane, prices: Prices) {
    const { signal } = this.#end;
    this.#following = Promise.all([
      follow(api, NODES, {
        signal,
        changed: ({ metadata: { name, uid, labels = {} } }) => {
          if (name === SYSTEM_NODE.metadata.name || this.nodes.has(uid)) return;
          const type = labels['node.kubernetes.io/instance-type'];
          const key = priceKey(
            type,
            labels['topology.kubernetes.io/zone'],
            labels['karpenter.sh/capacity-type'],
          );
          this.nodes.set(uid, {
            name,
            hostname: labels['kubernetes.io/hostname'] ?? name,
            price: prices.get(key) ?? Number.NaN,
            createdAt: this.now(),
            goneAt: undefined,
            pods: 0,
          });
        },
        deleted: ({ metadata: { uid } }) => {
          const node = this.nodes.get(uid);
          if (node !== undefined) node.goneAt = this.now();
        },
      }),
      follow(api, PODS, {
        selection: { namespace: 'default' },
        signal,
        changed: ({ metadata: { uid, deletionTimestamp }, spec: { nodeName } }) => {
          const pod = this.pods.get(uid) ?? {
            ...{ uid, createdAt: this.now(), isLeaving: false },
            ...{ nodeName: undefined, boundAt: undefined },
          };
          this.pods.set(uid, pod);
          if (deletionTimestamp !== undefined) pod.isLeaving = true;
          if (nodeName === undefined || pod.nodeName !== undefined) return;
          pod.nodeName = nodeName;
          pod.boundAt = this.now();
          for (const node of this.nodes.values())
            if (node.name === nodeName && node.goneAt === undefined) node.pods++;
        },
        deleted: ({ metadata: { uid } }) => {
          const pod = this.pods.get(uid);
          if (pod !== undefined) pod.isLeaving = true;
        },
      }),
    ]);
  }

  now(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Pods that are bound and stay, and those that wait. */
  counts(): { readonly bound: number; readonly waiting: number } {
    const staying = [...this.pods.values()].filter(({ isLeaving }) => !isLeaving);
    const bound = staying.filter(({ nodeName }) => nodeName !== undefined).length;
    return { bound, waiting: staying.length - bound };
  }

  /** USD that the nodes cost between two moments. */
  cost(from: number, to: number): number {
    let sum = 0;
    for (const { price, createdAt, goneAt } of this.nodes.values()) {
      const seconds = Math.min(goneAt ?? to, to) - Math.max(createdAt, from);
      if (seconds > 0) sum += (price * seconds) / 3600;
    }
    return sum;
  }

  /** USD/h of the nodes that there are. */
  hourly(): number {
    const live = [...this.nodes.values()].filter(({ goneAt }) => goneAt === undefined);
    return live.reduce((sum, { price }) => sum + price, 0);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#following;
  }
}

export interface Usage {
  readonly cpuSeconds: number;
  /** The most that was resident. */
  readonly rssMiB: number;
}

/** Of a process with all its threads (proc_pid_stat(5); Linux counts a hundred ticks a second). */
export function usageOf(pid: number): Usage {
  const [, after = ''] = readFileSync(`/proc/${String(pid)}/stat`, 'utf8').split(') ');
  const fields = after.split(' ');
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
    rssMiB: Math.round(Number(peak?.[1] ?? 0) / 1024),
  };
}
