import { DescribeSubnetsCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import type { WireRequest } from '../../../world/wire/wire.js';
import { createFleet, describeAll, fixture, idsOf, readyToLaunch, ZONES, type Fixture } from './fixture.js';

const subnets = ({ ec2 }: Fixture) => ec2.send(new DescribeSubnetsCommand({}));

async function outcomes(on: Fixture, calls: number): Promise<readonly string[]> {
  const names: string[] = [];
  for (let call = 0; call < calls; call++)
    names.push(
      await subnets(on).then(
        () => 'ok',
        (error: unknown) => (error as Error).name,
      ),
    );
  return names;
}

describe('request limits', () => {
  it('let a hundred reads through at once, and twenty a second after that', async () => {
    const on = fixture();
    const throttled = (names: readonly string[]) =>
      names.filter((name) => name === 'RequestLimitExceeded').length;
    expect(throttled(await outcomes(on, 105))).toBe(5);
    await on.clock.advance(1_000);
    expect(throttled(await outcomes(on, 25))).toBe(5);
    await expect(subnets(on)).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
    expect(on.aws.log.count('ec2:DescribeSubnets')).toBe(131);
  });

  it('are tighter for listing everything', async () => {
    const on = fixture();
    const listing = Array.from({ length: 51 }, () => describeAll(on));
    const results = await Promise.allSettled(listing);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });

  it('count the instances that fleets launch, and tell of it per offering', async () => {
    const on = await readyToLaunch();
    const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(ZONES[0]) }];
    await createFleet(on, overrides, { size: 999 });
    const answer = await createFleet(on, overrides, { size: 2 });
    expect(answer.Errors).toMatchObject([{ ErrorCode: 'RequestLimitExceeded' }]);
    expect(idsOf(answer)).toEqual([]);
  });

  it('delay no call when they are off', async () => {
    const on = fixture({ limits: false });
    expect(await outcomes(on, 120)).not.toContain('RequestLimitExceeded');
  });
});

