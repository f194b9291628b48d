/** Nodes whose pods claim devices: what replaces them has the devices, too. */
import { unusedDevices } from '../../../src/domain/devices/device.js';
import { claimSpec, deviceObjects, DRIVER, gpus, request } from '../../support/builders/devices.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { disruptionTerms, fleet } from '../../support/builders/disruption-input.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { oneOf } from '../../support/builders/constraints.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { CAPACITY_TYPE } from '../../../src/domain/values/labels.js';
import { answerTo } from './answers.js';

const plain = instanceType({ name: 'm5.xlarge', vcpu: 4, memoryMiB: 16384, price: 0.2 });
const small = instanceType({ name: 'g4.xlarge', vcpu: 4, memoryMiB: 16384, price: 0.5, devices: gpus(1) });
const large = instanceType({
  name: 'g4.12xlarge',
  vcpu: 48,
  memoryMiB: 196608,
  price: 1.2,
  devices: gpus(4),
});

/** The devices of a node, the first so many of them in use. */
function inUse(count: number, used: number): ReturnType<typeof gpus> {
  const taken = Array.from({ length: used }, (_, index) => `${DRIVER}/pool/gpu-${String(index)}`);
  return { ...unusedDevices(gpus(count).pools), taken: new Set(taken) };
}

const cluster = clusterInput({
  pools: [
    poolOffer({ requirements: [oneOf(CAPACITY_TYPE, 'on-demand')], disruption: disruptionTerms() }, [
      plain,
      small,
      large,
    ]),
  ],
  devices: deviceObjects({ one: claimSpec([request('gpu')]) }),
});
const claims = [{ name: 'gpu', claim: undefined, template: 'default/one', isAllocated: true as const }];
const trainer = { resourceClaims: claims, requests: { cpu: '1' } };

test('a node with more GPUs than its pods claim is replaced by a smaller one that has enough', () => {
  const input = fleet([{ name: 'a', type: large, devices: inUse(4, 1), pods: [trainer] }], { cluster });
  const { commands } = answerTo(input);
  expect(commands.map(({ nodes }) => nodes)).toEqual([['a']]);
  expect(commands[0]?.claims.map(({ instanceTypes }) => instanceTypes)).toEqual([['g4.xlarge']]);
});

test('pods move to a node that has devices left, and not to one that has only room', () => {
  const nodes = [
    { name: 'a', type: small, devices: inUse(1, 1), pods: [{ ...trainer, name: 'one' }] },
    {
      name: 'b',
      type: large,
      devices: inUse(4, 3),
      pods: ['x', 'y', 'z'].map((name) => ({ ...trainer, name })),
    },
  ];
  const { commands } = answerTo(fleet(nodes, { cluster }));
  expect(commands.map((command) => [command.nodes, command.claims.length])).toEqual([[['a'], 0]]);
  const full = nodes.map((each) => (each.name === 'b' ? { ...each, devices: inUse(3, 3) } : each));
  const { commands: others } = answerTo(fleet(full, { cluster }));
  expect(others.filter(({ nodes: [first], claims: made }) => first === 'a' && made.length === 0)).toEqual([]);
});
