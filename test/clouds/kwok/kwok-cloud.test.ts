/** The KWOK cloud behind the Cloud port: the contract, and Nodes as KWOK wants them. */
import '../../../src/app/clouds.js';
import { decodePolicy } from '../../support/decode-policy.js';
import { generatedTypes, KwokCatalogue } from '../../../src/clouds/kwok/instance-types.js';
import { KwokCloud } from '../../../src/clouds/kwok/kwok-cloud.js';
import { isKwokNodeClass, type KwokNodeClass } from '../../../src/clouds/kwok/kwok-node-class.js';
import { UNREGISTERED_TAINT } from '../../../src/domain/nodes/node-claim.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { documentsOf } from '../../apis/policies-as-written.js';
import { CLOUD_LAWS } from '../../contract/cloud.js';
import { KwokNodes } from './kwok-nodes.js';

const TYPE = 's-2x-amd64-linux';
const ZONES = ['test-zone-a', 'test-zone-b', 'test-zone-c', 'test-zone-d'];

function kwokNodeClass(spec: Readonly<Record<string, unknown>> = {}): KwokNodeClass {
  const object = {
    apiVersion: 'karpenter.kwok.sh/v1alpha1',
    kind: 'KWOKNodeClass',
    metadata: { name: 'default' },
    spec,
  };
  const [document] = documentsOf(object);
  if (document === undefined) throw new Error('there is no document');
  const { policies, issues } = decodePolicy(document);
  expect(issues).toEqual([]);
  const [decoded] = policies;
  if (decoded === undefined || !('nodeClass' in decoded) || !isKwokNodeClass(decoded.nodeClass))
    throw new Error('it is no KWOKNodeClass');
  return decoded.nodeClass;
}

function kwokWorld() {
  const store = new KwokNodes();
  const counts = new Map<string, number>();
  const clock = new VirtualClock();
  const catalogue = (): KwokCatalogue =>
    new KwokCatalogue(
      generatedTypes().map((type) => ({
        ...type,
        offerings: type.offerings.map((offering) => ({ ...offering, count: counts.get(offering.zone) })),
      })),
    );
  const make = (): KwokCloud =>
    new KwokCloud({ catalogue, nodes: () => store.nodes.values(), writer: store.writer, clock });
  return { store, counts, clock, make };
}

test.each(CLOUD_LAWS)('KwokCloud $behaviour', async ({ expectOf }) => {
  const { store, counts, clock, make } = kwokWorld();
  await expectOf({
    cloud: make(),
    source: kwokNodeClass(),
    providerID: ({ id }) => `kwok://${id}`,
    hasNetwork: false,
    zones: ZONES,
    instanceType: TYPE,
    leave: (zone, instances) => {
      counts.set(zone, instances);
    },
    breakNodeClass: () => {
      store.isForbidden = true;
    },
    settle: () => clock.advance(1000),
  });
});

async function launched(
  world: ReturnType<typeof kwokWorld>,
  cloud = world.make(),
  nodeClass = kwokNodeClass(),
) {
  const request = await cloud.prepareLaunch({
    nodeClass,
    capacityType: 'spot',
    offerings: [{ instanceType: TYPE, zone: 'test-zone-b', price: 0.04 }],
    size: 1,
    labels: new Map(),
    taints: [],
  });
  const labels = new Map([['karpenter.sh/nodepool', 'general']]);
  const call = { token: 't', request, tags: new Map([['a', 'b']]), labels, taints: [UNREGISTERED_TAINT] };
  return { call, answer: await cloud.launch(call) };
}

test('a Node has the annotation that KWOK looks for, its labels, the unregistered taint and what the class leaves to pods', async () => {
  const world = kwokWorld();
  const nodeClass = kwokNodeClass({ maxPods: 12, reservedResources: { cpu: '500m' } });
  const { answer } = await launched(world, world.make(), nodeClass);
  const node = world.store.nodes.get(answer.instances[0]?.id ?? '');
  expect(node?.annotations.get('kwok.x-k8s.io/node')).toBe('fake');
  expect(node?.taints).toEqual([UNREGISTERED_TAINT]);
  expect(Object.fromEntries(node?.labels ?? [])).toMatchObject({
    'karpenter.sh/nodepool': 'general',
    'karpenter.sh/capacity-type': 'spot',
    'topology.kubernetes.io/zone': 'test-zone-b',
    'node.kubernetes.io/instance-type': TYPE,
    'karpenter.kwok.sh/instance-family': 's',
    'karpenter.kwok.sh/instance-cpu': '2',
  });
  expect(node?.capacity.get('cpu')).toBe(2000);
  expect(node?.allocatable.get('cpu')).toBe(1500);
  expect(node?.allocatable.get('pods')).toBe(12);
});

test('after a restart the same call answers the same Node, and another request with its token is refused', async () => {
  const world = kwokWorld();
  const { call, answer } = await launched(world);
  const restarted = world.make();
  expect(await restarted.launch(call)).toEqual(answer);
  expect(world.store.nodes.size).toBe(1);
  const other = { ...call, request: { ...call.request, size: 3 } };
  await expect(world.make().launch(other)).rejects.toMatchObject({ code: 'TokenMismatch' });
});

test('a reboot is another boot ID of the Node, one for each reboot, however often it is asked for', async () => {
  const world = kwokWorld();
  const { answer } = await launched(world);
  const id = answer.instances[0]?.id ?? '';
  const bootID = (): string | undefined => world.store.nodes.get(id)?.bootID;
  await world.make().reboot(id, 'uid-1');
  const first = bootID();
  await world.make().reboot(id, 'uid-1');
  expect(bootID()).toBe(first);
  await world.make().reboot(id, 'uid-2');
  expect(new Set(['', first, bootID()]).size).toBe(3);
});

test('a name that is asked for wins over that of the NodePool', async () => {
  const world = kwokWorld();
  const { call } = await launched(world);
  const request = { ...call.request, tags: new Map([['Name', 'mine']]) };
  const tags = new Map([['Name', 'general']]);
  const { instances } = await world.make().launch({ ...call, token: 'named', request, tags });
  expect(instances.map((instance) => instance.tags.get('Name'))).toEqual(['mine']);
});

test('a node class of another cloud is a problem', async () => {
  const other = { kind: 'EC2NodeClass', name: 'default', template: {}, secretFields: [] } as const;
  const { problems } = await kwokWorld().make().resolveNodeClass(other);
  expect(problems).toEqual([
    'launch from EC2NodeClass default: --cloud kwok launches from KWOKNodeClasses only',
  ]);
});
