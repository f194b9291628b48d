/** Calls to the cloud are timed and counted for the controller that makes them. */
import type { Cloud, LaunchAnswer, LaunchCall } from '../../../src/ports/cloud.js';
import { PortError, type PortErrorCode } from '../../../src/ports/port-error.js';
import { measuredCloud } from '../../../src/runtime/metrics/measured-cloud.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { VirtualClock } from '../../support/virtual-clock.js';

/** A cloud that takes a second to launch one instance, and fails at everything else with this code. */
function scene(code: PortErrorCode = 'Unavailable') {
  const clock = new VirtualClock();
  const metrics = createMetrics();
  const fail = () => Promise.reject(new PortError(code, { operation: 'call', message: 'no' }));
  const cloud: Cloud = {
    repairPolicies: [],
    launch: async () => {
      await clock.sleep(1000);
      return { instances: [{}], failures: [] } as unknown as LaunchAnswer;
    },
    terminate: fail,
    reboot: fail,
    instances: fail,
    prepareLaunch: fail,
    resolveNodeClass: fail,
    tagInstances: fail,
  };
  const measured = measuredCloud(cloud, { clock, metrics, provider: 'aws' }, 'nodeclaim');
  return { clock, metrics, measured };
}

const LABELS = { controller: 'nodeclaim', provider: 'aws' };

test('a launch is timed, and the instances that it did not bring are errors of its NodePool', async () => {
  const { clock, metrics, measured } = scene();
  const call = {
    tags: new Map([['berth.sh/nodepool', 'general']]),
    request: { size: 3 },
  } as unknown as LaunchCall;
  const launched = measured.launch(call);
  await clock.advance(1000);
  await launched;
  expect((await metrics.cloudCallDuration.get()).values).toContainEqual(
    expect.objectContaining({ value: 1, labels: { ...LABELS, method: 'Create' } }),
  );
  expect((await metrics.cloudCallErrors.get()).values).toEqual([
    {
      value: 2,
      labels: { ...LABELS, method: 'Create', error: 'InsufficientCapacityError', nodepool: 'general' },
    },
  ]);
});

test.each([
  ['NotFound', 'NodeClaimNotFoundError'],
  ['InsufficientCapacity', 'InsufficientCapacityError'],
  ['RateLimited', 'unknown'],
] as const)('a call that fails with %s is an error %s, and is thrown', async (code, error) => {
  const { metrics, measured } = scene(code);
  await expect(measured.terminate(['i-1'])).rejects.toMatchObject({ code });
  expect((await metrics.cloudCallErrors.get()).values).toEqual([
    { value: 1, labels: { ...LABELS, method: 'Delete', error, nodepool: '' } },
  ]);
});

test('a call that was given up is no error', async () => {
  const { metrics, measured } = scene('Cancelled');
  await expect(measured.instances(new Map())).rejects.toMatchObject({ code: 'Cancelled' });
  expect((await metrics.cloudCallErrors.get()).values).toEqual([]);
});
