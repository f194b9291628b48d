/** What every Planner does, whichever adapter it is: laws that a test file runs against its adapter. */
import { DEFAULT_DEMAND_TERMS } from '../../src/domain/pods/demand.js';
import { disrupt } from '../../src/planning/disrupt/methods.js';
import type { DisruptionAnswer } from '../../src/planning/disrupt/question/disruption.js';
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import type { Plan } from '../../src/planning/plan.js';
import { plan } from '../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import type { DisruptionQuestion, Planner, PlanQuestion } from '../../src/ports/planner.js';
import { Cluster } from '../../src/state/cluster/cluster.js';
import { disruptionInput } from '../../src/state/planning/disruption-input.js';
import { planInput } from '../../src/state/planning/plan-input.js';
import { daemonSet } from '../support/builders/daemon-set.js';
import { disruptionOptions, disruptionTerms, NOW, typeNamed } from '../support/builders/disruption-input.js';
import { smallCatalogue, ZONE_A } from '../support/builders/instance-type.js';
import { nodeClaim } from '../support/builders/node-claim.js';
import { poolOffer } from '../support/builders/node-pool.js';
import { observedNode } from '../support/builders/observed-node.js';
import { observedPod } from '../support/builders/observed-pod.js';
import { unschedulablePod, unschedulableReplicas } from '../support/builders/unschedulable-pod.js';

/** A node with some room, and so many pods that want a place, beside one that has none anywhere. */
export function batchCluster(count = 20): Cluster {
  const cluster = new Cluster();
  cluster.put('Node', observedNode({ name: 'old', allocatable: { cpu: '2', memory: '4Gi', pods: '20' } }));
  cluster.put('DaemonSet', daemonSet({ name: 'log' }));
  for (const pod of unschedulableReplicas(count, { name: 'web', requests: { cpu: '900m' } }))
    cluster.put('Pod', pod);
  cluster.put('Pod', unschedulablePod({ name: 'giant', requests: { cpu: '10k' } }));
  return cluster;
}

const TYPES = smallCatalogue();

/** About the first so many pods of the batch. In a plan pods are on a node, on new nodes, and nowhere. */
export function planQuestion(cluster: Cluster, count = 20): PlanQuestion {
  const names = ['default/giant', ...Array.from({ length: count }, (_, i) => `default/web-${String(i)}`)];
  return {
    demand: names.flatMap((name) => cluster.pods.get(name) ?? []),
    pools: [poolOffer({ name: 'general' }, TYPES)],
    typesOf: () => TYPES,
    options: DEFAULT_PLAN_OPTIONS,
  };
}

/** Nodes of pool general: an empty one, which may go, one that could be smaller, and one that is to stay. */
export function addFleet(cluster: Cluster): void {
  for (const name of ['empty', 'wasteful', 'kept']) {
    const type = name === 'empty' ? typeNamed('m5.large') : typeNamed('m6i.4xlarge');
    const node = observedNode({ name, type, nodePool: 'general' });
    cluster.put('Node', node);
    cluster.put(
      'NodeClaim',
      nodeClaim({
        name: `claim-${name}`,
        createdAt: NOW - 24 * 3_600_000,
        annotations: new Map(name === 'kept' ? [['karpenter.sh/do-not-disrupt', 'true']] : []),
        status: {
          ...{ providerID: node.providerID, nodeName: name, instanceType: type.name, zone: ZONE_A },
          capacityType: 'on-demand',
          conditions: [
            {
              ...{ type: 'Initialized', status: 'True', reason: '', message: '' },
              lastTransitionTime: NOW - 3_600_000,
            },
          ],
        },
      }),
    );
    const owner = { kind: 'ReplicaSet', name: 'app' };
    if (name !== 'empty')
      cluster.put(
        'Pod',
        observedPod({ name: `on-${name}`, nodeName: name, owner, requests: { cpu: '900m' } }),
      );
  }
}

