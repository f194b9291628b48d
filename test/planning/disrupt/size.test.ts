import { disrupt } from '../../../src/planning/disrupt/methods.js';
import type { DisruptionInput } from '../../../src/planning/disrupt/question/disruption.js';
import {
  disruptionOptions,
  disruptionTerms,
  fleet,
  typeNamed,
  type FleetNode,
} from '../../support/builders/disruption-input.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { oneOf } from '../../support/builders/constraints.js';
import { CAPACITY_TYPE, INSTANCE_TYPE } from '../../../src/domain/values/labels.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { ZONES } from '../../support/builders/instance-type.js';
import { faultsOf } from './check-commands.js';

const TYPES = ['m6i.2xlarge', 'c6i.2xlarge', 'r6i.xlarge', 'm6i.xlarge'].map(typeNamed);

/** Nodes whose ten pods take 30 to 50 % of them. */
function halfFull(count: number, percent = 10): DisruptionInput {
  const random = seededRandom(42);
  const nodes = Array.from({ length: count }, (_, index): FleetNode => {
    const type = TYPES[Math.floor(random.next() * TYPES.length)] ?? typeNamed('m6i.xlarge');
    const share = (0.3 + 0.2 * random.next()) / 10;
    const cpu = `${String(Math.floor((type.allocatable.get('cpu') ?? 0) * share))}m`;
    const memory = String(Math.floor((type.allocatable.get('memory') ?? 0) * share * 0.8));
    return {
      name: `n${String(index).padStart(4, '0')}`,
      type,
      zone: ZONES[index % ZONES.length] ?? '',
      pods: Array.from({ length: 10 }, () => ({ requests: { cpu, memory } })),
    };
  });
  return fleet(nodes, {
    terms: { budgets: [{ nodes: { percent }, reasons: undefined, window: undefined }] },
  });
}

/** Twenty full nodes with fifty pods each, on one of which the first pod is as given. */
function full(first: ObservedPodOverrides): DisruptionInput {
  const nodes = Array.from({ length: 20 }, (_, index): FleetNode => ({
    name: `n${String(index)}`,
    type: typeNamed('m6i.2xlarge'),
    nodePool: 'default',
    pods: Array.from({ length: 50 }, (__, pod) => ({
      requests: { cpu: '150m', memory: '500Mi' },
      ...(index + pod === 0 ? first : {}),
    })),
  }));
  return fleet(nodes, {
    cluster: clusterInput({
      pools: [
        poolOffer({ requirements: [oneOf(CAPACITY_TYPE, 'on-demand')], disruption: disruptionTerms() }, [
          typeNamed('m6i.2xlarge'),
        ]),
      ],
    }),
  });
}

describe('a cluster half full', () => {
  test.each([10, 100])('of %d nodes gives up all that its budget lets go', (count) => {
    const input = halfFull(count);
    const answer = disrupt(input, disruptionOptions());
    const cost = input.nodes.reduce((sum, { hourlyPrice }) => sum + (hourlyPrice ?? 0), 0);
    expect(answer.commands.flatMap(({ nodes }) => nodes)).toHaveLength(count / 10);
    expect(answer.commands[0]?.saving).toBeGreaterThan(cost * 0.09);
    expect(faultsOf(input, answer)).toBe('');
  });

  test('of 1,000 nodes is decided within few plans', () => {
    const answer = disrupt(halfFull(1000, 2), disruptionOptions({ simulations: 16 }));
    expect(answer.simulations).toBeLessThanOrEqual(16);
    expect(answer.commands[0]?.nodes.length).toBe(20);
  });

  test.each([0, 1, 5])('takes no more than %d plans when it is given no more', (simulations) => {
    const answer = disrupt(halfFull(30), disruptionOptions({ simulations }));
    expect(answer.simulations).toBeLessThanOrEqual(simulations);
  });

  test('gets fewer plans where it is very large', () => {
    const full = { requests: { cpu: '1900m', memory: '7Gi' } };
    const nodes = Array.from({ length: 20 }, (_, index): FleetNode => ({
      name: `n${String(index)}`,
      type: typeNamed('m6i.large'),
      nodePool: 'default',
      pods: [{ ...full, nodeSelector: { [CAPACITY_TYPE]: 'on-demand', [INSTANCE_TYPE]: 'm6i.large' } }],
    }));
    const owner = { kind: 'DaemonSet', name: 'agent' };
    const cluster = clusterInput({
      pools: [poolOffer({ disruption: disruptionTerms() })],
      pods: Array.from({ length: 30_000 }, (_, index) =>
        observedPod({ name: `agent-${String(index)}`, owner, nodeName: 'n0' }),
      ),
    });
    expect(disrupt(fleet(nodes), disruptionOptions()).simulations).toBeGreaterThan(12);
    // Sets take all the work of the first pass; the next begins with nodes alone: one without the pods of n0, and twelve.
    const large = fleet(nodes, { cluster });
    const first = disrupt(large, disruptionOptions());
    expect(first).toMatchObject({ simulations: 1, cursor: '*' });
    expect(disrupt({ ...large, cursor: first.cursor }, disruptionOptions()).simulations).toBe(13);
  });

  test('is not planned without all its nodes where the curve has looked at all of them', () => {
    const known = disrupt(full({}), disruptionOptions({ simulations: 8 }));
    expect(known).toMatchObject({ commands: [], simulations: 8, cursor: 'n15' });
    const unknown = disrupt(
      full({ hostPorts: [{ hostIP: '0.0.0.0', protocol: 'TCP', port: 8080 }] }),
      disruptionOptions({ simulations: 8 }),
    );
    expect(unknown).toMatchObject({ commands: [], simulations: 8, cursor: 'n14' });
  });
});
