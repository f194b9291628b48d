import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  DescribeSubnetsCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { GetParametersCommand } from '@aws-sdk/client-ssm';
import { AwsError } from '../../../../../src/clouds/aws/adapter/client/aws-error.js';
import type { AwsClients, CallOptions } from '../../../../../src/clouds/aws/adapter/client/aws-clients.js';
import { OPERATIONS, type OperationName } from '../../../../../src/clouds/aws/adapter/client/operations.js';
import { PortError } from '../../../../../src/ports/port-error.js';
import { createMetrics } from '../../../../../src/runtime/metrics/metrics.js';
import { clientsOf, settled } from '../../../../support/builders/aws-clients.js';
import { ec2Answer, ec2Error, ec2List, FakeAws, jsonAnswer, xml } from '../../../../support/fake-aws.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';
import { constantRandom } from '../../../../support/constant-random.js';

const MINUTE = 60_000;
const subnets = ec2Answer('DescribeSubnets', ec2List('subnetSet', [xml({ subnetId: 'subnet-1' })]));
const fleet = ec2Answer('CreateFleet', '<fleetId>fleet-1</fleetId>');

function describeSubnets(clients: AwsClients, options: CallOptions = {}): Promise<unknown> {
  return clients.call(
    'DescribeSubnets',
    (ec2, own) => ec2.send(new DescribeSubnetsCommand({}), own),
    options,
  );
}

function createFleet(clients: AwsClients, options: CallOptions = {}): Promise<unknown> {
  const input = {
    LaunchTemplateConfigs: [],
    TargetCapacitySpecification: { TotalTargetCapacity: 1 },
    ClientToken: options.clientToken,
  };
  return clients.call('CreateFleet', (ec2, own) => ec2.send(new CreateFleetCommand(input), own), options);
}

/** What a call comes to, be it an error. */
function outcome<T>(clock: VirtualClock, call: Promise<T>): Promise<T | AwsError> {
  return settled(
    clock,
    call.catch((error: unknown) => error as AwsError),
  );
}

/** A world with one fake, one clock and clients between them. */
function setUp() {
  const aws = new FakeAws();
  const clock = new VirtualClock();
  const metrics = createMetrics();
  return { aws, clock, metrics, clients: clientsOf(aws, { clock, metrics }) };
}

test('a changing call asks for the permit once its turn has come; without it nothing is sent, and reads need none', async () => {
  const { aws, clock, metrics } = setUp();
  aws.answer('DescribeSubnets', subnets);
  const asked: string[] = [];
  const permit = (operation: string): void => {
    asked.push(operation);
    throw new PortError('Unavailable', { operation, message: 'Berth is paused' });
  };
  const clients = clientsOf(aws, { clock, metrics, permit });
  await expect(settled(clock, createFleet(clients))).rejects.toThrow('CreateFleet: Berth is paused');
  await expect(settled(clock, describeSubnets(clients))).resolves.toBeDefined();
  expect(asked).toEqual(['CreateFleet']);
  expect(aws.askedFor('CreateFleet')).toEqual([]);
});

test('where only reads are allowed, every other call is refused before it is sent: dry runs, and receiving messages, too', async () => {
  const { aws, clock, metrics } = setUp();
  aws.answer('DescribeSubnets', subnets);
  const refused: string[] = [];
  const refuse = (operation: string): never => {
    refused.push(operation);
    throw new PortError('ReadOnly', { operation, message: 'only reads' });
  };
  const clients = clientsOf(aws, { clock, metrics, refuse });
  const names = Object.keys(OPERATIONS) as OperationName[];
  const reads = names.filter((name) => /^(Describe|Get|List)/.test(name));
  const others = names.filter((name) => !reads.includes(name));
  const never = (): Promise<never> => Promise.reject(new Error('sent'));
  for (const name of others) {
    await expect(clients.call(name, never)).rejects.toMatchObject({ code: 'ReadOnly', retryable: false });
    await expect(clients.dryRun(name, never)).rejects.toMatchObject({ code: 'ReadOnly' });
  }
  await expect(settled(clock, describeSubnets(clients))).resolves.toBeDefined();
  expect(refused).toEqual(others.flatMap((name) => [name, name]));
  expect(others).toEqual(expect.arrayContaining(['CreateFleet', 'TerminateInstances', 'ReceiveMessage']));
});

/** How long after the first each request came. */
function timesOf(
  clock: VirtualClock,
  aws: FakeAws,
  operation: string,
  answers: Parameters<FakeAws['answer']>[1][],
) {
  const times: number[] = [];
  aws.answer(
    operation,
    ...answers.map((answer) => () => {
      times.push(clock.monotonic());
      if (answer instanceof Error) throw answer;
      if (typeof answer === 'function') throw new Error('an answer is wanted');
      return answer;
    }),
  );
  return times;
}

