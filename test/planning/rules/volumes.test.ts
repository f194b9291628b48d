/** Volumes: where they are, where they can be made, how many a node takes, and who else uses them. */
import { HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import { nodeTerm, oneOf } from '../../support/builders/constraints.js';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { instanceType, ZONE_A, ZONE_B, ZONE_C, ZONES } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { node } from '../../support/builders/node.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { EBS_DRIVER, persistentVolume, storageClass, volumeClaim } from '../../support/builders/volume.js';
import { leftOut, placeOf, planFor, reasonFor } from '../read-plan.js';

const pods = [pod({ volumes: ['data'] })];

describe('plan, by bound volumes', () => {
  const bound = [volumeClaim({ volumeName: 'pv' })];

  test('launches in the zone of the volume', () => {
    const plan = planFor({
      pods,
      persistentVolumeClaims: bound,
      persistentVolumes: [persistentVolume({ zone: ZONE_B })],
    });
    expect(plan.claims[0]?.zones).toEqual([ZONE_B]);
  });

  test('launches anywhere for a volume that can be used anywhere', () => {
    const plan = planFor({ pods, persistentVolumeClaims: bound, persistentVolumes: [persistentVolume()] });
    expect(plan.claims[0]?.zones).toEqual(ZONES);
  });

  test('takes the existing node in the zone of the volume', () => {
    const nodes = [node({ name: 'a', zone: ZONE_A }), node({ name: 'b', zone: ZONE_B })];
    const persistentVolumes = [persistentVolume({ zone: ZONE_B })];
    expect(placeOf(planFor({ pods, nodes, persistentVolumeClaims: bound, persistentVolumes }))).toBe('b');
  });

  test('goes to the node that a local volume is on', () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two' })];
    const local = persistentVolume({ driver: undefined, nodeAffinity: [nodeTerm(oneOf(HOSTNAME, 'two'))] });
    expect(placeOf(planFor({ pods, nodes, persistentVolumeClaims: bound, persistentVolumes: [local] }))).toBe(
      'two',
    );
  });

  test('gives each pod of a StatefulSet a node in the zone of its volume', () => {
    const members = [ZONE_A, ZONE_B, ZONE_C].map((zone) => pod({ name: zone, volumes: [`data-${zone}`] }));
    const plan = planFor({
      pods: members,
      persistentVolumeClaims: [ZONE_A, ZONE_B, ZONE_C].map((zone) =>
        volumeClaim({ name: `default/data-${zone}`, volumeName: `pv-${zone}` }),
      ),
      persistentVolumes: [ZONE_A, ZONE_B, ZONE_C].map((zone) =>
        persistentVolume({ name: `pv-${zone}`, zone }),
      ),
    });
    expect(plan.claims.map(({ zones, pods: inside }) => [zones[0], ...inside])).toEqual([
      [ZONE_A, `default/${ZONE_A}`],
      [ZONE_B, `default/${ZONE_B}`],
      [ZONE_C, `default/${ZONE_C}`],
    ]);
  });

  test('leaves out a pod whose volume is where no pool launches', () => {
    const persistentVolumes = [persistentVolume({ zone: 'us-east-1f' })];
    const plan = planFor({ pods, persistentVolumeClaims: bound, persistentVolumes });
    expect(reasonFor(plan)).toMatchObject({ code: 'VolumeTopology', claim: 'default/data' });
  });

  test('leaves out a pod whose two volumes are in two zones', () => {
    const plan = planFor({
      pods: [pod({ volumes: ['data', 'logs'] })],
      persistentVolumeClaims: [...bound, volumeClaim({ name: 'default/logs', volumeName: 'pv-logs' })],
      persistentVolumes: [
        persistentVolume({ zone: ZONE_A }),
        persistentVolume({ name: 'pv-logs', zone: ZONE_B }),
      ],
    });
    expect(leftOut(plan)).toEqual(['pod']);
  });

  test('leaves out a pod whose selector contradicts its volume', () => {
    const plan = planFor({
      pods: [pod({ volumes: ['data'], nodeSelector: { [ZONE]: ZONE_A } })],
      persistentVolumeClaims: bound,
      persistentVolumes: [persistentVolume({ zone: ZONE_B })],
    });
    expect(leftOut(plan)).toEqual(['pod']);
  });

  test('leaves out a pod whose claim is bound to a volume that is not there', () => {
    const reason = reasonFor(planFor({ pods, persistentVolumeClaims: bound }));
    expect(reason).toMatchObject({ code: 'VolumeNotFound', claim: 'default/data', volume: 'pv' });
  });
});

