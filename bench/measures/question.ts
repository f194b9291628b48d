/** What asking the planner's thread costs the thread that answers kube-scheduler: processor time of this thread alone. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { WorkerPlanner } from '../../src/adapters/planner/index.js';
import { catalogueFor } from '../../src/clouds/aws/catalogue/index.js';
import { ResolvedNodeClasses } from '../../src/controllers/policies/resolved-node-classes.js';
import { PoolOffers } from '../../src/controllers/provisioning/pool-offers.js';
import type { ObservedPod } from '../../src/domain/pods/observed-pod.js';
import { podKey } from '../../src/domain/pods/pod.js';
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import { systemClock } from '../../src/runtime/time/system-clock.js';
import { Cluster } from '../../src/state/cluster/cluster.js';
import { demandOf } from '../../src/state/planning/demand.js';
import { UnavailableOfferings } from '../../src/state/nodes/unavailable-offerings.js';
import {
  nodeClassDocument,
  policyConfigMap,
  policyDocument,
} from '../../test/support/builders/policy-document.js';
import { acceptedPolicy, nodePoolDocument, policyStatus } from '../../test/support/builders/policy-status.js';
import { UNSCHEDULABLE } from '../../test/support/builders/unschedulable-pod.js';
import { observed, type ObservedInput } from '../controller/observed-input.js';
import { SILENT } from '../controller/silent-logger.js';
import type { Bench } from '../run-workload.js';
import { median } from '../solvers/stopwatch.js';
import { FULL_CLUSTER } from '../workloads/named-workloads.js';
import { inputOf, verdict, type Measure } from './measure.js';

const MOST_MILLIS = 5;
const ROUNDS = 9;
/** Rounds that do not count: code that is compiled, and types that the thread receives for the first time. */
const WARM_UP = 3;
const REGION = 'us-east-1';
const PLAN_DEADLINE_MILLIS = 60_000;

/** Milliseconds of this thread's processor time. */
interface Round {
  /** The stores and their subscribers take 1,000 new pods in. Not part of the question: they would without a planner. */
  readonly put: number;
  /** The pods are sent to the thread. */
  readonly send: number;
  /** What can be launched and which pods want a place is found out, and the question built and sent. */
  readonly ask: number;
}

/** 1,000 pods come to 50,000 on 5,000 nodes and are asked about, again and again; the plans are not carried out. */
export async function measureQuestion(bench: Bench): Promise<Measure> {
  const known = observed(inputOf(FULL_CLUSTER));
  const waiting = known.pods.filter(({ nodeName }) => nodeName === undefined);
  const cluster = clusterOf(known);
  const planner = new WorkerPlanner({
    entry: pathToFileURL(bench.program),
    cluster,
    deadlineMillis: PLAN_DEADLINE_MILLIS,
    clock: systemClock,
    logger: SILENT,
  });
  const offers = offersOf(cluster);
  const rounds: Round[] = [];
  let placed = 0;
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const pods = batch(waiting, round);
    const start = ownMillis();
    for (const pod of pods) cluster.put('Pod', pod);
    const stored = ownMillis();
    // The changes of a turn are sent in the next.
    await pause(5);
    const sent = ownMillis();
    const pools = await offers.now(new AbortController().signal);
    const demand = demandOf(cluster, systemClock.now());
    const answer = planner.plan({
      demand,
      pools,
      typesOf: (claim) => offers.typesOf(claim),
      options: DEFAULT_PLAN_OPTIONS,
    });
    const asked = ownMillis();
    rounds.push({ put: stored - start, send: sent - stored, ask: asked - sent });
    placed += (await answer).plan.placements.length;
    for (const pod of pods) cluster.delete('Pod', podKey(pod), pod.uid);
    await pause(50);
  }
  await planner.close();
  return report(rounds.slice(WARM_UP), placed === waiting.length * (WARM_UP + ROUNDS));
}

function report(rounds: readonly Round[], valid: boolean): Measure {
  const [put, send, ask] = (['put', 'send', 'ask'] as const).map((part) =>
    median(rounds.map((round) => round[part])),
  );
  const reached = (ask ?? Infinity) < MOST_MILLIS;
  const wanted = verdict(`under ${String(MOST_MILLIS)} ms`, reached);
  const figures = { putMillis: put, sendMillis: send, askMillis: ask };
  const before = `${text(send)} ms for sending the pods as they come, beside ${text(put)} ms of the stores`;
  return {
    line: `question: 1,000 pods beside 50,000 on 5,000 nodes: ${text(ask)} ms of CPU of the asking thread ${wanted}; before, ${before}`,
    figures: { ...figures, rounds, reached },
    valid,
    reached,
  };
}

function text(millis: number | undefined): string {
  return (millis ?? 0).toFixed(1);
}

function clusterOf({ nodes, pods, daemonSets }: ObservedInput): Cluster {
  const cluster = new Cluster();
  for (const node of nodes) cluster.put('Node', node);
  for (const daemonSet of daemonSets) cluster.put('DaemonSet', daemonSet);
  for (const pod of pods) if (pod.nodeName !== undefined) cluster.put('Pod', pod);
  const documents = [nodePoolDocument('default'), nodeClassDocument('default')];
  const read = documents.map((document) => policyDocument(document));
  cluster.put('PolicyConfigMap', policyConfigMap(read));
  for (const { kind, name, document } of read)
    cluster.put('PolicyStatus', policyStatus({ kind, policy: name, lastAccepted: acceptedPolicy(document) }));
  return cluster;
}

/** Of an account in which everything is allowed. */
function offersOf(cluster: Cluster): PoolOffers {
  const catalogue = catalogueFor(REGION);
  const zones = [
    ...new Set(catalogue.instanceTypes.flatMap(({ offerings }) => offerings.map(({ zone }) => zone))),
  ];
  const cloud = {
    resolveNodeClass: () =>
      Promise.resolve({ zones, subnetIDs: [], securityGroupIDs: [], imageIDs: [], problems: [] }),
  };
  return new PoolOffers({
    cluster,
    catalogue: () => catalogue,
    resolved: new ResolvedNodeClasses({ cloud, clock: systemClock }),
    unavailableOfferings: new UnavailableOfferings(),
    clock: systemClock,
    logger: SILENT,
  });
}

/** The waiting pods under names of their own. */
function batch(waiting: readonly ObservedPod[], round: number): readonly ObservedPod[] {
  const suffix = `-${String(round)}`;
  return waiting.map((pod) => ({
    ...pod,
    name: pod.name + suffix,
    uid: pod.uid + suffix,
    scheduled: UNSCHEDULABLE,
  }));
}

/**
 * Processor time of this thread so far, in milliseconds, without that of the planner's thread and V8's. Linux accounts for it
 * when a thread stops, hence the wait; elsewhere that of the whole process.
 */
function ownMillis(): number {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  try {
    const [nanoseconds = '0'] = readFileSync(
      `/proc/self/task/${String(process.pid)}/schedstat`,
      'utf8',
    ).split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return process.cpuUsage().user / 1000;
  }
}