/** An empty node goes, one is replaced, and one stays with a reason. */
export function disruptionQuestion(): DisruptionQuestion {
  return {
    demandTerms: DEFAULT_DEMAND_TERMS,
    pools: [poolOffer({ name: 'general', disruption: disruptionTerms() }, TYPES)],
    typesOf: () => TYPES,
    frozenPools: new Set(),
    now: NOW,
    cursor: '',
    podEvents: new Map(),
    movesTo: new Map(),
    unhealthy: new Map(),
    resting: new Set(),
    options: disruptionOptions(),
  };
}

/** A plan or answer as text: maps from another thread are of another class in tests. */
export function planText(value: Plan | DisruptionAnswer): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    Object.prototype.toString.call(member) === '[object Map]'
      ? [...(member as ReadonlyMap<unknown, unknown>)]
      : member,
  );
}

/** The text of the plan for the cluster as it is now. */
export function expectedPlan(cluster: Cluster, question: PlanQuestion): string {
  return planText(plan(buildSnapshot(planInput(cluster, question)), question.options));
}

export interface PlannerLaw {
  /** The end of a sentence that begins with the adapter's name. */
  readonly behaviour: string;
  /** `cluster` is the planner's, and has nothing in it. */
  readonly expectOf: (planner: Planner, cluster: Cluster) => Promise<void>;
}

export const PLANNER_LAWS: readonly PlannerLaw[] = [
  { behaviour: 'answers the plan, with places, claims and reasons', expectOf: expectThePlan },
  { behaviour: 'answers which nodes go, and why others stay', expectOf: expectTheDisruption },
  { behaviour: 'answers about the cluster as it was when it was asked', expectOf: expectTheMoment },
  {
    behaviour: 'leaves out pods that are set aside, and those that have found a place',
    expectOf: expectLess,
  },
  { behaviour: 'answers questions in the order in which they were asked', expectOf: expectOrder },
  { behaviour: 'refuses a question whose caller has stopped waiting', expectOf: expectCancelled },
  {
    behaviour: 'is not available when planning breaks, and answers the next question',
    expectOf: expectRecovery,
  },
  { behaviour: 'answers nothing more once it is closed, and can be closed twice', expectOf: expectClosed },
];

function fill(cluster: Cluster, from: Cluster): void {
  for (const node of from.nodes.values()) cluster.put('Node', node);
  for (const set of from.daemonSets.values()) cluster.put('DaemonSet', set);
  for (const pod of from.pods.values()) cluster.put('Pod', pod);
}

async function expectThePlan(planner: Planner, cluster: Cluster): Promise<void> {
  fill(cluster, batchCluster());
  const question = planQuestion(cluster);
  const answer = await planner.plan(question);
  expect(planText(answer.plan)).toBe(expectedPlan(cluster, question));
  expect(answer.plan.placements.some(({ target }) => target.kind === 'Node')).toBe(true);
  expect(answer.plan.claims.length).toBeGreaterThan(0);
  expect(answer.plan.unschedulable).toHaveLength(1);
  expect(answer.millis).toBeGreaterThanOrEqual(0);
}

async function expectTheDisruption(planner: Planner, cluster: Cluster): Promise<void> {
  addFleet(cluster);
  const question = disruptionQuestion();
  const { answer, census, millis } = await planner.disrupt(question);
  expect(planText(answer)).toBe(planText(disrupt(disruptionInput(cluster, question), question.options)));
  expect(answer.commands.map(({ reason }) => reason)).toEqual(['Empty', 'Underutilized']);
  expect(answer.refusals.map(({ node: name }) => name)).toEqual(['kept']);
  expect(census.pools).toEqual([{ nodePool: 'general', initialized: 3, unusable: 0, leaving: 0 }]);
  expect([...census.eligible]).toEqual([
    ['Unhealthy', 0],
    ['Drifted', 0],
  ]);
  expect(millis).toBeGreaterThanOrEqual(0);
}

