import { join } from 'node:path';
import { OPERATIONS } from '../../../src/clouds/aws/adapter/client/operations.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { EC2_ACTIONS } from '../../../world/aws/ec2/ec2-actions.js';
import { AwsSimulator } from '../../../world/aws/aws-simulator.js';
import { serveWire } from '../../../world/wire/serve-wire.js';
import { PythonProcess } from '../python-process.js';
import { report, type CheckedAction } from '../report.js';

/** What `check.py answers` prints. */
interface Findings {
  readonly actions: readonly {
    readonly action: string;
    readonly checked: number;
    readonly problems: readonly string[];
  }[];
  readonly errors: readonly { readonly action: string; readonly ok: boolean }[];
  readonly ranges: readonly {
    readonly action: string;
    readonly isAllowed: boolean;
    readonly isTaken: boolean;
  }[];
  readonly understood: readonly { readonly what: string; readonly ok: boolean }[];
}

const SOON = { from: 20, to: 50 };
const CHECK = join(import.meta.dirname, '../botocore/check.py');

/** What boto3 finds at a simulator that has been prepared so, and whose answers are changed so. */
async function check<T>(
  mode: 'answers' | 'refusals',
  prepare: (aws: AwsSimulator) => void,
  change: (body: string) => string = (body) => body,
): Promise<T> {
  const aws = new AwsSimulator({
    clock: systemClock,
    random: seededRandom(3),
    pendingMillis: SOON,
    shutdownMillis: SOON,
    eventMillis: SOON,
    // The hour does not decide which type is the cheapest.
    spotPriceMovement: 0,
  });
  prepare(aws);
  const served = await serveWire(async (request, signal) => {
    const answer = await aws.handle(request, signal);
    return { ...answer, body: typeof answer.body === 'string' ? change(answer.body) : answer.body };
  });
  try {
    return JSON.parse(await new PythonProcess(CHECK, [mode, served.url]).result()) as T;
  } finally {
    aws.close();
    await served.close();
  }
}

/**
 * One type is sold out, a zone is shifted away from, and for every instance that runs maintenance is announced and a status
 * check fails.
 */
function ready(aws: AwsSimulator): void {
  aws.shiftAway('euw3-az1');
  aws.setStock({ instanceType: 'c5.large' }, 0);
  aws.onInstance(({ id, state }) => {
    if (state !== 'running') return;
    aws.scheduleChange(id);
    aws.failCheck(id, 'system');
  });
}

/** Rows for the report: each action once, ok where all that was tried of it is. */
function summed(
  tried: readonly { readonly action: string; readonly ok: boolean }[],
): readonly CheckedAction[] {
  return [...new Set(tried.map(({ action }) => action))].map((action) => {
    const own = tried.filter((each) => each.action === action);
    return { action, checked: own.length, ok: own.every(({ ok }) => ok) };
  });
}

describe('the simulated AWS, with boto3 as its client', () => {
  let found: Findings;

  beforeAll(async () => {
    found = await check('answers', ready);
    report(
      'botocore: answers',
      found.actions.map(({ action, checked, problems }) => ({ action, checked, ok: problems.length === 0 })),
    );
    report('botocore: errors', summed(found.errors));
    report(
      'botocore: page sizes',
      summed(found.ranges.map((row) => ({ ...row, ok: row.isAllowed === row.isTaken }))),
    );
  });

  it('is asked for every action that it has and that Berth calls', () => {
    const asked = found.actions.map(({ action }) => action);
    const own = Object.keys(EC2_ACTIONS).map((action) => `ec2:${action}`);
    const called = Object.entries(OPERATIONS).map(([action, { service }]) => `${service}:${action}`);
    expect(asked).toEqual(expect.arrayContaining([...own, ...called]));
  });

  it('gives answers in which every name, place and value is one of the service model', () => {
    expect(found.actions.filter(({ problems }) => problems.length > 0)).toEqual([]);
  });

  it('is understood as it was meant', () => {
    expect(found.understood.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('refuses with the codes of AWS, each with a message and the request’s id', () => {
    expect(found.errors.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('takes page sizes from the least to the most that the service model allows, and no others', () => {
    expect(found.ranges.filter(({ isAllowed, isTaken }) => isAllowed !== isTaken)).toEqual([]);
  });
});

describe('a simulated AWS with slips', () => {
  it('is found out: a misspelt name, a name at the wrong place, a value of the wrong kind', async () => {
    const found = await check<Findings>('answers', ready, (body) =>
      body
        .replaceAll('subnetArn>', 'subnetARN>')
        .replaceAll(
          /<privateDnsName>[^<]*<\/privateDnsName>/g,
          '<privateDnsName><item>ip</item></privateDnsName>',
        )
        .replaceAll('<defaultVersion>false<', '<defaultVersion>no<')
        .replaceAll('"Tier":"Standard"', '"Tier":7'),
    );
    const wrong = found.actions.filter(({ problems }) => problems.length > 0).map(({ action }) => action);
    expect(wrong).toEqual([
      'ec2:CreateLaunchTemplateVersion',
      'ec2:DescribeInstances',
      'ec2:DescribeLaunchTemplateVersions',
      'ec2:DescribeSubnets',
      'ec2:RunInstances',
      'ssm:PutParameter',
    ]);
  });
});

describe('the simulated AWS that refuses everything', () => {
  interface Refusal {
    readonly code: string;
    readonly status: number;
    readonly isWhole: boolean;
  }
  type Refusals = Readonly<Record<string, Refusal>>;
  const whole = (code: string, status: number): Refusal => ({ code, status, isWhole: true });

  it('says in each service’s words that a permission is missing', async () => {
    const refusals = await check<Refusals>('refusals', (aws) => aws.deny('*'));
    expect(refusals).toEqual({
      ec2: whole('UnauthorizedOperation', 403),
      iam: whole('AccessDenied', 403),
      sqs: whole('AccessDenied', 400),
      ssm: whole('AccessDeniedException', 400),
      pricing: whole('AccessDeniedException', 400),
      eks: whole('AccessDeniedException', 403),
      events: whole('AccessDeniedException', 400),
      // GetCallerIdentity needs no permission.
      sts: {},
      'arc-zonal-shift': whole('AccessDeniedException', 403),
    });
  });

  it('says by status and code that its servers are out of order', async () => {
    const refusals = await check<Refusals>('refusals', (aws) => {
      aws.faults.add({ action: '*', fault: { kind: 'error', code: 'InternalError', status: 500 } });
    });
    const services = ['ec2', 'iam', 'sqs', 'ssm', 'pricing', 'eks', 'events', 'sts', 'arc-zonal-shift'];
    expect(Object.keys(refusals)).toEqual(services);
    expect(Object.values(refusals).map(({ status }) => status)).toEqual(services.map(() => 500));
    expect(refusals['ec2']).toEqual(whole('InternalError', 500));
  });

  it('says that EC2’s request limit is exceeded', async () => {
    const refusals = await check<Refusals>('refusals', (aws) => {
      aws.faults.add({ action: 'ec2:*', fault: { kind: 'throttle' } });
    });
    expect(refusals['ec2']).toEqual(whole('RequestLimitExceeded', 503));
  });
});
