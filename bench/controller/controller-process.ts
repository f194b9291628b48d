/**
 * What a controller is while it plans: one process that knows a cluster, answers kube-scheduler, and has a thread that plans.
 * It does what its parent tells it.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { WorkerPlanner } from '../../src/adapters/planner/index.js';
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import type { Plan } from '../../src/planning/plan.js';
import type { ClusterInput, PoolOffer } from '../../src/planning/snapshot/cluster-input.js';
import type { PlanQuestion } from '../../src/ports/planner.js';
import { systemClock } from '../../src/runtime/time/system-clock.js';
import { extenderRouter } from '../../src/servers/extender/extender-router.js';
import { httpApp } from '../../src/servers/http/http-app.js';
import { listen } from '../../src/servers/http/listen.js';
import { Refusals } from '../../src/servers/http/refusals.js';
import { Cluster } from '../../src/state/cluster/cluster.js';
import { RoomLedger } from '../../src/state/ledger/room-ledger.js';
import { peakMebibytes } from '../solvers/peak-memory.js';
import { clusterInputOf } from '../workloads/cluster-input.js';
import { pose } from '../workloads/question.js';
import { observed, type ObservedInput } from './observed-input.js';
import { SILENT } from './silent-logger.js';

/** What the process is started with: names of workloads. */
export interface ControllerRequest {
  /** Whose nodes and pods are known. */
  readonly knows: string;
  /** What is planned; it may be the same. */
  readonly plans: string;
}

/** plan: again and again until told to rest. once: plan so many times, and give the last plan. */
export type ControllerOrder = { readonly plan: true } | { readonly rest: true } | { readonly once: number };

export type ControllerReply =
  | { readonly port: number; readonly nodeNames: readonly string[] }
  | { readonly plans: number }
  | { readonly plan: Plan; readonly millis: number; readonly rssMiB: number };

const PLAN_DEADLINE_MILLIS = 60_000;
const LEASE_MILLIS = 5000;

/** Serves until the parent lets go. */
export async function runController({ knows, plans }: ControllerRequest): Promise<void> {
  const cluster = new Cluster();
  const known = observed(inputOf(knows));
  fill(cluster, known);
  const port = await serveExtender(cluster);
  const planned = plans === knows ? known : observed(inputOf(plans));
  const plannedCluster = plans === knows ? cluster : new Cluster();
  if (plans !== knows) fill(plannedCluster, planned);
  const planner = new Repeater(plannedCluster, planned.pools);
  process.on('message', (order: ControllerOrder) => {
    if ('plan' in order) planner.start();
    else if ('rest' in order)
      void planner.rest().then((count) => {
        reply({ plans: count });
      });
    else
      void planner.times(order.once).then((last) => {
        reply({ ...last, rssMiB: peakMebibytes() });
      });
  });
  reply({ port, nodeNames: known.nodes.map(({ name }) => name) });
}

function reply(answer: ControllerReply): void {
  process.send?.(answer);
}

function inputOf(workload: string): ClusterInput {
  const posed = pose({ workload, folder: undefined, shuffle: 0 });
  return clusterInputOf(posed.workload, posed.types);
}

/** With a leader that is alive. */
function fill(cluster: Cluster, { pods, nodes, daemonSets }: ObservedInput): void {
  for (const node of nodes) cluster.put('Node', node);
  for (const daemonSet of daemonSets) cluster.put('DaemonSet', daemonSet);
  for (const pod of pods) cluster.put('Pod', pod);
  for (const kind of ['Pod', 'Node', 'NodeClaim', 'Reservation', 'Lease'] as const) cluster.synced(kind);
  let version = 0;
  const renew = (): void => {
    const now = Date.now();
    const times = { acquiredAt: now, renewedAt: now, durationSeconds: 15, transitions: 0 };
    cluster.put('Lease', { name: 'berth', resourceVersion: String(++version), holder: 'leader', ...times });
  };
  renew();
  setInterval(renew, LEASE_MILLIS).unref();
}

async function serveExtender(cluster: Cluster): Promise<number> {
  const ledger = new RoomLedger({ cluster, clock: systemClock });
  const refusals = new Refusals({ server: 'extender', counter: { inc: ignore }, logger: SILENT });
  const metrics = {
    extenderRequests: { inc: ignore },
    extenderDuration: { observe: ignore },
    extenderPasses: { inc: ignore },
    extenderAbandoned: { inc: ignore },
  };
  const router = extenderRouter({ cluster, ledger, clock: systemClock, logger: SILENT, metrics, refusals });
  const app = httpApp({ routers: [router], refusals });
  const { port } = await listen({
    app,
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    logger: SILENT,
    refusals,
  });
  return port;
}

function ignore(): void {
  // Nobody reads metrics here.
}

/** Plans the waiting pods of a cluster over and over in the planner's thread, which is this program started as one. */
class Repeater {
  readonly #question: PlanQuestion;
  readonly #planner: WorkerPlanner;
  #isPlanning = false;
  #running: Promise<number> = Promise.resolve(0);

  constructor(cluster: Cluster, pools: readonly PoolOffer[]) {
    this.#planner = new WorkerPlanner({
      entry: pathToFileURL(fileURLToPath(import.meta.url)),
      cluster,
      deadlineMillis: PLAN_DEADLINE_MILLIS,
      clock: systemClock,
      logger: SILENT,
    });
    this.#question = {
      demand: [...cluster.pods.values()].filter(({ nodeName }) => nodeName === undefined),
      pools,
      typesOf: () => pools[0]?.instanceTypes ?? [],
      options: DEFAULT_PLAN_OPTIONS,
    };
  }

  start(): void {
    this.#isPlanning = true;
    this.#running = this.#repeat();
  }

  /** Resolves with the number of plans since the start, once the last is made. */
  rest(): Promise<number> {
    this.#isPlanning = false;
    return this.#running;
  }

  async times(count: number): Promise<{ readonly plan: Plan; readonly millis: number }> {
    let last = await this.#once();
    for (let made = 1; made < count; made++) last = await this.#once();
    return { plan: last.plan, millis: last.millis };
  }

  async #repeat(): Promise<number> {
    let plans = 0;
    while (this.#isPlanning) {
      await this.#once();
      plans++;
    }
    return plans;
  }

  #once() {
    return this.#planner.plan(this.#question);
  }
}