function reset(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}

test('an answer is what the SDK makes of it, and each request says who asks for which region', async () => {
  const { aws, clients } = setUp();
  aws.answer('DescribeSubnets', subnets);
  await expect(describeSubnets(clients)).resolves.toMatchObject({ Subnets: [{ SubnetId: 'subnet-1' }] });
  expect(aws.asked[0]?.headers['authorization']).toMatch(
    /Credential=berth\/\d{8}\/eu-west-3\/ec2\/aws4_request/,
  );
});

test('a call that was turned away is made again, each time later, until it comes through', async () => {
  const { aws, clock, clients } = setUp();
  const throttled = ec2Error('RequestLimitExceeded', 503);
  const times = timesOf(clock, aws, 'DescribeSubnets', [throttled, throttled, throttled, subnets]);
  await expect(outcome(clock, describeSubnets(clients))).resolves.toMatchObject({
    Subnets: [{ SubnetId: 'subnet-1' }],
  });
  // Half of 1, 2 and 4 seconds: chance gives its least here.
  expect(times).toEqual([0, 500, 1_500, 3_500]);
});

test('chance spreads the waiting', async () => {
  const aws = new FakeAws();
  const clock = new VirtualClock();
  const clients = clientsOf(aws, { clock, random: constantRandom(0.5) });
  const times = timesOf(clock, aws, 'DescribeSubnets', [ec2Error('RequestLimitExceeded', 503), subnets]);
  await outcome(clock, describeSubnets(clients));
  expect(times).toEqual([0, 750]);
});

test('what keeps failing is given up after the fifth attempt, with the last error', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('DescribeSubnets', ec2Error('InternalError', 500));
  const error = await outcome(clock, describeSubnets(clients));
  expect(error).toMatchObject({ code: 'Unavailable', awsCode: 'InternalError', requestID: 'r-2' });
  expect(aws.asked).toHaveLength(5);
});

test('no attempt begins after the deadline', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('DescribeSubnets', ec2Error('RequestLimitExceeded', 503));
  await outcome(clock, describeSubnets(clients, { deadlineMillis: 1_000 }));
  expect(aws.asked).toHaveLength(2);
});

test('what is wrong itself is not tried again', async () => {
  const { aws, clients } = setUp();
  aws.answer('DescribeSubnets', ec2Error('InvalidParameterValue'));
  await expect(describeSubnets(clients)).rejects.toMatchObject({ code: 'Invalid' });
  expect(aws.asked).toHaveLength(1);
});

test.each([
  ['a broken connection', reset()],
  ['an internal error', ec2Error('InternalError', 500)],
  ['a web page', { status: 502, headers: { 'content-type': 'text/html' }, body: '<html></html>' }],
])('a launch without a token is never repeated after %s, for it may have happened', async (_, answer) => {
  const { aws, clock, clients } = setUp();
  aws.answer('CreateFleet', answer, fleet);
  const error = await outcome(clock, createFleet(clients));
  expect(error).toBeInstanceOf(AwsError);
  expect(error).toMatchObject({ code: 'Unavailable', mayHaveHappened: true });
  expect(aws.asked).toHaveLength(1);
});

test('a launch with a token is repeated with the same token', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('CreateFleet', reset(), fleet);
  await expect(outcome(clock, createFleet(clients, { clientToken: 'token-1' }))).resolves.toMatchObject({
    FleetId: 'fleet-1',
  });
  expect(aws.asked.map(({ fields }) => fields['ClientToken'])).toEqual(['token-1', 'token-1']);
});

test('a launch without a token is repeated when it certainly did not happen', async () => {
  const { aws, clock, clients } = setUp();
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  aws.answer('CreateFleet', refused, ec2Error('RequestLimitExceeded', 503), fleet);
  await expect(outcome(clock, createFleet(clients))).resolves.toMatchObject({ FleetId: 'fleet-1' });
  expect(aws.asked).toHaveLength(3);
});

test('a call that nobody answers times out, and nobody knows whether it happened', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('CreateFleet', () => new Promise(() => undefined));
  const error = await outcome(clock, createFleet(clients, { subject: 'general-1' }));
  expect(error).toMatchObject({ code: 'TimedOut', mayHaveHappened: true });
  expect((error as AwsError).message).toBe(
    'ec2:CreateFleet for general-1: TimeoutError: no answer after 30000 milliseconds',
  );
});

test('an aborted signal ends a call that is under way', async () => {
  const { aws, clock, clients } = setUp();
  const abort = new AbortController();
  let seen: AbortSignal | undefined;
  aws.answer('DescribeSubnets', (_, signal) => {
    seen = signal;
    return new Promise(() => undefined);
  });
  const call = describeSubnets(clients, { signal: abort.signal });
  await clock.settle();
  abort.abort();
  await expect(call).rejects.toMatchObject({ code: 'Cancelled' });
  expect(seen?.aborted).toBe(true);
});