describe('a fault plan', () => {
  it('hits the calls that it names, by number', async () => {
    const on = fixture();
    const fault = { kind: 'error', code: 'InternalError' } as const;
    on.aws.faults.add({ action: 'ec2:DescribeSubnets', nth: [2, 4], fault });
    expect(await outcomes(on, 5)).toEqual(['ok', 'InternalError', 'ok', 'InternalError', 'ok']);
  });

  it('hits so many calls and then no more, until it is cleared', async () => {
    const on = fixture();
    on.aws.faults.add({ action: 'ec2:*', times: 2, fault: { kind: 'throttle' } });
    expect(await outcomes(on, 3)).toEqual(['RequestLimitExceeded', 'RequestLimitExceeded', 'ok']);
    on.aws.faults.add({ action: '*', fault: { kind: 'throttle' } });
    on.aws.faults.clear();
    expect(await outcomes(on, 1)).toEqual(['ok']);
  });

  it('hits by chance the same calls in every run', async () => {
    const run = () => {
      const on = fixture();
      on.aws.faults.add({ action: 'ec2:*', probability: 0.5, fault: { kind: 'throttle' } });
      return outcomes(on, 20);
    };
    const first = await run();
    expect(new Set(first)).toEqual(new Set(['ok', 'RequestLimitExceeded']));
    expect(await run()).toEqual(first);
  });

  it('launches and does not tell, when the answer is lost; the same token finds it out', async () => {
    const on = await readyToLaunch();
    on.aws.faults.add({ action: 'ec2:CreateFleet', nth: 1, fault: { kind: 'reset-after' } });
    const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(ZONES[0]) }];
    await expect(createFleet(on, overrides, { token: 't' })).rejects.toMatchObject({ code: 'ECONNRESET' });
    const launched = on.aws.instances().map(({ id }) => id);
    expect(launched).toHaveLength(1);
    expect(idsOf(await createFleet(on, overrides, { token: 't' }))).toEqual(launched);
    expect(on.aws.log.recent('ec2:CreateFleet').map(({ status }) => status)).toEqual([undefined, 200]);
  });

  it.each(['lost-request', 'lost-answer'] as const)(
    'stays silent until the caller gives up on a %s',
    async (kind) => {
      const on = await readyToLaunch();
      const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(ZONES[0]) }];
      const [id = ''] = idsOf(await createFleet(on, overrides));
      on.aws.faults.add({ action: 'ec2:TerminateInstances', fault: { kind } });
      const caller = new AbortController();
      const call = on.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }), {
        abortSignal: caller.signal,
      });
      setImmediate(() => {
        caller.abort();
      });
      await expect(call).rejects.toMatchObject({ name: 'AbortError' });
      expect(on.aws.instances()[0]?.state).toBe(kind === 'lost-answer' ? 'shutting-down' : 'pending');
    },
  );

  it('breaks the connection before anything is done', async () => {
    const on = await readyToLaunch();
    on.aws.faults.add({ action: 'ec2:CreateFleet', fault: { kind: 'reset' } });
    await expect(createFleet(on, [])).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(on.aws.instances()).toEqual([]);
  });

  it('takes its time on the clock', async () => {
    const on = fixture();
    on.aws.faults.add({ action: 'ec2:*', fault: { kind: 'latency', millis: 2_000 } });
    const start = on.clock.now();
    const call = subnets(on).then(() => on.clock.now() - start);
    for (let turn = 0; on.clock.pending === 0 && turn < 1_000; turn++) await on.clock.settle();
    await on.clock.advance(5_000);
    expect(await call).toBeGreaterThanOrEqual(2_000);
    expect(on.clock.pending).toBe(0);
  });

  it('refuses single offerings with any code', async () => {
    const on = await readyToLaunch();
    on.aws.faults.add({
      action: 'ec2:CreateFleet',
      fault: { kind: 'offering', pool: { zone: ZONES[0] }, code: 'UnfulfillableCapacity' },
    });
    const overrides = ZONES.slice(0, 2).map((zone) => ({
      InstanceType: 'm5.large' as const,
      SubnetId: on.subnets.get(zone),
    }));
    const answer = await createFleet(on, overrides);
    expect(answer.Errors).toMatchObject([
      {
        ErrorCode: 'UnfulfillableCapacity',
        LaunchTemplateAndOverrides: { Overrides: { SubnetId: on.subnets.get(ZONES[0]) } },
      },
    ]);
    expect(on.aws.instances()).toMatchObject([{ zone: ZONES[1] }]);
  });

  it('refuses by policy in each service’s own words', async () => {
    const on = fixture();
    on.aws.deny('ssm:*');
    await expect(on.ssm.send(new GetParameterCommand({ Name: '/a' }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
  });
});

describe('what is not served', () => {
  const send = (request: Partial<WireRequest>) =>
    fixture().aws.handle(
      { method: 'POST', path: '/', headers: {}, body: '', ...request },
      new AbortController().signal,
    );
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it.each([
    [
      'an unknown action',
      { headers: form, body: 'Action=MakeCoffee&Version=2016-11-15' },
      400,
      'InvalidAction',
    ],
    ['no action', { headers: form, body: 'Version=2016-11-15' }, 400, 'InvalidAction'],
    [
      'an action that is a property of objects',
      { headers: form, body: 'Action=toString&Version=2016-11-15' },
      400,
      'InvalidAction',
    ],
    [
      'an unknown operation of SQS',
      { headers: { 'x-amz-target': 'AmazonSQS.Fly' } },
      404,
      'UnknownOperation',
    ],
    [
      'a body that is not JSON',
      { headers: { 'x-amz-target': 'AmazonSSM.GetParameter' }, body: '{' },
      400,
      'SerializationException',
    ],
    [
      'another service',
      { headers: { 'x-amz-target': 'DynamoDB_20120810.GetItem' } },
      404,
      'no simulated service',
    ],
    ['another path', { method: 'GET', path: '/%' }, 404, 'no simulated service'],
    [
      'a number that is none',
      { headers: form, body: 'Action=DescribeSubnets&Version=2016-11-15&MaxResults=x' },
      400,
      'InvalidParameterValue',
    ],
    [
      'a deep name',
      { headers: form, body: `Action=DescribeSubnets&Version=2016-11-15&${'a.'.repeat(50)}b=1` },
      400,
      'MalformedQueryString',
    ],
  ])('is answered with an error: %s', async (_, request, status, text) => {
    const answer = await send(request);
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(text);
  });
});
