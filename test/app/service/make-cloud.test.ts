/** Where instances come from, by option. */
import { parseArguments } from '../../../src/app/command/parse-arguments.js';
import { UsageError } from '../../../src/app/command/usage-error.js';
import { completeCloudOptions, makeCloud } from '../../../src/app/service/make-cloud.js';
import type { CloudSource } from '../../../src/runtime/process/cloud-provider.js';
import { KwokNodes } from '../../clouds/kwok/kwok-nodes.js';
import { readServiceOptions, SERVICE_FLAGS } from '../../../src/app/service/options/options.js';
import type { ServiceOptions } from '../../../src/app/service/options/service-options.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { AwsSimulator } from '../../../world/aws/aws-simulator.js';
import { serveWire } from '../../../world/wire/serve-wire.js';
import { ec2NodeClass } from '../../support/builders/ec2-node-class.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { constantRandom } from '../../support/constant-random.js';
import { seededRandom } from '../../../world/seeded-random.js';

const AWS = ['--cloud', 'aws', '--region', 'eu-west-3'];

function options(...argv: readonly string[]): ServiceOptions {
  return readServiceOptions(parseArguments(argv, { flags: SERVICE_FLAGS, maxWords: 0 }), {});
}

function cloudOf(...argv: readonly string[]): Promise<CloudSource> {
  const base = {
    options: options(...argv),
    cluster: new Cluster(),
    clock: systemClock,
    random: constantRandom(),
    logger: recordingLogger().logger,
    metrics: createMetrics(),
  };
  return makeCloud(base, { nodeWriter: new KwokNodes().writer });
}

test('there is no default cloud, and the error names those that there are', async () => {
  await expect(cloudOf('--region', 'eu-west-3', '--cluster-name', 'berth-demo')).rejects.toThrow(
    new UsageError('--cloud (or BERTH_CLOUD) is required; expected one of: aws, kwok'),
  );
});

test('AWS needs the name of the cluster', async () => {
  await expect(cloudOf(...AWS)).rejects.toThrow(
    '--cloud aws requires --cluster-name, which nodes need to join the cluster',
  );
});

test('AWS needs the region: without one there is no guess', async () => {
  await expect(cloudOf('--cloud', 'aws', '--cluster-name', 'berth-demo')).rejects.toThrow(
    '--cloud aws requires --region or AWS_REGION (EKS sets it in pods with an IAM role), or the metadata service of an EC2 instance',
  );
});

test('the region that is given is not looked for elsewhere', async () => {
  const given = options(...AWS, '--cluster-name', 'berth-demo');
  expect(await completeCloudOptions(given)).toEqual(given);
});

test('a simulator is not asked for the region either', async () => {
  const given = options('--cloud', 'aws', '--cluster-name', 'x', '--aws-endpoint', 'http://127.0.0.1:1');
  await expect(completeCloudOptions(given)).rejects.toThrow('--cloud aws requires --region');
});

test('KWOK needs no more than its name, and has types of its own', async () => {
  const source = await cloudOf('--cloud', 'kwok');
  expect(source.catalogue().instanceTypes.map(({ name }) => name)).toContain('s-4x-arm64-linux');
  expect(source.interruptions).toBeUndefined();
  source.close();
});

test('a file of instance types that is not there is named with its flag', async () => {
  const argv = ['--cloud', 'kwok', '--kwok-instance-types', '/nowhere/types.json'];
  await expect(cloudOf(...argv)).rejects.toThrow('--kwok-instance-types /nowhere/types.json: ');
  await expect(cloudOf(...argv)).rejects.toThrow(UsageError);
});

test('without a queue no queue is read', async () => {
  const source = await cloudOf(...AWS, '--cluster-name', 'berth-demo');
  expect(source.interruptions).toBeUndefined();
  source.close();
});

describe('over HTTP', () => {
  const simulator = new AwsSimulator({ clock: new VirtualClock(), random: seededRandom(7) });

  test('AWS is where --aws-endpoint says, and its options reach it', async () => {
    const served = await serveWire(simulator.handle, { host: '127.0.0.1', port: 0 });
    const source = await cloudOf(
      ...[...AWS, '--cluster-name', 'berth-demo', '--aws-endpoint', served.url],
      ...['--interruption-queue', 'berth-demo', '--node-role', 'berth-*,other', '--node-image-owner', 'self'],
    );
    try {
      const { zones, problems } = await source.cloud.resolveNodeClass(ec2NodeClass());
      expect(zones).toEqual(['eu-west-3a', 'eu-west-3b', 'eu-west-3c']);
      expect(problems).toEqual([
        'spec.amiSelectorTerms: image owner amazon is not allowed; allowed are self',
      ]);
      simulator.sendMessage('hello');
      expect(await source.interruptions?.receive()).toMatchObject([
        { interruption: { kind: 'Malformed', problem: 'is not JSON' } },
      ]);
    } finally {
      source.close();
      await served.close();
      simulator.close();
    }
  });
});

describe('options', () => {
  test('lists are read with spaces around their commas', () => {
    expect(options('--node-subnet', 'subnet-1, subnet-2,').cloudOptions['nodeSubnets']).toEqual([
      'subnet-1',
      'subnet-2',
    ]);
    expect(options().cloudOptions['nodeSubnets']).toBeUndefined();
    expect(options('--check-permissions', 'no').cloudOptions['checkPermissions']).toBe(false);
  });

  test.each([
    [['--cloud', 'memory'], '--cloud memory: expected one of aws, kwok'],
    [['--cloud', 'moon'], '--cloud moon: expected one of aws, kwok'],
    [['--node-role', ' , '], '--node-role  , : expected a list such as berth-node,other-*'],
    [['--kubernetes-version', 'v1.36'], '--kubernetes-version v1.36: expected a minor version such as 1.36'],
  ])('%j is refused with what is expected', (argv, message) => {
    expect(() => options(...argv)).toThrow(message);
  });
});