test('an aborted signal ends the waiting between attempts', async () => {
  const { aws, clock, clients } = setUp();
  const abort = new AbortController();
  aws.answer('DescribeSubnets', ec2Error('RequestLimitExceeded', 503));
  const call = describeSubnets(clients, { signal: abort.signal });
  await clock.settle();
  abort.abort();
  await expect(call).rejects.toMatchObject({ code: 'Cancelled' });
  expect(aws.asked).toHaveLength(1);
});

test('an aborted signal ends the waiting for a turn, and nothing is sent', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('DescribeSubnets', subnets);
  await Promise.all(Array.from({ length: 90 }, () => describeSubnets(clients)));
  const abort = new AbortController();
  const call = describeSubnets(clients, { signal: abort.signal });
  await clock.settle();
  abort.abort();
  await expect(call).rejects.toBeInstanceOf(PortError);
  expect(aws.asked).toHaveLength(90);
});

test('fewer changing calls are sent than EC2 takes: nine tenths of fifty at once and then of five a second', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('CreateFleet', fleet);
  const calls = Promise.all(Array.from({ length: 63 }, () => createFleet(clients)));
  await clock.settle();
  expect(aws.asked).toHaveLength(45);
  await clock.advance(2_010);
  expect(aws.asked).toHaveLength(54);
  await clock.advance(2_010);
  await calls;
  expect(aws.asked).toHaveLength(63);
});

test('describing does not wait for changing', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('CreateFleet', fleet).answer('DescribeSubnets', subnets);
  const calls = Array.from({ length: 60 }, () => createFleet(clients));
  await expect(settled(clock, describeSubnets(clients))).resolves.toBeDefined();
  await clock.advance(MINUTE);
  await Promise.all(calls);
});

test('once AWS turned a call away, the others come at the rate at which its limit fills again', async () => {
  const { aws, clock, clients } = setUp();
  const times = timesOf(clock, aws, 'DescribeSubnets', [ec2Error('RequestLimitExceeded', 503), subnets]);
  const first = describeSubnets(clients);
  await clock.settle();
  const others = Promise.all(Array.from({ length: 20 }, () => describeSubnets(clients)));
  await clock.advance(3_000);
  await Promise.all([first, others]);
  // Eighteen a second.
  expect(times.slice(1, 6).map((time) => Math.round(time / 55.6))).toEqual([1, 2, 3, 4, 5]);
});

test('instances count beside calls where EC2 counts them', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('TerminateInstances', ec2Answer('TerminateInstances', ''));
  const terminate = (count: number): Promise<unknown> =>
    clients.call(
      'TerminateInstances',
      (ec2, own) => ec2.send(new TerminateInstancesCommand({ InstanceIds: ['i-1'] }), own),
      { instances: count },
    );
  await terminate(1_000);
  const next = terminate(40);
  await clock.settle();
  expect(aws.asked).toHaveLength(1);
  await clock.advance(2_000);
  await next;
  expect(aws.asked).toHaveLength(2);
});

test('a call whose turn does not come by its deadline fails as one that was never sent', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('CreateFleet', fleet);
  const calls = Array.from({ length: 60 }, () =>
    outcome(clock, createFleet(clients, { deadlineMillis: 1_000 })),
  );
  const outcomes = await Promise.all(calls);
  const failed = outcomes.filter((outcome) => outcome instanceof AwsError);
  expect(failed).toHaveLength(11);
  expect(failed[0]).toMatchObject({ code: 'RateLimited', mayHaveHappened: false });
  expect(aws.asked).toHaveLength(49);
});

test('when everything fails, retries come to an end before the calls do', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('DescribeSubnets', ec2Error('InternalError', 500));
  for (let index = 0; index < 60; index++) await outcome(clock, describeSubnets(clients));
  // Sixty first attempts, and a hundred retries out of 240.
  expect(aws.asked).toHaveLength(160);
});

test('a time-out over and over spends the retries twice as fast', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('DescribeSubnets', ec2Error('RequestTimeout', 408));
  for (let index = 0; index < 60; index++) await outcome(clock, describeSubnets(clients));
  expect(aws.asked).toHaveLength(110);
});

test('the other side may ask for more patience', async () => {
  const { aws, clock, clients } = setUp();
  const busy = ec2Error('Unavailable', 503);
  const times = timesOf(clock, aws, 'DescribeSubnets', [
    { ...busy, headers: { ...busy.headers, 'retry-after': '7' } },
    subnets,
  ]);
  await outcome(clock, describeSubnets(clients));
  expect(times).toEqual([0, 7_000]);
});

