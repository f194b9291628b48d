/** Instances of EC2 that change hands, over the simulated AWS. */
import { ec2Handover } from '../../../../../src/clouds/aws/adapter/index.js';
import { HANDOVER_LAWS } from '../../../../contract/instance-handover.js';
import { launchCall, outcomeOf, simulatedWorld } from '../simulated-world.js';

test.each(HANDOVER_LAWS)('EC2 $behaviour', async ({ expectOf }) => {
  const { cloud, clients, clock } = simulatedWorld();
  const call = await launchCall(cloud);
  const { instances } = await cloud.launch({
    ...call,
    tags: new Map([['karpenter.sh/nodepool', 'general']]),
  });
  await outcomeOf(clock, clock.sleep(60_000));
  await expectOf({
    cloud,
    handover: ec2Handover(clients, 'berth-demo'),
    foreign: instances[0]?.providerID ?? '',
  });
});

test('removing tags of Karpenter leaves the others as they are', async () => {
  const { cloud, clients } = simulatedWorld();
  const call = await launchCall(cloud);
  const tags = new Map([
    ['karpenter.sh/nodepool', 'general'],
    ['eks:eks-cluster-name', 'berth-demo'],
    ['kubernetes.io/cluster/berth-demo', 'owned'],
    ['team', 'a'],
  ]);
  const { instances } = await cloud.launch({ ...call, tags });
  const handover = ec2Handover(clients, 'berth-demo');
  const providerIDs = instances.map(({ providerID }) => providerID);
  await handover.removeTags(instances[0]?.id ?? '', handover.karpenterTagKeys);
  const [left] = await handover.instances(providerIDs);
  expect([...(left?.tags ?? [])].filter(([key]) => !key.startsWith('aws:'))).toEqual([
    ['kubernetes.io/cluster/berth-demo', 'owned'],
    ['team', 'a'],
  ]);
});
