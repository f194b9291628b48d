/** One system through the whole trace: a row for each of its steps. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../test/controlplane/fixture/eventually.js';
import type { ControlPlane } from '../../test/controlplane/fixture/control-plane.js';
import type { Prices } from './instance-types.js';
import { Observer, usageOf, type SeenPod } from './observer.js';
import type { System } from '../../test/live/fixture/system.js';
import { trace, type Step } from './trace.js';

export interface Row {
  readonly system: string;
  readonly version: string;
  /** The step of the trace. */
  readonly trace: string;
  /** Seconds from a pod's creation to its binding, of pods that were created in the step. */
  readonly pendingToBoundP50: number;
  readonly pendingToBoundP99: number;
  /** What the nodes cost during the step, in USD. */
  readonly usdHours: number;
  /** USD/h at its end. */
  readonly hourly: number;
  /** Pods that were bound. */
  readonly bound: number;
  /** Of pods that the system decided about before they were bound: those that were bound to another node. */
  readonly boundElsewhere: number;
  /** Nodes that were created, and that no pod was ever bound to. */
  readonly bornEmpty: number;
  readonly nodesCreated: number;
  readonly evictions: number;
  readonly apiWrites: number;
  readonly cpuSeconds: number;
  readonly rssMiB: number;
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const BOUND_MILLIS = 600_000;

export async function measure(
  cluster: ControlPlane,
  system: System,
  prices: Prices,
  onRow: (row: Row) => void,
): Promise<void> {
  const observer = new Observer(cluster, prices);
  try {
    for (const step of trace()) onRow(await measureStep(step, { cluster, system, observer }));
  } finally {
    await observer.stop();
  }
}

interface Scene {
  readonly cluster: ControlPlane;
  readonly system: System;
  readonly observer: Observer;
}

async function measureStep(step: Step, { cluster, system, observer }: Scene): Promise<Row> {
  const from = observer.now();
  const cpuBefore = usageOf(system.pid).cpuSeconds;
  const before = writesOf(cluster, system);
  const wanted = await step.act(cluster.api);
  const isDone = (): boolean => {
    const { bound, waiting } = observer.counts();
    return bound === wanted && waiting === 0;
  };
  await eventually(`${step.name}: ${String(wanted)} pods are bound`, isDone, { timeoutMillis: BOUND_MILLIS });
  await sleep(step.settleSeconds * 1000);
  await eventually(`${step.name}: all pods are bound at its end`, isDone, { timeoutMillis: BOUND_MILLIS });
  const to = observer.now();
  const after = writesOf(cluster, system);
  const pods = [...observer.pods.values()].filter(({ createdAt }) => createdAt >= from);
  const bound = pods.filter(({ boundAt }) => boundAt !== undefined);
  const waits = bound.map(({ boundAt = 0, createdAt }) => boundAt - createdAt).sort((a, b) => a - b);
  const created = [...observer.nodes.values()].filter(({ createdAt }) => createdAt >= from);
  const { cpuSeconds, rssMiB } = usageOf(system.pid);
  return {
    system: system.name,
    version: system.version,
    trace: step.name,
    pendingToBoundP50: percentile(waits, 0.5),
    pendingToBoundP99: percentile(waits, 0.99),
    usdHours: rounded(observer.cost(from, to), 4),
    hourly: rounded(observer.hourly(), 4),
    bound: bound.length,
    boundElsewhere: await boundElsewhere(bound, observer, system),
    bornEmpty: created.filter((node) => node.pods === 0).length,
    nodesCreated: created.length,
    evictions: after.evictions - before.evictions,
    apiWrites: after.writes - before.writes,
    cpuSeconds: rounded(cpuSeconds - cpuBefore, 2),
    rssMiB,
  };
}

async function boundElsewhere(
  bound: readonly SeenPod[],
  { nodes }: Observer,
  { decisions }: System,
): Promise<number> {
  const decided = await decisions();
  const namesOf = new Map([...nodes.values()].map(({ name, hostname }) => [name, [name, hostname]]));
  return bound.filter(({ uid, nodeName = '' }) => {
    const meant = decided.get(uid);
    return meant !== undefined && !(namesOf.get(nodeName) ?? [nodeName]).some((name) => meant.includes(name));
  }).length;
}

interface Writes {
  readonly writes: number;
  readonly evictions: number;
}

/** Since the cluster began, as the API server counts them; refused ones are left out. */
function writesOf(cluster: ControlPlane, { username }: System): Writes {
  const own = cluster
    .auditEvents()
    .filter(
      ({ verb, user, responseStatus }) =>
        user.username === username && WRITES.has(verb) && (responseStatus?.code ?? 0) < 400,
    );
  return {
    writes: own.length,
    evictions: own.filter(({ objectRef }) => objectRef?.subresource === 'eviction').length,
  };
}

function percentile(sorted: readonly number[], share: number): number {
  return rounded(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0, 2);
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