describe('plan, by volumes yet to be made', () => {
  test('launches anywhere when the class waits for its first consumer', () => {
    const plan = planFor({ pods, persistentVolumeClaims: [volumeClaim()], storageClasses: [storageClass()] });
    expect(plan.claims[0]?.zones).toEqual(ZONES);
  });

  test('launches where the class may make volumes', () => {
    const allowedTopologies = [nodeTerm(oneOf(ZONE, ZONE_C))];
    const storageClasses = [storageClass({ allowedTopologies })];
    const plan = planFor({ pods, persistentVolumeClaims: [volumeClaim()], storageClasses });
    expect(plan.claims[0]?.zones).toEqual([ZONE_C]);
  });

  test('takes the default class for a claim that names none', () => {
    const persistentVolumeClaims = [volumeClaim({ storageClassName: undefined })];
    const storageClasses = [
      storageClass(),
      storageClass({ name: 'zonal', isDefault: true, allowedTopologies: [nodeTerm(oneOf(ZONE, ZONE_B))] }),
    ];
    expect(planFor({ pods, persistentVolumeClaims, storageClasses }).claims[0]?.zones).toEqual([ZONE_B]);
  });

  test('makes the claim of an ephemeral volume with its pod', () => {
    const storageClasses = [storageClass({ allowedTopologies: [nodeTerm(oneOf(ZONE, ZONE_B))] })];
    const scratch = [pod({ volumes: [{ claim: 'default/pod-scratch', ephemeralClass: 'gp3' }] })];
    expect(planFor({ pods: scratch, storageClasses }).claims[0]?.zones).toEqual([ZONE_B]);
  });

  test.each([
    [
      'its class binds at once and has not yet',
      'VolumeClaimUnbound',
      'gp3',
      [storageClass({ bindingMode: 'Immediate' })],
    ],
    ['its class does not exist', 'StorageClassNotFound', 'gone', [storageClass()]],
    ['it asks for no class', 'VolumeClaimUnbound', '', [storageClass({ isDefault: true })]],
    ['there is no default class', 'NoDefaultStorageClass', undefined, [storageClass()]],
  ])('leaves out a pod whose claim is unbound and %s', (_, code, storageClassName, storageClasses) => {
    const plan = planFor({
      pods,
      persistentVolumeClaims: [volumeClaim({ storageClassName })],
      storageClasses,
    });
    expect(reasonFor(plan)).toMatchObject({ code, claim: 'default/data' });
  });

  test('leaves out a pod whose claim does not exist', () => {
    expect(reasonFor(planFor({ pods }))).toMatchObject({
      code: 'VolumeClaimNotFound',
      claim: 'default/data',
    });
  });

  test('looks for a claim in the namespace of the pod', () => {
    const elsewhere = [pod({ namespace: 'shop', volumes: ['data'] })];
    const plan = planFor({
      pods: elsewhere,
      persistentVolumeClaims: [volumeClaim()],
      storageClasses: [storageClass()],
    });
    expect(reasonFor(plan, 'shop/pod')).toMatchObject({ code: 'VolumeClaimNotFound', claim: 'shop/data' });
  });
});

describe('plan, by ReadWriteOncePod', () => {
  const exclusive = {
    persistentVolumeClaims: [volumeClaim({ volumeName: 'pv', readWriteOncePod: true })],
    persistentVolumes: [persistentVolume()],
  };

  test('lets one pending pod have the claim and leaves out the other', () => {
    const plan = planFor({ ...exclusive, pods: replicas(2, { volumes: ['data'] }) });
    expect(placeOf(plan, 'pod-0')).toBe('default-1');
    expect(reasonFor(plan, 'pod-1')).toMatchObject({ code: 'VolumeClaimInUse', claim: 'default/data' });
  });

  test('leaves the claim to the pod that runs', () => {
    const running = pod({ name: 'first', nodeName: 'node', volumes: ['data'] });
    const plan = planFor({ ...exclusive, pods: [running, ...pods], nodes: [node()] });
    expect(reasonFor(plan)).toMatchObject({ code: 'VolumeClaimInUse', claim: 'default/data' });
  });
});

