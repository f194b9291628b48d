/** A real control plane with nodes that nothing runs on, Berth's extender beside kube-scheduler, and a Lease as a leader keeps it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { inParallel } from '../../src/runtime/concurrency/in-parallel.js';
import { BerthProcess } from '../../test/controlplane/berth/berth-process.js';
import { keepLease } from '../../test/controlplane/berth/kept-lease.js';
import { RESERVATIONS } from '../../test/controlplane/berth/kinds.js';
import { follow } from '../../test/controlplane/fixture/api/follow.js';
import {
  LEASES,
  NAMESPACES,
  NODES,
  PODS,
  type Pod,
} from '../../test/controlplane/fixture/api/kube-object.js';
import { startControlPlane, type ControlPlane } from '../../test/controlplane/fixture/control-plane.js';
import { eventually } from '../../test/controlplane/fixture/eventually.js';
import { applyCustomResources } from '../../test/controlplane/suite/apply-custom-resources.js';
import { podManifest } from '../../test/controlplane/suite/manifests.js';
import { cpuSeconds } from '../scale/measuring/proc.js';
import { startEchoExtender, type EchoExtender } from './echo-extender.js';
import { bucketsOf, quantile, since, type Buckets } from './percentile.js';
import { speedOf, type Kind, type Round } from './round.js';

const SHIPPED = join(import.meta.dirname, '../../manifests/scheduler/configuration.yaml');
const BERTH = 'berth-system';
const REQUESTS = { cpu: '100m', memory: '128Mi' };
/** Planned pods of one node. */
const PODS_A_NODE = 10;
const NODE_RESOURCES = { cpu: '16', memory: '64Gi', pods: '110' };
const AT_ONCE = 24;
const BOUND_MILLIS = 600_000;
/** Until Berth's watches have shown it what was written. */
const SEEN_MILLIS = 2000;
/** kube-scheduler's own client is not what is measured. */
const CLIENT = { qps: 5000, burst: 5000 };
const FILTER = ['berth_extender_duration_seconds', 'verb="filter"'] as const;

export class ThroughputScene {
  readonly #cluster: ControlPlane;
  readonly #berth: BerthProcess;
  readonly #echo: EchoExtender;
  readonly #nodes: readonly string[];
  readonly #endLease: () => Promise<void>;
  #rounds = 0;
  /** Of all rounds with unplanned pods, but the first. */
  readonly #filters: Buckets[] = [];

  private constructor(parts: {
    readonly cluster: ControlPlane;
    readonly berth: BerthProcess;
    readonly echo: EchoExtender;
    readonly nodes: readonly string[];
    readonly endLease: () => Promise<void>;
  }) {
    this.#cluster = parts.cluster;
    this.#berth = parts.berth;
    this.#echo = parts.echo;
    this.#nodes = parts.nodes;
    this.#endLease = parts.endLease;
  }

