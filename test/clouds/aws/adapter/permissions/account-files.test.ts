/** The CloudFormation template and the Terraform module give an account what Berth's tested policy and its queue need. */
import {
  ACCOUNT_PAGE,
  CLOUD_FORMATION,
  IAM_POLICY,
  TERRAFORM,
} from '../../../../../scripts/aws-account/files.js';
import {
  EVENT_RULES,
  LONGEST_CLUSTER_NAME,
  NODE_POLICIES,
} from '../../../../../scripts/aws-account/surroundings.js';
import { readEvent } from '../../../../../src/clouds/aws/adapter/interruptions/sqs-interruption-queue.js';
import { Access, type AccessAsk } from '../../../../../world/aws/iam/access.js';
import { readProjectFile } from '../../../../architecture/project-files.js';
import {
  cloudFormation,
  cloudFormationPolicies,
  terraformModule,
  terraformPolicies,
  writtenPolicy,
  type Policy,
  type Statement,
} from './account-files.js';

const POLICY = writtenPolicy();

/** Statements by Sid, without those that only a key of one's own needs. */
function granted(policies: ReadonlyMap<string, Policy>): ReadonlyMap<string, Statement> {
  const statements = [...policies.values()].flatMap(({ Statement }) => Statement);
  return new Map(statements.filter(({ Sid }) => !Sid.includes('KeyOfDisks')).map((each) => [each.Sid, each]));
}

function accessUnder(...policies: readonly Policy[]): Access {
  const access = new Access({
    caller: 'arn:aws:sts::000000000000:assumed-role/berth/1',
    region: 'eu-west-3',
  });
  for (const policy of policies) access.attachPolicy(policy);
  return access;
}

describe.each([
  ['the CloudFormation template', cloudFormationPolicies()],
  ['the Terraform module', terraformPolicies()],
])('%s', (_, policies) => {
  test('grants what the tested policy grants', () => {
    const wanted = new Map(POLICY.Statement.map((each) => [each.Sid, each]));
    expect(granted(policies)).toEqual(wanted);
  });

  test.each(['subnet', 'security-group', 'capacity-reservation', 'placement-group'])(
    'launches with a %s that another account shares',
    (kind) => {
      const resource = `arn:aws:ec2:eu-west-3:000000000001:${kind}/shared`;
      const refusals = ['ec2:CreateFleet', 'ec2:RunInstances'].map((action) =>
        accessUnder(...policies.values()).refusal({ action, resource }),
      );
      expect(refusals).toEqual([undefined, undefined]);
    },
  );

  test('creates nothing in another account', () => {
    const context = [['aws:RequestTag/kubernetes.io/cluster/berth-demo', ['owned']]] as const;
    const ask = (account: string): AccessAsk => ({
      ...{ action: 'ec2:RunInstances', context },
      resource: `arn:aws:ec2:eu-west-3:${account}:instance/*`,
    });
    const access = accessUnder(...policies.values());
    expect(access.refusal(ask('000000000000'))).toBeUndefined();
    expect(access.refusal(ask('000000000001'))).toBeDefined();
  });

  test('has policies that IAM takes: at most 6,144 characters without whitespace', () => {
    const sizes = [...policies.values()].map((policy) => JSON.stringify(policy).length);
    // Names of clusters may have 48 characters, of regions and accounts fifteen.
    expect(Math.max(...sizes)).toBeLessThan(5000);
  });

  test('lets EC2 use a key of disks, and nobody else be granted it', () => {
    const key = [...policies.values()]
      .flatMap(({ Statement }) => Statement)
      .filter(({ Sid }) => Sid.includes('Key'));
    expect(key.map(({ Condition }) => Condition)).toEqual([
      undefined,
      { Bool: { 'kms:GrantIsForAWSResource': 'true' } },
    ]);
  });
});

