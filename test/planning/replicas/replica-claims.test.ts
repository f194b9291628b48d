import { CAPACITY_RESERVATION_ID, INSTANCE_TYPE } from '../../../src/domain/values/labels.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { replicaClaims, type ReplicaQuestion } from '../../../src/planning/replicas/replica-claims.js';
import { oneOf, taint } from '../../support/builders/constraints.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import { instanceType, offering } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';

function claimsFor(question: Partial<ReplicaQuestion> & Pick<ReplicaQuestion, 'offer'>) {
  return replicaClaims(
    { count: 1, daemonSets: [], namespaces: new Map(), ...question },
    DEFAULT_PLAN_OPTIONS,
  );
}

describe('replicaClaims', () => {
  test('are equal claims of the cheapest types, for no pods', () => {
    const offer = poolOffer({ name: 'static', replicas: 3, taints: [taint('team', 'a')] });
    const { claims, reasons } = claimsFor({ offer, count: 3 });
    expect(reasons).toEqual([]);
    expect(claims.map(({ name, pods }) => [name, pods])).toEqual([
      ['static-1', []],
      ['static-2', []],
      ['static-3', []],
    ]);
    expect(claims[0]?.instanceTypes.length).toBeGreaterThan(1);
    expect(claims[0]?.zones.length).toBeGreaterThan(1);
  });

  test('hold the DaemonSets of the pool', () => {
    const types = [
      instanceType({ name: 'm5.large', vcpu: 2 }),
      instanceType({ name: 'm5.2xlarge', vcpu: 8, price: 0.4 }),
    ];
    const daemonSets = [daemonSet({ requests: { cpu: '4' } })];
    const { claims } = claimsFor({ offer: poolOffer({ replicas: 1 }, types), daemonSets });
    expect(claims[0]?.instanceTypes).toEqual(['m5.2xlarge']);
  });

  test('take what a capacity reservation has left, and no more', () => {
    const reserved = offering({ capacityType: 'reserved', price: 0, reservation: { id: 'cr-1', count: 2 } });
    const types = [instanceType({ offerings: [reserved, offering({ capacityType: 'on-demand' })] })];
    const { claims } = claimsFor({ offer: poolOffer({ replicas: 3 }, types), count: 3 });
    expect(claims.map(({ chosenLabels }) => chosenLabels.get(CAPACITY_RESERVATION_ID))).toEqual([
      'cr-1',
      'cr-1',
      undefined,
    ]);
  });

  test('are none where no type meets the requirements, and there is a reason', () => {
    const offer = poolOffer({ replicas: 2, requirements: [oneOf(INSTANCE_TYPE, 'no.such')] });
    const { claims, reasons } = claimsFor({ offer, count: 2 });
    expect(claims).toEqual([]);
    expect(reasons).toMatchObject([{ reason: { code: 'NoOffering' } }]);
  });
});
