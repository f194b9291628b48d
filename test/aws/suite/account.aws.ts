import { EKSClient } from '@aws-sdk/client-eks';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { accountChecks } from '../../../src/clouds/aws/adapter/index.js';
import { SignedService } from '../../../src/clouds/aws/adapter/client/signed-service.js';
import type { CheckFinding } from '../../../src/domain/records/check-finding.js';
import type { AccountSubject } from '../../../src/ports/account-check.js';
import { berthOn, type BerthOnAws } from '../berth-on.js';
import { CLUSTER, REGION, startMoto, type MotoAccount } from '../moto-account.js';
import { answeredCalls, report } from '../report.js';

let moto: MotoAccount;
let berth: BerthOnAws;
/** The account's owner at EventBridge. */
let owner: EKSClient;

beforeAll(async () => {
  moto = await startMoto();
  berth = berthOn(moto.url);
  const credentials = { accessKeyId: 'owner', secretAccessKey: 'nothing' };
  owner = new EKSClient({ region: REGION, endpoint: moto.url, credentials });
});

afterAll(async () => {
  owner.destroy();
  report('moto: account', await answeredCalls(berth.metrics));
  await moto.close();
});

const SUBJECT: AccountSubject = {
  nodeClasses: () => Promise.resolve([]),
  configMap: () => Promise.resolve(undefined),
  webhook: () => Promise.resolve(undefined),
};
const { signal } = new AbortController();

function look(name: string, queue?: string): Promise<readonly CheckFinding[]> {
  const cluster = { clusterName: CLUSTER, clusterEndpoint: undefined };
  const options = { clients: berth.clients, ...cluster, region: REGION, queue };
  const check = accountChecks(options).find((each) => each.name === name);
  if (check === undefined) throw new Error(`there is no check ${name}`);
  return check.look(SUBJECT, signal);
}

async function putRule(name: string, pattern: object, target: string): Promise<void> {
  const at = { service: 'events', region: REGION, endpoint: moto.url };
  const events = new SignedService({ ...at, means: owner.config });
  const send = (operation: string, input: object): Promise<string> => {
    const contentType = 'application/x-amz-json-1.1';
    const call = { contentType, target: `AWSEvents.${operation}`, body: JSON.stringify(input) };
    return events.send(call, { abortSignal: signal });
  };
  await send('PutRule', { Name: name, EventPattern: JSON.stringify(pattern) });
  await send('PutTargets', { Rule: name, Targets: [{ Id: 'queue', Arn: target }] });
}

describe('an account of moto', () => {
  it('says whose the credentials are', async () => {
    const [found] = await look('identity');
    expect(found).toMatchObject({ result: 'ok' });
    expect(found?.evidence).toMatch(/arn:aws:(sts|iam)::\d{12}:/);
  });

  it('describes its cluster', async () => {
    expect((await look('cluster'))[0]?.evidence).toContain(`EKS cluster ${CLUSTER} in ${REGION}: ACTIVE`);
  });

  it('has rules that are found by their target, and kinds of events that no rule sends', async () => {
    const QueueName = 'rules';
    const { QueueUrl = '' } = await moto.sqs.send(new CreateQueueCommand({ QueueName }));
    const arn = `arn:aws:sqs:${REGION}:${QueueUrl.split('/').at(-2) ?? ''}:${QueueName}`;
    const ofEc2 = (detailType: string): object => ({ source: ['aws.ec2'], 'detail-type': [detailType] });
    await putRule('spot', ofEc2('EC2 Spot Instance Interruption Warning'), arn);
    await putRule('states', ofEc2('EC2 Instance State-change Notification'), arn);
    const found = await look('interruption-queue', QueueName);
    expect(found.map(({ result }) => result)).toEqual(['ok', 'warning', 'warning', 'warning']);
    await putRule('all', { source: ['aws.ec2', 'aws.health'] }, arn);
    expect((await look('interruption-queue', QueueName)).map(({ result }) => result)).toEqual(['ok', 'ok']);
  });
});
