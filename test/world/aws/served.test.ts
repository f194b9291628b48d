import { DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { AwsSimulator } from '../../../world/aws/aws-simulator.js';
import { serveWire, type ServedWire } from '../../../world/wire/serve-wire.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { fewTypes, fixture } from './fixture.js';

describe('the simulator behind a port', () => {
  let aws: AwsSimulator;
  let served: ServedWire;

  beforeEach(async () => {
    aws = new AwsSimulator({ clock: new VirtualClock(), random: seededRandom(), catalogue: fewTypes });
    served = await serveWire(aws.handle);
  });

  afterEach(() => served.close());

  const config = () => ({
    region: 'eu-west-3',
    endpoint: served.url,
    credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
  });

  it('answers the SDK’s own HTTP handler, which repeats what was cut off', async () => {
    aws.faults.add({ action: 'ec2:DescribeSubnets', nth: 1, fault: { kind: 'reset' } });
    const ec2 = new EC2Client(config());
    const answer = await ec2.send(new DescribeSubnetsCommand({}));
    ec2.destroy();
    expect(answer.Subnets).toHaveLength(4);
    expect(answer.$metadata.attempts).toBe(2);
  });

  it('carries queue messages unharmed', async () => {
    const sqs = new SQSClient(config());
    const QueueUrl = `${served.url}/000000000000/berth-demo`;
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'naïve “text”' }));
    const answer = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    sqs.destroy();
    expect(answer.Messages?.[0]?.Body).toBe('naïve “text”');
  });
});

describe('a defect of the simulator', () => {
  it('is answered, and not met with silence', async () => {
    let isBroken = false;
    const random = seededRandom();
    const breaking = {
      next: () => random.next(),
      hex: (length: number) => {
        if (isBroken) throw new Error('out of chance');
        return random.hex(length);
      },
    };
    const { sqs } = fixture({ random: breaking });
    isBroken = true;
    await expect(
      sqs.send(new SendMessageCommand({ QueueUrl: 'http://q.test/0/berth-demo', MessageBody: 'x' })),
    ).rejects.toMatchObject({ message: expect.stringContaining('out of chance') as string });
  });
});
