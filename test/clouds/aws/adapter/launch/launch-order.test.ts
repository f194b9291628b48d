/** Launches whose offerings stand in another order than that of their prices, as NodeOverlays have it. */
import { launchCall, offerings, sent, simulatedWorld } from '../simulated-world.js';

const ORDERED = [
  ...offerings('m6i.large', 'eu-west-3a').map((offering) => ({ ...offering, price: 0.2 })),
  ...offerings('m5.large', 'eu-west-3a').map((offering) => ({ ...offering, price: 0.1 })),
];

describe('a launch in another order than that of prices', () => {
  test.each([
    ['on-demand', 'OnDemandOptions.AllocationStrategy', 'prioritized'],
    ['spot', 'SpotOptions.AllocationStrategy', 'capacity-optimized-prioritized'],
  ] as const)('asks for %s instances in that order', async (capacityType, field, strategy) => {
    const { aws, cloud } = simulatedWorld();
    await cloud.launch(await launchCall(cloud, { capacityType, offerings: ORDERED }));
    expect(sent(aws, 'ec2:CreateFleet')[0]).toMatchObject({
      [field]: strategy,
      'LaunchTemplateConfigs.1.Overrides.1.InstanceType': 'm6i.large',
      'LaunchTemplateConfigs.1.Overrides.1.Priority': '0',
    });
    expect(aws.instances()).toMatchObject([{ instanceType: 'm6i.large', capacityType }]);
  });
});
