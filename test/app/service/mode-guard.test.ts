/** Refusals of an observing process are counted by what was to be changed. */
import { modeGuard } from '../../../src/app/service/mode-guard.js';
import { PortError } from '../../../src/ports/port-error.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';

const OPTIONS = { namespace: 'berth-system', cloud: 'aws' };

test('a process that acts refuses nothing', () => {
  expect(modeGuard({ ...OPTIONS, mode: 'act' }, createMetrics())).toEqual({
    kube: undefined,
    cloud: undefined,
  });
});

test('what an observing process refuses is counted, what it may write is not', async () => {
  const metrics = createMetrics();
  const guard = modeGuard({ ...OPTIONS, mode: 'observe' }, metrics);
  const body = undefined;
  guard.kube?.({ method: 'POST', path: '/api/v1/namespaces/default/pods/a/eviction?x=y', body });
  guard.kube?.({ method: 'PATCH', path: '/api/v1/nodes/a', body });
  guard.kube?.({ method: 'POST', path: '/apis/berth.sh/v1/decisions', body });
  const refused = (): void => {
    guard.cloud?.('CreateFleet');
  };
  expect(refused).toThrow(PortError);
  expect(refused).toThrow('CreateFleet: Berth only observes this cluster');
  const { values } = await metrics.refusedChanges.get();
  expect(values.map(({ labels, value }) => [labels.target, labels.operation, value])).toEqual([
    ['kubernetes', 'POST pods/eviction', 1],
    ['kubernetes', 'PATCH nodes', 1],
    ['aws', 'CreateFleet', 2],
  ]);
});