  static async start(nodes: number): Promise<ThroughputScene> {
    // No controller has to do with what is measured.
    const cluster = await startControlPlane({ controllers: [] });
    try {
      await cluster.scheduler.stop();
      await applyCustomResources(cluster);
      await cluster.api.create(NAMESPACES, { metadata: { name: BERTH } });
      const spec = { holderIdentity: 'bench', leaseDurationSeconds: 15 };
      await cluster.api.create(LEASES, { metadata: { name: 'berth', namespace: BERTH }, spec });
      const names = Array.from({ length: nodes }, (_, index) => `node-${String(index).padStart(4, '0')}`);
      await inParallel(names, (name) => createNode(cluster, name), { atOnce: AT_ONCE });
      const endLease = keepLease(cluster.api);
      const kubeconfig = cluster.kubeconfig();
      const berth = await BerthProcess.start({ name: 'extender', command: 'extender', kubeconfig, cluster });
      await berth.ready();
      const echo = await startEchoExtender();
      return new ThroughputScene({ cluster, berth, echo, nodes: names, endLease });
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Makes the pods, starts kube-scheduler, waits until all are bound, and takes both away again. */
  async round(kind: Kind, count: number): Promise<Round> {
    const { api, scheduler } = this.#cluster;
    const number = this.#rounds++;
    const names = Array.from({ length: count }, (_, index) => `round-${String(number)}-${String(index)}`);
    const pods: Pod[] = [];
    await inParallel(
      names,
      async (name) => {
        pods.push(await api.create(PODS, podManifest({ name, requests: REQUESTS })));
      },
      { atOnce: AT_ONCE },
    );
    const planned = kind === 'planned' ? await this.#plan(pods, number) : new Map<string, string>();
    await sleep(SEEN_MILLIS);
    const binds = new Binds(this.#cluster, new Set(pods.map(({ metadata }) => metadata.uid)));
    const filters = bucketsOf(await this.#berth.metrics(), ...FILTER);
    const berthCpu = cpuSeconds(this.#berth.component.pid).all;
    await scheduler.restart(this.#configuration(kind));
    await eventually('all pods are bound', () => Promise.resolve(binds.isWhole), {
      timeoutMillis: BOUND_MILLIS,
    });
    const schedulerCpu = cpuSeconds(scheduler.component.pid).all;
    const cpu = cpuSeconds(this.#berth.component.pid).all - berthCpu;
    if (kind === 'unplanned' && number > 0)
      this.#filters.push(since(filters, bucketsOf(await this.#berth.metrics(), ...FILTER)));
    await binds.stop();
    await scheduler.stop();
    await this.#clear(names, planned);
    return {
      ...{ kind, pods: count, podsPerSecond: speedOf(binds.at) },
      schedulerCpuMillis: (schedulerCpu * 1000) / count,
      berthCpuMillis: (cpu * 1000) / count,
      elsewhere: [...planned].filter(([uid, name]) => binds.nodes.get(uid) !== name).length,
    };
  }

  /** p50 and p99 of the filter calls for unplanned pods, in milliseconds. */
  filterQuantiles(): readonly [p50: number, p99: number] {
    const [first = []] = this.#filters;
    const all = first.map(
      ([bound], index) =>
        [bound, this.#filters.reduce((sum, one) => sum + (one[index]?.[1] ?? 0), 0)] as const,
    );
    return [quantile(all, 0.5) * 1000, quantile(all, 0.99) * 1000];
  }

  async stop(): Promise<void> {
    await this.#endLease();
    await this.#echo.stop();
    await this.#berth.kill();
    await this.#cluster.stop();
  }

  /** Room for each pod on a node of its own round, which it is nominated to. Answers uid → node. */
  async #plan(pods: readonly Pod[], number: number): Promise<ReadonlyMap<string, string>> {
    const { api } = this.#cluster;
    const groups = Array.from({ length: Math.ceil(pods.length / PODS_A_NODE) }, (_, index) => ({
      node: this.#nodes[(index * 7 + number) % this.#nodes.length] ?? '',
      pods: pods.slice(index * PODS_A_NODE, (index + 1) * PODS_A_NODE),
    }));
    const planned = new Map<string, string>();
    await inParallel(
      groups,
      async (group) => {
        const entries = group.pods.map(({ metadata }) => ({
          podUID: metadata.uid,
          count: 1,
          requests: REQUESTS,
        }));
        await api.create(RESERVATIONS, {
          metadata: { name: `node.${group.node}` },
          spec: { target: { kind: 'Node', name: group.node }, entries },
        });
        for (const { metadata } of group.pods) {
          const body = { status: { nominatedNodeName: group.node } };
          await api.patchStatus(PODS, { name: metadata.name }, { type: 'merge', body });
          planned.set(metadata.uid, group.node);
        }
      },
      { atOnce: AT_ONCE },
    );
    return planned;
  }

  /** Neither pods nor room of this round are left for the next. */
  async #clear(names: readonly string[], planned: ReadonlyMap<string, string>): Promise<void> {
    const { api } = this.#cluster;
    await inParallel(names, (name) => api.delete(PODS, { name }, { gracePeriodSeconds: 0 }), {
      atOnce: AT_ONCE,
    });
    const targets = [...new Set(planned.values())];
    await inParallel(targets, (name) => api.delete(RESERVATIONS, { name: `node.${name}` }), {
      atOnce: AT_ONCE,
    });
  }

  /** The shipped configuration with the extender on loopback, which needs no TLS; without extenders for rounds without one. */
  #configuration(kind: Kind): string {
    const { extenders, ...rest } = parse(readFileSync(SHIPPED, 'utf8')) as {
      readonly extenders: readonly [Readonly<Record<string, unknown>>];
    };
    if (kind === 'without') return stringify({ ...rest, clientConnection: CLIENT });
    const port = kind === 'echo' ? this.#echo.port : this.#berth.extenderPort;
    const urlPrefix = `http://127.0.0.1:${String(port)}/scheduler`;
    const extender = {
      ...extenders[0],
      ...{ urlPrefix, enableHTTPS: false, tlsConfig: undefined },
      ...(kind === 'filtered' && { prioritizeVerb: undefined }),
    };
    return stringify({ ...rest, clientConnection: CLIENT, extenders: [extender] });
  }
}

/** When pods were seen bound, and to which nodes. */
class Binds {
  readonly at: number[] = [];
  /** By uid. */
  readonly nodes = new Map<string, string>();
  readonly #wanted: ReadonlySet<string>;
  readonly #end = new AbortController();
  readonly #following: Promise<void>;

  constructor({ api }: ControlPlane, wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
    this.#following = follow(api, PODS, {
      signal: this.#end.signal,
      deleted: () => undefined,
      changed: ({ metadata, spec }) => {
        if (spec.nodeName === undefined || !wanted.has(metadata.uid) || this.nodes.has(metadata.uid)) return;
        this.nodes.set(metadata.uid, spec.nodeName);
        this.at.push(performance.now());
      },
    });
  }

  get isWhole(): boolean {
    return this.nodes.size === this.#wanted.size;
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#following;
  }
}

/** The API server gives a new node a taint, which kube-controller-manager would take away once the node is Ready. */
async function createNode({ api }: ControlPlane, name: string): Promise<void> {
  await api.create(NODES, node(name));
  await api.patch(NODES, { name }, { type: 'merge', body: { spec: { taints: null } } });
}

function node(name: string): Parameters<ControlPlane['api']['create']>[1] {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': 'a' } },
    status: {
      allocatable: NODE_RESOURCES,
      capacity: NODE_RESOURCES,
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}
