/** Random small clusters whose pods claim devices: the checker finds every claim satisfied, and no device had twice. */
import fc from 'fast-check';
import type { DeviceClaimSpec } from '../../../src/domain/devices/claim.js';
import { claimSpec, deviceObjects, DRIVER, gpus, request } from '../../support/builders/devices.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod } from '../../support/builders/pod.js';
import { leftOut, planFor } from '../read-plan.js';

const model = (name: string): string => `device.attributes["${DRIVER}"].model == "${name}"`;
const T4 = { model: 't4' };
const A10 = { model: 'a10' };

const types = [
  instanceType({ name: 'm5.large' }),
  instanceType({ name: 'g4.xlarge', vcpu: 4, memoryMiB: 16384, price: 0.5, devices: gpus(1, T4) }),
  instanceType({ name: 'g4.12xlarge', vcpu: 48, memoryMiB: 196608, price: 3.9, devices: gpus(4, T4) }),
  instanceType({ name: 'g5.12xlarge', vcpu: 48, memoryMiB: 196608, price: 5, devices: gpus(4, A10) }),
];

const TEMPLATES: Readonly<Record<string, DeviceClaimSpec>> = {
  one: claimSpec([request('gpu')]),
  two: claimSpec([request('gpu', { count: 2 })]),
  a10: claimSpec([request('gpu', { selectors: [model('a10')] })]),
  either: claimSpec([
    request(
      'gpu',
      { name: 'a', count: 3, selectors: [model('a10')] },
      { name: 'b', selectors: [model('t4')] },
    ),
  ]),
  alike: claimSpec(
    [request('first'), request('second')],
    [{ kind: 'match', attribute: `${DRIVER}/model`, requests: [] }],
  ),
};

test('a plan places pods where their devices are, and leaves none out that a new node could hold', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...Object.keys(TEMPLATES)), { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 2 }),
      (templates, nodes) => {
        const plan = planFor({
          pods: templates.map((name, index) => pod({ name: `pod-${String(index)}`, resourceClaims: [name] })),
          nodes: nodes.map((count, index) => ({
            ...node({ name: `n${String(index)}` }),
            devices: gpus(count, T4),
          })),
          pools: [poolOffer({}, types)],
          devices: deviceObjects(TEMPLATES),
        });
        expect(leftOut(plan)).toEqual([]);
      },
    ),
    { numRuns: 12 },
  );
});
