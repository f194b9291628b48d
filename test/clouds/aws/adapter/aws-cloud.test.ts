/** AWS behind the Cloud port: the contract, over the simulated AWS. */
import { ec2NodeClass } from '../../../support/builders/ec2-node-class.js';
import { CLOUD_LAWS } from '../../../contract/cloud.js';
import { simulatedWorld, ZONES } from './simulated-world.js';

test.each(CLOUD_LAWS)('AwsCloud $behaviour', async ({ expectOf }) => {
  const { aws, cloud, clock } = simulatedWorld();
  await expectOf({
    cloud,
    source: ec2NodeClass(),
    providerID: ({ id, zone }) => `aws:///${zone}/${id}`,
    hasNetwork: true,
    zones: ZONES,
    instanceType: 'm5.large',
    leave: (zone, instances) => {
      aws.setStock({ zone, instanceType: 'm5.large' }, instances);
    },
    breakNodeClass: () => {
      const fault = { kind: 'offering', pool: {}, code: 'InvalidGroup.NotFound' } as const;
      aws.faults.add({ action: 'ec2:CreateFleet', fault });
    },
    settle: () => clock.advance(120_000),
  });
});
