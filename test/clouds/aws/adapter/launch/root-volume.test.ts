/** Launches whose root volume is made to measure, as EC2 is asked for them. */
import { nodeClassHash } from '../../../../../src/controllers/fingerprint/template-hash.js';
import type { LaunchIntent } from '../../../../../src/ports/cloud.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { launchCall, offerings, sent, simulatedWorld } from '../simulated-world.js';

const GIB = 2 ** 30;
const VOLUME = 'LaunchTemplateData.BlockDeviceMapping.1.Ebs.VolumeSize';
const PLAIN = ec2NodeClass();
const MEASURED = {
  ...PLAIN,
  maxRootVolumeBytes: 500 * GIB,
};

const storage = (gib: number) => new Map([['ephemeral-storage', gib * GIB]]);

/** The templates that launches are made from, and the sizes of the volumes in those that had to be made. */
async function launched(intents: readonly Partial<LaunchIntent>[]) {
  const { aws, cloud } = simulatedWorld();
  const templates: (string | undefined)[] = [];
  for (const intent of intents) {
    const { request } = await launchCall(cloud, {
      offerings: offerings('m5.large', 'eu-west-3a'),
      ...intent,
    });
    templates.push(request.overrides[0]?.launchTemplate?.id);
  }
  const sizes = sent(aws, 'ec2:CreateLaunchTemplate').map((fields) => fields[VOLUME]);
  return { templates, sizes };
}

test('each size has its launch template, which launches of that size share', async () => {
  const of = (gib: number) => ({ nodeClass: MEASURED, requests: storage(gib) });
  const { templates, sizes } = await launched([of(100), of(1), of(100), of(200), { nodeClass: PLAIN }]);
  expect(sizes).toEqual(['113', '20', '224']);
  expect(templates[2]).toBe(templates[0]);
  expect(templates[4]).toBe(templates[1]);
});

test('without leave to grow, the volume is what the node class says', async () => {
  const { sizes } = await launched([{ nodeClass: PLAIN, requests: storage(100) }]);
  expect(sizes).toEqual(['20']);
});

test('giving leave is no drift', () => {
  expect(nodeClassHash(MEASURED)).toBe(nodeClassHash(PLAIN));
});
