import { seededRandom } from '../../../../world/seeded-random.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { SimulatedApi } from '../../../../world/kubernetes/simulated-api.js';

test('a node whose last taint is taken away has no list of taints', async () => {
  const api = new SimulatedApi({ clock: new VirtualClock(), random: seededRandom(1) });
  const node = await api.create('nodes', { metadata: { name: 'node-1' } });
  expect(node['spec']).toMatchObject({ taints: [expect.anything()] });
  const changed = await api.change('nodes', { name: 'node-1' }, (current) => ({
    ...current,
    spec: { taints: [] },
  }));
  expect(changed['spec']).toEqual({});
});