async function expectTheMoment(planner: Planner, cluster: Cluster): Promise<void> {
  fill(cluster, batchCluster(30));
  const answers: Promise<{ readonly plan: Plan }>[] = [];
  const expected: string[] = [];
  const ask = (): void => {
    const question = planQuestion(cluster, 30);
    expected.push(expectedPlan(cluster, question));
    answers.push(planner.plan(question));
  };
  ask();
  cluster.delete('Node', 'old');
  cluster.put('DaemonSet', daemonSet({ name: 'log', requests: { cpu: '1' } }));
  ask();
  cluster.put('Node', observedNode({ name: 'new', allocatable: { cpu: '9' } }));
  cluster.delete('Pod', 'default/web-3');
  ask();
  cluster.delete('Node', 'new');
  ask();
  const plans = await Promise.all(answers);
  expect(plans.map((answer) => planText(answer.plan))).toEqual(expected);
  expect(new Set(expected).size).toBe(4);
}

async function expectLess(planner: Planner, cluster: Cluster): Promise<void> {
  fill(cluster, batchCluster(10));
  const question = planQuestion(cluster, 10);
  const [giant, first, second, third] = question.demand;
  cluster.put('Pod', observedPod({ name: 'web-0', uid: first?.uid ?? '', nodeName: 'old' }));
  cluster.delete('Pod', 'default/web-1', second?.uid);
  const setAside = [giant, third].flatMap((pod) => pod ?? []);
  const { plan: made } = await planner.plan({ ...question, setAside });
  expect(made.placements).toHaveLength(7);
  const planned = [...made.placements, ...made.unschedulable].map(({ pod }) => pod);
  for (const name of ['giant', 'web-0', 'web-1', 'web-2']) expect(planned).not.toContain(`default/${name}`);
}

async function expectOrder(planner: Planner, cluster: Cluster): Promise<void> {
  fill(cluster, batchCluster(40));
  const answered: number[] = [];
  const sizes = [40, 1, 20, 3];
  const plans = sizes.map(async (size) => {
    const answer = await planner.plan(planQuestion(cluster, size));
    answered.push(answer.plan.placements.length);
  });
  const last = planner.disrupt(disruptionQuestion()).then(() => answered.push(0));
  await Promise.all([...plans, last]);
  expect(answered).toEqual([...sizes, 0]);
}

async function expectCancelled(planner: Planner, cluster: Cluster): Promise<void> {
  const answer = planner.plan(planQuestion(cluster), AbortSignal.abort());
  await expect(answer).rejects.toMatchObject({ code: 'Cancelled' });
  const other = planner.disrupt(disruptionQuestion(), AbortSignal.abort());
  await expect(other).rejects.toMatchObject({ code: 'Cancelled' });
}

async function expectRecovery(planner: Planner, cluster: Cluster): Promise<void> {
  fill(cluster, batchCluster());
  addFleet(cluster);
  const question = planQuestion(cluster);
  // Types that are none.
  const [{ pool } = poolOffer()] = question.pools;
  const pools = [{ pool, instanceTypes: [{ name: 'none' }] }] as unknown as PlanQuestion['pools'];
  await expect(planner.plan({ ...question, pools })).rejects.toMatchObject({ code: 'Unavailable' });
  await expect(planner.plan(question)).resolves.toHaveProperty('plan');
  const wrong = planner.disrupt({ ...disruptionQuestion(), pools });
  await expect(wrong).rejects.toMatchObject({ code: 'Unavailable' });
  // A node that planning cannot read, as long as it is there.
  const broken = { ...observedNode({ name: 'broken' }), labels: undefined };
  cluster.put('Node', broken as unknown as Parameters<typeof cluster.put<'Node'>>[1]);
  await expect(planner.plan(question)).rejects.toMatchObject({ code: 'Unavailable' });
  cluster.delete('Node', 'broken');
  await expect(planner.plan(question)).resolves.toHaveProperty('plan');
  await expect(planner.disrupt(disruptionQuestion())).resolves.toHaveProperty('answer');
}

async function expectClosed(planner: Planner, cluster: Cluster): Promise<void> {
  await planner.close();
  await planner.close();
  await expect(planner.plan(planQuestion(cluster))).rejects.toMatchObject({ code: 'Unavailable' });
  await expect(planner.disrupt(disruptionQuestion())).rejects.toMatchObject({ code: 'Unavailable' });
}