describe('without one of its conditions, the policy', () => {
  /** What another cluster, service or action would be. */
  const instance = 'arn:aws:ec2:eu-west-3:000000000000:instance/i-1';
  const template = 'arn:aws:ec2:eu-west-3:000000000000:launch-template/lt-1';
  const profile = 'arn:aws:iam::000000000000:instance-profile/berth-1';
  const ownTag = ['aws:RequestTag/kubernetes.io/cluster/berth-demo', ['owned']] as const;
  const ownResource = ['aws:ResourceTag/kubernetes.io/cluster/berth-demo', ['owned']] as const;
  const foreign = ['aws:ResourceTag/kubernetes.io/cluster/other', ['owned']] as const;
  const FORBIDDEN: readonly AccessAsk[] = [
    { action: 'ec2:DescribeImages', context: [['aws:RequestedRegion', ['us-east-1']]] },
    { action: 'ec2:RunInstances', resource: template, context: [foreign] },
    { action: 'ec2:RunInstances', resource: instance, context: [['aws:RequestTag/team', ['a']]] },
    { action: 'ec2:CreateTags', resource: instance, context: [['ec2:CreateAction', ['RunInstances']]] },
    {
      action: 'ec2:CreateTags',
      resource: instance,
      context: [ownTag, ['ec2:CreateAction', ['CreateImage']]],
    },
    { action: 'ec2:CreateTags', resource: instance, context: [foreign, ['aws:TagKeys', ['Name']]] },
    {
      action: 'ec2:CreateTags',
      resource: instance,
      context: [ownResource, ['aws:TagKeys', ['Name', 'team']]],
    },
    { action: 'ec2:TerminateInstances', resource: instance, context: [foreign] },
    { action: 'ec2:RebootInstances', resource: instance, context: [foreign] },
    {
      action: 'iam:PassRole',
      resource: 'arn:aws:iam::000000000000:role/berth-node',
      context: [['iam:PassedToService', ['lambda.amazonaws.com']]],
    },
    { action: 'iam:CreateInstanceProfile', resource: profile },
    { action: 'iam:AddRoleToInstanceProfile', resource: profile, context: [foreign] },
  ];

  function allowedBy(policy: Policy): readonly AccessAsk[] {
    const access = accessUnder(policy);
    return FORBIDDEN.filter((ask) => access.refusal(ask) === undefined);
  }

  test('allows nothing more as it is', () => {
    expect(allowedBy(POLICY)).toEqual([]);
  });

  const conditions = POLICY.Statement.flatMap(({ Sid, Condition = {} }) =>
    Object.entries(Condition).flatMap(([operator, keys]) =>
      Object.keys(keys).map((key) => [Sid, operator, key] as const),
    ),
  );
  test.each(conditions)('%s: %s of %s, allows what it must not', (sid, operator, key) => {
    const Statement = POLICY.Statement.map((each) => {
      if (each.Sid !== sid) return each;
      const Condition = Object.fromEntries(
        Object.entries(each.Condition ?? {}).map(([name, keys]) => [
          name,
          name === operator
            ? Object.fromEntries(Object.entries(keys).filter(([other]) => other !== key))
            : keys,
        ]),
      );
      return { ...each, Condition };
    });
    expect(allowedBy({ ...POLICY, Statement })).not.toEqual([]);
  });
});

describe('event rules', () => {
  test.each(EVENT_RULES.map((rule) => [rule.detailType, rule] as const))(
    'bring %s, which the interruption controller reads',
    (_, { source, detailType }) => {
      const instance = { 'instance-id': 'i-00000000', state: 'stopping' };
      const detail = { ...instance, service: 'EC2', eventTypeCategory: 'scheduledChange' };
      const event = { source, 'detail-type': detailType, detail, resources: ['i-00000000'] };
      expect(readEvent(JSON.stringify(event)).kind).not.toBe('Other');
    },
  );

  test('are the same in both files, and all may write to the queue', () => {
    const { Resources } = cloudFormation();
    const patterns = Object.values(Resources)
      .filter(({ Type }) => Type === 'AWS::Events::Rule')
      .map(({ Properties }) => Properties['EventPattern']);
    expect(patterns).toEqual(
      EVENT_RULES.map(({ source, detailType }) => ({ source: [source], 'detail-type': [detailType] })),
    );
    const main = terraformModule();
    for (const { source, detailType } of EVENT_RULES)
      expect(main).toContain(`source = "${source}", detail_type = "${detailType}"`);
    const queuePolicy = JSON.stringify(Resources['InterruptionQueuePolicy']);
    for (const { name } of EVENT_RULES) expect(queuePolicy).toContain(`["${name}Rule","Arn"]`);
  });
});

test('nodes get the same managed policies in both files', () => {
  const { Resources } = cloudFormation();
  const attached = JSON.stringify(Resources['NodeRole']?.Properties['ManagedPolicyArns']);
  for (const name of NODE_POLICIES) {
    expect(attached).toContain(`:iam::aws:policy/${name}"`);
    expect(terraformModule()).toContain(`"${name}",`);
  }
});

test('both files take names of clusters of the same length', () => {
  expect(JSON.stringify(cloudFormation())).toContain(`"MaxLength":${String(LONGEST_CLUSTER_NAME)}`);
  expect(terraformModule()).toContain(`length(var.cluster_name) <= ${String(LONGEST_CLUSTER_NAME)}`);
});

test('the files are those that `make generate` would write', () => {
  expect(JSON.parse(readProjectFile('docs/iam-policy.json'))).toEqual(IAM_POLICY);
  expect(cloudFormation()).toEqual(JSON.parse(JSON.stringify(CLOUD_FORMATION)));
  for (const [name, text] of TERRAFORM)
    expect(readProjectFile(`manifests/aws/terraform/${name}`).endsWith(text)).toBe(true);
  expect(readProjectFile('docs/reference/aws-account.md')).toBe(ACCOUNT_PAGE);
});