test('a dry run returns when AWS would have done it', async () => {
  const { aws, clients } = setUp();
  aws.answer('CreateLaunchTemplate', ec2Error('DryRunOperation', 412));
  const input = { DryRun: true, LaunchTemplateName: 'berth', LaunchTemplateData: {} };
  const dryRun = clients.dryRun('CreateLaunchTemplate', (ec2, own) =>
    ec2.send(new CreateLaunchTemplateCommand(input), own),
  );
  await expect(dryRun).resolves.toBeUndefined();
});

test('a dry run says which permission is missing', async () => {
  const { aws, clients } = setUp();
  aws.answer('CreateLaunchTemplate', ec2Error('UnauthorizedOperation', 403, 'You are not authorized.'));
  const dryRun = clients.dryRun('CreateLaunchTemplate', (ec2, own) =>
    ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'b', LaunchTemplateData: {} }), own),
  );
  await expect(dryRun).rejects.toThrow(/needs the permission ec2:CreateLaunchTemplate/);
});

test('every attempt is counted by its outcome', async () => {
  const { aws, clock, metrics, clients } = setUp();
  aws.answer('DescribeSubnets', ec2Error('RequestLimitExceeded', 503), subnets);
  await outcome(clock, describeSubnets(clients));
  const { values } = await metrics.cloudRequests.get();
  expect(values.map(({ labels, value }) => [labels, value])).toEqual([
    [{ service: 'ec2', operation: 'DescribeSubnets', outcome: 'RateLimited' }, 1],
    [{ service: 'ec2', operation: 'DescribeSubnets', outcome: 'ok' }, 1],
  ]);
});

test("a call is counted once, and its attempts one by one, under the names of AWS' SDK for Go", async () => {
  const { aws, clock, metrics, clients } = setUp();
  aws.answer('DescribeSubnets', ec2Error('RequestLimitExceeded', 503), subnets);
  await outcome(clock, describeSubnets(clients));
  const labels = (code: string) => ({ service: 'EC2', action: 'DescribeSubnets', code });
  expect((await metrics.sdkRequests.get()).values).toEqual([{ value: 1, labels: labels('200') }]);
  expect((await metrics.sdkAttempts.get()).values).toEqual([
    { value: 1, labels: labels('503') },
    { value: 1, labels: labels('200') },
  ]);
  const retries = (await metrics.sdkRetries.get()).values;
  expect(retries).toContainEqual(
    expect.objectContaining({ metricName: 'aws_sdk_go_request_retry_count_sum', value: 1 }),
  );
});

test('a web page with status 200 is no empty answer', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('DescribeSubnets', { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html/>' });
  const error = await outcome(clock, describeSubnets(clients));
  expect(error).toMatchObject({ code: 'Unavailable', awsCode: 'WebPage', status: 200 });
});

test.each([
  ['nothing', 500, ''],
  ['broken XML', 200, '<DescribeSubnetsResponse><subnetSet>'],
  ['something else', 503, 'upstream connect error'],
])('%s in place of XML is Unavailable, and its text goes nowhere', async (_, status, body) => {
  const { aws, clock, clients } = setUp();
  aws.answer('DescribeSubnets', { status, headers: { 'content-type': 'text/xml' }, body });
  const error = await outcome(clock, describeSubnets(clients));
  expect(error).toMatchObject({ code: 'Unavailable', status });
  expect((error as AwsError).message).not.toContain('upstream');
});

test('something else than JSON is Unavailable', async () => {
  const { aws, clock, clients } = setUp();
  aws.answer('GetParameters', { status: 200, headers: {}, body: 'not JSON' });
  const call = clients.call('GetParameters', (ssm, own) =>
    ssm.send(new GetParametersCommand({ Names: ['a'] }), own),
  );
  await expect(outcome(clock, call)).resolves.toMatchObject({ code: 'Unavailable', status: 200 });
});

test('services that speak JSON are told apart by their target, and fail in the same words', async () => {
  const { aws, clients } = setUp();
  aws.answer('GetParameters', jsonAnswer({ __type: 'AccessDeniedException', message: 'no' }, 400));
  const call = clients.call('GetParameters', (ssm, own) =>
    ssm.send(new GetParametersCommand({ Names: ['a'] }), own),
  );
  await expect(call).rejects.toThrow('ssm:GetParameters: needs the permission ssm:GetParameters');
});

test('over a socket where nobody listens it is Unavailable, too', async () => {
  const clients = clientsOf(new FakeAws(), { requestHandler: undefined, endpoint: 'http://127.0.0.1:1' });
  const call = describeSubnets(clients, { maxAttempts: 1 });
  await expect(call).rejects.toMatchObject({ code: 'Unavailable', status: undefined });
  clients.close();
});
