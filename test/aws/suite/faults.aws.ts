import { sqsInterruptionQueue } from '../../../src/clouds/aws/adapter/index.js';
import { LAUNCH_GROUP_TAG, type LaunchAnswer } from '../../../src/ports/cloud.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { ec2NodeClass } from '../../support/builders/ec2-node-class.js';
import { berthOn, type BerthOnAws } from '../berth-on.js';
import { startFaultProxy, type FaultProxy } from '../fault-proxy.js';
import { CLUSTER, startMoto, ZONES, type MotoAccount } from '../moto-account.js';
import { answeredCalls, report } from '../report.js';

const metrics = createMetrics();
let moto: MotoAccount;
let proxy: FaultProxy;
let berth: BerthOnAws;

beforeAll(async () => {
  moto = await startMoto();
});

beforeEach(async () => {
  proxy = await startFaultProxy(moto.url);
  berth = berthOn(proxy.url, metrics);
});

afterEach(async () => {
  berth.clients.close();
  await proxy.close();
});

afterAll(async () => {
  report('moto behind faults', await answeredCalls(metrics));
  await moto.close();
});

const group = (name: string) => new Map([[LAUNCH_GROUP_TAG, name]]);
const bodiesOf = (action: string): readonly URLSearchParams[] =>
  proxy.requests.filter((each) => each.action === action).map(({ body }) => new URLSearchParams(body));

/** An instance of the launch group of this name. */
async function launch(name: string): Promise<LaunchAnswer> {
  const cloud = berth.cloud();
  const labels = new Map<string, string>();
  const offerings = [{ instanceType: 'm5.large', zone: ZONES[0], price: 0.1 }];
  const nodeClass = ec2NodeClass();
  const asked = { nodeClass, capacityType: 'on-demand', offerings, size: 1, labels, taints: [] } as const;
  const request = await cloud.prepareLaunch(asked);
  return cloud.launch({ token: `token-${name}`, request, tags: group(name), labels, taints: [] });
}

describe('a real server that is short of breath', () => {
  it('is asked again when it throttles EC2', async () => {
    proxy.meet({ action: 'DescribeInstances', kind: 'throttled', times: 2 });
    await expect(berth.cloud().instances(group('none'))).resolves.toEqual([]);
    expect(bodiesOf('DescribeInstances')).toHaveLength(3);
  });

  it('is asked again when it throttles SQS, which says so in JSON', async () => {
    proxy.meet({ action: 'GetQueueUrl', kind: 'throttled' });
    const queue = sqsInterruptionQueue({ clients: berth.clients, queue: CLUSTER });
    await expect(queue.delete(['no receipt at all'])).resolves.toBeUndefined();
    expect(proxy.requests.map(({ action }) => action)).toEqual([
      'GetQueueUrl',
      'GetQueueUrl',
      'DeleteMessageBatch',
    ]);
  });

  it('is let alone when it throttles without end', async () => {
    proxy.meet({ action: 'DescribeInstances', kind: 'throttled', times: Infinity });
    await expect(berth.cloud().instances(group('none'))).rejects.toMatchObject({ code: 'RateLimited' });
    expect(bodiesOf('DescribeInstances')).toHaveLength(5);
  });
});

describe('a real server behind a bad line', () => {
  it('is asked again when a gateway answers with a web page', async () => {
    proxy.meet({ action: 'DescribeSubnets', kind: 'web page' });
    const { subnetIDs } = await berth.cloud().resolveNodeClass(ec2NodeClass());
    expect(subnetIDs).toHaveLength(3);
    expect(bodiesOf('DescribeSubnets')).toHaveLength(2);
  });

  it('is asked for the same launch with the same token when it hung up after the first', async () => {
    proxy.meet({ action: 'CreateFleet', kind: 'hung up' });
    const { instances } = await launch('hung-up');
    const [first, second, ...more] = bodiesOf('CreateFleet').map(String);
    expect(instances).toHaveLength(1);
    expect(second).toBe(first);
    expect(first).toContain('ClientToken=token-hung-up');
    expect(more).toEqual([]);
    // Moto knows no tokens, so here it launches twice: what stands behind one that does is the simulator's to show.
    expect(await berth.cloud().instances(group('hung-up'))).toHaveLength(2);
  });

  it('is asked again when it hung up on the end of an instance', async () => {
    const { instances } = await launch('ended');
    proxy.meet({ action: 'TerminateInstances', kind: 'hung up' });
    await expect(berth.cloud().terminate(instances.map(({ id }) => id))).resolves.toBeUndefined();
    expect(await berth.cloud().instances(group('ended'))).toMatchObject([{ state: 'terminated' }]);
  });

  it('is waited for as long as the time-out, and asked again', async () => {
    proxy.meet({ action: 'DescribeInstances', kind: 'silence' });
    const before = performance.now();
    await expect(berth.cloud().instances(group('none'))).resolves.toEqual([]);
    expect(performance.now() - before).toBeGreaterThan(29_000);
    expect(bodiesOf('DescribeInstances')).toHaveLength(2);
  });
});
