import type { Toleration } from '../../../src/domain/values/taint.js';
import type { Planner } from '../../../src/ports/planner.js';
import { nodePoolDocument } from '../../support/builders/policy-status.js';
import { unschedulablePod } from '../../support/builders/unschedulable-pod.js';
import { ProvisioningWorld } from './provisioning-world.js';

const BATCH_MILLIS = 1100;

/** A planner that is always ended before it has looked for better plans. */
function hurried(planner: Planner): Planner {
  return {
    plan: async (request, signal) => ({
      ...(await planner.plan(request, signal)),
      draft: { code: 'TimedOut', message: 'planning took longer than 10 s' },
    }),
    disrupt: (request, signal) => planner.disrupt(request, signal),
    close: () => planner.close(),
  };
}

test('the decision about a new claim says for whom it is, which types hold them and what the next pool would cost', async () => {
  const world = new ProvisioningWorld([nodePoolDocument('general'), nodePoolDocument('other')]);
  world.start();
  world.pods([unschedulablePod({ name: 'web', requests: { cpu: '500m' } })]);
  await world.clock.advance(BATCH_MILLIS);
  const placed = world.told.decisions.filter(({ action }) => action === 'Place');
  expect(placed.map(({ reason }) => reason)).toEqual(['Provisioned']);
  expect(placed[0]?.message).toMatch(
    /^an instance of NodePool general for default\/web; \d+ instance types of the pool fit its pods; .*; the next best pool, other, would launch \S+ \S+ in \S+ at \d+\.\d{4} USD\/h$/,
  );
});

test('a pod whose rules are too long has an event that says how much too long, and the others of its batch get room', async () => {
  const world = new ProvisioningWorld();
  world.start();
  const tolerations = Array.from({ length: 5000 }, (_, index): Toleration => ({
    key: `k${String(index)}`,
    operator: 'Exists',
    value: '',
    effect: 'NoSchedule',
  }));
  world.pods([
    unschedulablePod({ name: 'long', uid: 'long', tolerations }),
    unschedulablePod({ name: 'web', uid: 'web' }),
  ]);
  await world.clock.advance(BATCH_MILLIS);
  expect(world.heldPods()).toEqual(['web']);
  const refused = world.told.decisions.filter(({ action }) => action === 'Refuse');
  expect(refused).toMatchObject([
    {
      subject: { kind: 'Pod', namespace: 'default', name: 'long' },
      reason: 'TooComplex',
      message: expect.stringMatching(/has 5000 rules .*at most 4096 are supported/) as string,
      event: { type: 'Warning', reason: 'FailedScheduling' },
    },
  ]);
});

test('the draft of a plan that took too long is carried out, and the log says so', async () => {
  const world = new ProvisioningWorld();
  world.start(world.kube, { aroundPlanner: hurried });
  const pod = unschedulablePod();
  world.pods([pod]);
  await world.clock.advance(BATCH_MILLIS);
  expect(world.heldPods()).toEqual([pod.uid]);
  expect(world.log.lines).toContainEqual({
    level: 'warn',
    message: 'Planning stopped early; using its draft',
    fields: { code: 'TimedOut', message: 'planning took longer than 10 s' },
  });
});
