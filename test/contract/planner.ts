/** What every Planner does, whichever adapter it is: laws that a test file runs against its adapter. */
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import type { DisruptionAnswer } from '../../src/planning/disrupt/disruption.js';
import type { Plan } from '../../src/planning/plan.js';
import { plan } from '../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import { disrupt } from '../../src/planning/disrupt/disrupt.js';
import type { DisruptRequest, Planner, PlanRequest } from '../../src/ports/planner.js';
import { clusterInput } from '../support/builders/cluster-input.js';
import { daemonSet } from '../support/builders/daemon-set.js';
import { disruptionOptions, fleet, typeNamed } from '../support/builders/disruption-input.js';
import { nodePool, poolOffer } from '../support/builders/node-pool.js';
import { node } from '../support/builders/node.js';
import { pod, replicas } from '../support/builders/pod.js';

/** A request whose plan has pods on a node, on new machines, and nowhere. */
export function planRequest(count = 20): PlanRequest {
  const input = clusterInput({
    pods: [
      ...replicas(count, { name: 'web', requests: { cpu: '900m' } }),
      pod({ name: 'giant', requests: { cpu: '10k' } }),
    ],
    nodes: [node({ name: 'old', allocatable: { cpu: '2', memory: '4Gi', pods: '20' } })],
    daemonSets: [daemonSet({ name: 'log' })],
    pools: [poolOffer({ name: 'general' })],
  });
  return { input, options: DEFAULT_PLAN_OPTIONS };
}

/** A request of which an empty node goes, one is replaced, and one stays with a reason. */
export function disruptRequest(): DisruptRequest {
  const type = typeNamed('m6i.4xlarge');
  const pods = [{ requests: { cpu: '900m' } }];
  const input = fleet([
    { name: 'empty' },
    { name: 'wasteful', type, pods },
    { name: 'kept', type, pods, managed: { doNotDisrupt: 'true' } },
  ]);
  return { input, options: disruptionOptions() };
}

/** A plan or answer as text: maps from another thread are of another class in tests. */
export function planText(value: Plan | DisruptionAnswer): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    Object.prototype.toString.call(member) === '[object Map]'
      ? [...(member as ReadonlyMap<unknown, unknown>)]
      : member,
  );
}

export interface PlannerLaw {
  /** The end of a sentence that begins with the adapter's name. */
  readonly behaviour: string;
  readonly expectOf: (planner: Planner) => Promise<void>;
}

export const PLANNER_LAWS: readonly PlannerLaw[] = [
  { behaviour: 'answers the plan, with places, claims and reasons', expectOf: expectThePlan },
  { behaviour: 'answers which nodes go, and why others stay', expectOf: expectTheDisruption },
  { behaviour: 'answers requests in the order in which they were made', expectOf: expectOrder },
  { behaviour: 'refuses a request that nobody wants any more', expectOf: expectCancelled },
  { behaviour: 'is not available when planning breaks, and goes on', expectOf: expectRecovery },
  { behaviour: 'answers nothing more once it is closed, and can be closed twice', expectOf: expectClosed },
];

async function expectThePlan(planner: Planner): Promise<void> {
  const { input, options } = planRequest();
  const answer = await planner.plan({ input, options });
  expect(planText(answer.plan)).toBe(planText(plan(buildSnapshot(input), options)));
  expect(answer.plan.placements.some(({ target }) => target.kind === 'Node')).toBe(true);
  expect(answer.plan.claims.length).toBeGreaterThan(0);
  expect(answer.plan.unschedulable).toHaveLength(1);
  expect(answer.millis).toBeGreaterThanOrEqual(0);
}

async function expectTheDisruption(planner: Planner): Promise<void> {
  const { input, options } = disruptRequest();
  const { answer, millis } = await planner.disrupt({ input, options });
  expect(planText(answer)).toBe(planText(disrupt(input, options)));
  expect(answer.commands.map(({ reason }) => reason)).toEqual(['Empty', 'Underutilized']);
  expect(answer.refusals.map(({ node: name }) => name)).toEqual(['kept']);
  expect(millis).toBeGreaterThanOrEqual(0);
}

async function expectOrder(planner: Planner): Promise<void> {
  const answered: number[] = [];
  const sizes = [40, 1, 20, 3];
  const plans = sizes.map(async (size) => {
    const answer = await planner.plan(planRequest(size));
    answered.push(answer.plan.placements.length);
  });
  const last = planner.disrupt(disruptRequest()).then(() => answered.push(0));
  await Promise.all([...plans, last]);
  expect(answered).toEqual([...sizes, 0]);
}

async function expectCancelled(planner: Planner): Promise<void> {
  const answer = planner.plan(planRequest(), AbortSignal.abort());
  await expect(answer).rejects.toMatchObject({ code: 'Cancelled' });
  const other = planner.disrupt(disruptRequest(), AbortSignal.abort());
  await expect(other).rejects.toMatchObject({ code: 'Cancelled' });
}

async function expectRecovery(planner: Planner): Promise<void> {
  const request = planRequest();
  const broken: unknown = { ...request.input, pools: [{ pool: nodePool({ name: 'p' }), instanceTypes: 7 }] };
  const answer = planner.plan({ ...request, input: broken as PlanRequest['input'] });
  await expect(answer).rejects.toMatchObject({ code: 'Unavailable' });
  await expect(planner.plan(request)).resolves.toHaveProperty('plan');
  const { input, options } = disruptRequest();
  const wrong = planner.disrupt({ input: { ...input, cluster: broken as PlanRequest['input'] }, options });
  await expect(wrong).rejects.toMatchObject({ code: 'Unavailable' });
  await expect(planner.disrupt({ input, options })).resolves.toHaveProperty('answer');
}

async function expectClosed(planner: Planner): Promise<void> {
  await planner.close();
  await planner.close();
  await expect(planner.plan(planRequest())).rejects.toMatchObject({ code: 'Unavailable' });
  await expect(planner.disrupt(disruptRequest())).rejects.toMatchObject({ code: 'Unavailable' });
}