describe('plan, by attach limits of existing nodes', () => {
  const claims = ['one', 'two', 'three'];
  const volumes = {
    persistentVolumeClaims: claims.map((name) =>
      volumeClaim({ name: `default/${name}`, volumeName: `pv-${name}` }),
    ),
    persistentVolumes: claims.map((name) => persistentVolume({ name: `pv-${name}` })),
  };
  const using = (name: string, ...uses: readonly string[]): ReturnType<typeof pod> =>
    pod({ name, volumes: uses });
  const limited = [node({ volumeLimits: { [EBS_DRIVER]: 2 } })];

  test('attaches no more volumes than the driver can, counting those of running pods', () => {
    const running = pod({ name: 'running', nodeName: 'node', volumes: ['one'] });
    const plan = planFor({
      ...volumes,
      pods: [running, using('b', 'two'), using('c', 'three')],
      nodes: limited,
    });
    expect(placeOf(plan, 'b')).toBe('node');
    expect(placeOf(plan, 'c')).toBe('default-1');
  });

  test('counts every volume of a pod', () => {
    const plan = planFor({ ...volumes, pods: [using('a', 'one', 'two', 'three')], nodes: limited });
    expect(placeOf(plan, 'a')).toBe('default-1');
  });

  test('attaches a volume once that several pods of the node use', () => {
    const nodes = [node({ volumeLimits: { [EBS_DRIVER]: 1 } })];
    const plan = planFor({ ...volumes, pods: replicas(3, { volumes: ['one'] }), nodes });
    expect([0, 1, 2].map((index) => placeOf(plan, `pod-${String(index)}`))).toEqual(['node', 'node', 'node']);
  });

  test('takes no slot for a volume that is attached already', () => {
    const nodes = [node({ volumeLimits: { [EBS_DRIVER]: 1 } })];
    const running = pod({ name: 'running', nodeName: 'node', volumes: ['one'] });
    expect(placeOf(planFor({ ...volumes, pods: [running, using('b', 'one')], nodes }), 'b')).toBe('node');
  });

  test('does not count volumes of another driver, nor on a driver without a limit', () => {
    const nodes = [node({ volumeLimits: { 'efs.csi.aws.com': 0 } })];
    const plan = planFor({ ...volumes, pods: [using('a', 'one', 'two', 'three')], nodes });
    expect(placeOf(plan, 'a')).toBe('node');
  });

  test('counts volumes that will be made for the pods', () => {
    const scratch = (name: string): ReturnType<typeof pod> =>
      pod({ name, volumes: [{ claim: `default/${name}-scratch`, ephemeralClass: 'gp3' }] });
    const pending = ['a', 'b', 'c'].map(scratch);
    const plan = planFor({ pods: pending, nodes: limited, storageClasses: [storageClass()] });
    expect(['a', 'b', 'c'].map((name) => placeOf(plan, name))).toEqual(['node', 'node', 'default-1']);
  });

  test('counts the volumes that are being made for running pods', () => {
    const running = ['x', 'y'].map((name) =>
      pod({ name, nodeName: 'node', volumes: [{ claim: `default/${name}-scratch`, ephemeralClass: 'gp3' }] }),
    );
    const plan = planFor({
      ...volumes,
      pods: [...running, using('b', 'one')],
      nodes: limited,
      storageClasses: [storageClass()],
    });
    expect(placeOf(plan, 'b')).toBe('default-1');
  });

  test('counts a claim that one pod mounts twice once', () => {
    const plan = planFor({
      pods: [pod({ volumes: ['data', 'data'] })],
      nodes: [node({ volumeLimits: { [EBS_DRIVER]: 1 } })],
      persistentVolumeClaims: [volumeClaim({ volumeName: 'pv' })],
      persistentVolumes: [persistentVolume()],
    });
    expect(placeOf(plan)).toBe('node');
  });
});

describe('plan, by volumes that a node yet to come can attach', () => {
  const ebs = (volumeLimit: number) => ({ volumeLimits: { [EBS_DRIVER]: volumeLimit } });
  const small = instanceType({ name: 'm5.large', vcpu: 8, price: 0.1, ...ebs(2) });
  const large = instanceType({ name: 'm7i.large', vcpu: 8, price: 0.3, ...ebs(8) });
  const offered = (...types: readonly InstanceType[]) => ({
    pools: [poolOffer({}, types)],
    storageClasses: [storageClass()],
  });
  const scratch = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      claim: `default/scratch-${String(index)}`,
      ephemeralClass: 'gp3',
    }));
  const alone = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const name = `pod-${String(index)}`;
      return pod({
        name,
        requests: { cpu: '100m' },
        volumes: [{ claim: `default/${name}`, ephemeralClass: 'gp3' }],
      });
    });

  test('opens as many nodes as the volumes need, though fewer have the room', () => {
    const plan = planFor({ ...offered(small), pods: alone(6) });
    expect(plan.claims.map(({ pods: inside }) => inside.length)).toEqual([2, 2, 2]);
  });

  test('lists only types that can attach all volumes of the claim', () => {
    const plan = planFor({ ...offered(small, large), pods: [pod({ volumes: scratch(3) })] });
    expect(plan.claims.map(({ instanceTypes }) => instanceTypes)).toEqual([['m7i.large']]);
  });

  test('counts a volume that pods share once, and it narrows the types as well', () => {
    const claims = ['one', 'two', 'three'];
    const plan = planFor({
      ...offered(small, large),
      pods: replicas(3, { requests: { cpu: '100m' }, volumes: claims }),
      persistentVolumeClaims: claims.map((name) => volumeClaim({ name: `default/${name}` })),
    });
    expect(plan.claims.map(({ instanceTypes, pods: inside }) => [instanceTypes, inside.length])).toEqual([
      [['m7i.large'], 3],
    ]);
  });

  test('does not ask claims for slots, which are no resource of nodes', () => {
    const plan = planFor({ ...offered(small), pods: alone(1) });
    expect([...(plan.claims[0]?.requests.keys() ?? [])].filter((name) => name.includes('volumes'))).toEqual(
      [],
    );
  });

  test('leaves out a pod with more volumes than any type can attach, and says how many it can', () => {
    const plan = planFor({ ...offered(small), pods: [pod({ volumes: scratch(3) })] });
    expect(reasonFor(plan)).toMatchObject({
      code: 'InsufficientResource',
      resource: 'attachable-volumes-csi-ebs.csi.aws.com',
      needed: 3,
      largest: 2,
    });
  });

  test('has no limit where none is known', () => {
    const plan = planFor({ ...offered(instanceType({ vcpu: 8 })), pods: alone(6) });
    expect(plan.claims).toHaveLength(1);
  });
});
