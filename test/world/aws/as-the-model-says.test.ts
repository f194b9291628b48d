/** What `make test-aws` looks at through botocore's service model, as far as the SDK shows it without Python. */
import { DescribeCapacityReservationsCommand, DescribeInstanceTypesCommand } from '@aws-sdk/client-ec2';
import { ListClustersCommand } from '@aws-sdk/client-eks';
import { CreateInstanceProfileCommand, ListInstanceProfilesCommand } from '@aws-sdk/client-iam';
import { DeleteMessageCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { fixture } from './fixture.js';

describe('page sizes', () => {
  it.each([0, 1001])('of %d capacity reservations or instance profiles are refused', async (size) => {
    const { ec2, iam } = fixture();
    await expect(
      ec2.send(new DescribeCapacityReservationsCommand({ MaxResults: size })),
    ).rejects.toMatchObject({
      name: 'InvalidParameterValue',
    });
    await expect(iam.send(new ListInstanceProfilesCommand({ MaxItems: size }))).rejects.toMatchObject({
      Code: 'ValidationError',
    });
  });

  it.each([0, 101])('of %d clusters are refused', async (maxResults) => {
    const { eks } = fixture();
    await expect(eks.send(new ListClustersCommand({ maxResults }))).rejects.toMatchObject({
      name: 'InvalidParameterException',
    });
  });

  it('of 1 and 100 clusters are taken', async () => {
    const { eks } = fixture();
    for (const maxResults of [1, 100])
      expect((await eks.send(new ListClustersCommand({ maxResults }))).clusters).toEqual(['berth-demo']);
  });

  it('cut the list of instance profiles, of which a marker gives the rest', async () => {
    const { iam } = fixture();
    await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: 'another' }));
    const first = await iam.send(new ListInstanceProfilesCommand({ MaxItems: 1 }));
    const rest = await iam.send(new ListInstanceProfilesCommand({ Marker: first.Marker }));
    const names = [first, rest].map(({ InstanceProfiles }) =>
      InstanceProfiles?.map(({ InstanceProfileName }) => InstanceProfileName),
    );
    expect(names).toEqual([['berth-node'], ['another']]);
    expect([first.IsTruncated, rest.IsTruncated]).toEqual([true, false]);
  });
});

it('Inferentia’s accelerators are read by the SDK, in whose model their list is unlike all others', async () => {
  const { ec2 } = fixture();
  const { InstanceTypes } = await ec2.send(
    new DescribeInstanceTypesCommand({ InstanceTypes: ['inf2.xlarge'] }),
  );
  expect(InstanceTypes?.[0]?.InferenceAcceleratorInfo?.Accelerators).toMatchObject([
    { Count: 1, Manufacturer: 'AWS' },
  ]);
});

describe('errors of SQS by the names that older clients know', () => {
  it('have a prefix only where SQS’ model has it', async () => {
    const { sqs, aws } = fixture();
    const QueueUrl = 'https://sqs.test/0/berth-demo';
    await expect(
      sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'no receipt' })),
    ).rejects.toMatchObject({ name: 'ReceiptHandleIsInvalid', Code: 'ReceiptHandleIsInvalid' });
    await expect(sqs.send(new GetQueueUrlCommand({ QueueName: 'nowhere' }))).rejects.toMatchObject({
      Code: 'AWS.SimpleQueueService.NonExistentQueue',
    });
    aws.deny('sqs:*');
    await expect(sqs.send(new GetQueueUrlCommand({ QueueName: 'berth-demo' }))).rejects.toMatchObject({
      Code: 'AccessDenied',
    });
  });
});
