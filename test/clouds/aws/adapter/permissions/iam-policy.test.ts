/** docs/iam-policy.json is all that Berth needs for a node's whole life, and nothing in it is idle. */
import {
  CreateFleetCommand,
  CreateTagsCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { readProjectFile } from '../../../../architecture/project-files.js';
import { catalogueFor } from '../../../../../src/clouds/aws/catalogue/index.js';
import { OPERATIONS } from '../../../../../src/clouds/aws/adapter/client/operations.js';
import type { LaunchCall } from '../../../../../src/ports/cloud.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { launchCall, sent, simulatedWorld, TAGS, type SimulatedWorld } from '../simulated-world.js';
import { actionsOf, writtenPolicy, type Policy } from './account-files.js';
import { liveNode, type NodeLife } from './node-life.js';

const POLICY = writtenPolicy();

/** The policy without one action of one statement. */
function without(sid: string, action: string): Policy {
  const Statement = POLICY.Statement.flatMap((each) => {
    if (each.Sid !== sid) return [each];
    const rest = actionsOf(each).filter((other) => other !== action);
    return rest.length === 0 ? [] : [{ ...each, Action: rest }];
  });
  return { ...POLICY, Statement };
}

function scp(Sid: string, Action: string, Resource: string, Condition: object): object {
  return { Version: '2012-10-17', Statement: [{ Sid, Effect: 'Deny', Action, Resource, Condition }] };
}

/** What organizations forbid: instance metadata without tokens, disks that are not encrypted, instances without a cluster's tag. */
const SERVICE_CONTROL = [
  scp('ImdsV2', 'ec2:RunInstances', 'arn:aws:ec2:*:*:instance/*', {
    StringNotEquals: { 'ec2:MetadataHttpTokens': 'required' },
  }),
  scp('Encrypted', 'ec2:RunInstances', 'arn:aws:ec2:*:*:volume/*', { Bool: { 'ec2:Encrypted': 'false' } }),
  scp('Tagged', 'ec2:RunInstances', 'arn:aws:ec2:*:*:instance/*', {
    Null: { 'aws:RequestTag/berth.sh/nodepool': 'true' },
  }),
];

async function lifeUnder(policy: object, organization: readonly object[] = []): Promise<NodeLife> {
  const world = simulatedWorld();
  for (const each of organization) world.aws.access.attachServiceControlPolicy(each);
  let detach = world.aws.access.attachPolicy(policy);
  const asOwner = async (work: () => Promise<void>): Promise<void> => {
    detach();
    await work();
    detach = world.aws.access.attachPolicy(policy);
  };
  const life = await liveNode({ ...world, asOwner });
  world.aws.close();
  return life;
}

test('a node lives from its class to its end under the policy, and nothing is denied', async () => {
  expect(await lifeUnder(POLICY)).toEqual({ denied: [], problems: [], instances: 2 });
});

test('it does so in an organization that asks for tokens, encrypted disks and tags', async () => {
  expect(await lifeUnder(POLICY, SERVICE_CONTROL)).toEqual({ denied: [], problems: [], instances: 2 });
});

test.each(
  POLICY.Statement.flatMap((statement) =>
    actionsOf(statement).map((action) => [statement.Sid, action] as const),
  ),
)('%s: without %s something is denied, and the action is named', async (sid, action) => {
  const { denied } = await lifeUnder(without(sid, action));
  expect(denied.join('\n')).toContain(`not authorized to perform: ${action} `);
});

/** What the document says that doctor asks for beside what Berth may do; who one is may be asked without a permission. */
const DOCTORS: readonly string[] = [
  ...[...readProjectFile('docs/doctor.md').matchAll(/`((?:eks|events):[A-Z]\w+)`/g)].map(
    ([, name = '']) => name,
  ),
  'sts:GetCallerIdentity',
];

test('the policy has each operation of the client, and no more than what these entail', () => {
  const entailed = ['iam:PassRole', 'iam:TagInstanceProfile', 'sqs:DeleteMessage'];
  const called = Object.entries(OPERATIONS).map(([name, { service }]) => `${service}:${name}`);
  // Of `berth adopt` and `berth doctor`, which run with the operator's credentials.
  const operators = ['ec2:DeleteTags', ...DOCTORS];
  const notOurs = [...operators, 'sqs:DeleteMessageBatch'];
  const needed = [...called.filter((action) => !notOurs.includes(action)), ...entailed];
  const granted = new Set(POLICY.Statement.flatMap(actionsOf));
  expect([...granted].sort()).toEqual([...new Set(needed)].sort());
});

describe('under the policy, what belongs to another cluster', () => {
  async function foreignInstance(): Promise<SimulatedWorld & { readonly id: string }> {
    const world = simulatedWorld();
    const { instances } = await world.cloud.launch(await launchCall(world.cloud));
    world.aws.access.attachPolicy(POLICY);
    return { ...world, id: instances[0]?.id ?? '' };
  }

  test('cannot be ended', async () => {
    const { cloud, id } = await foreignInstance();
    await expect(cloud.terminate([id])).rejects.toMatchObject({ code: 'Forbidden' });
  });

  test('cannot be rebooted', async () => {
    const { cloud, id } = await foreignInstance();
    await expect(cloud.reboot(id, 'reboot-1')).rejects.toMatchObject({ code: 'Forbidden' });
  });

  test('cannot be tagged as one of ours', async () => {
    const { cloud, id } = await foreignInstance();
    await expect(cloud.tagInstances([id], TAGS)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  test('is no reason to launch without the tag of the cluster', async () => {
    const { cloud } = await foreignInstance();
    const call = await launchCall(cloud);
    const outcome = await cloud.launch({ ...call, tags: TAGS }).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ code: 'Forbidden' });
  });
});

describe('dry runs', () => {
  /** As the launch sends it; what names one launch rather than another is blanked. */
  function shapeOf(fields: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
    const names = /^(?:DryRun|ClientToken)$/;
    return Object.fromEntries(
      Object.entries(fields ?? {})
        .filter(([key]) => !names.test(key))
        .map(([key, value]) => [key, /\.(?:LaunchTemplateId|Value|InstanceType)$/.test(key) ? '' : value]),
    );
  }

  async function bothOf(spec: Readonly<Record<string, unknown>> = {}) {
    const { aws, cloud } = simulatedWorld();
    const nodeClass = ec2NodeClass({ tags: { team: 'a' }, context: 'context-1', ...spec });
    expect((await cloud.resolveNodeClass(nodeClass)).problems).toEqual([]);
    const offered = [{ instanceType: 'm5.large', zone: 'eu-west-3a', price: 0.1 }];
    const call = await launchCall(cloud, { nodeClass, offerings: offered });
    const tags = new Map([
      ...call.tags,
      ['berth.sh/nodepool', 'a'],
      ['Name', 'a'],
      ['kubernetes.io/cluster/berth-demo', 'owned'],
    ]);
    const launched: LaunchCall = { ...call, tags };
    await cloud.launch(launched);
    return aws;
  }

  test.each([
    ['a plain class', {}],
    ['a class with interfaces of its own', { associatePublicIPAddress: false }],
  ])('send for %s what the launch sends, field by field', async (_, spec) => {
    const aws = await bothOf(spec);
    const [dryFleet, fleet] = sent(aws, 'ec2:CreateFleet');
    expect(dryFleet?.['DryRun']).toBe('true');
    expect(shapeOf(dryFleet)).toEqual(shapeOf(fleet));
    const [dryTemplate, template] = sent(aws, 'ec2:CreateLaunchTemplate');
    // The labels of a pool make user data, and so the template, another one.
    const data = (fields: Readonly<Record<string, string>> | undefined) =>
      Object.entries(fields ?? {}).filter(([key]) => !/UserData|LaunchTemplateName$|^ClientToken$/.test(key));
    expect(data(dryTemplate)).toEqual(data(template));
    const [run] = sent(aws, 'ec2:RunInstances');
    const tagged = (fields: Readonly<Record<string, string>> | undefined, kind: string) => {
      const all = Object.entries(fields ?? {});
      const at = all.find(([key, value]) => key.endsWith('ResourceType') && value === kind)?.[0];
      const prefix = at?.replace('ResourceType', 'Tag') ?? 'none';
      return all
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, value]) => [key.slice(prefix.length), value]);
    };
    for (const kind of ['instance', 'volume']) {
      expect(tagged(run, kind)).not.toEqual([]);
      expect(tagged(run, kind)).toEqual(tagged(dryFleet, kind));
    }
    expect(run?.['LaunchTemplate.LaunchTemplateId']).toBe(
      dryFleet?.['LaunchTemplateConfigs.1.LaunchTemplateSpecification.LaunchTemplateId'],
    );
  });

  test('as they were sent before this, without the launch’s tags and template, the policy refuses', async () => {
    const { aws, clients } = simulatedWorld();
    aws.access.attachPolicy(POLICY);
    for (const each of SERVICE_CONTROL) aws.access.attachServiceControlPolicy(each);
    const Tags = [{ Key: 'Name', Value: 'berth-dry-run' }];
    const NO_INSTANCE = 'i-00000000000000000';
    const DryRun = true;
    const asked = [
      clients.dryRun('RunInstances', (client, options) =>
        client.send(
          new RunInstancesCommand({ DryRun, MinCount: 1, MaxCount: 1, InstanceType: 'm5.large' }),
          options,
        ),
      ),
      clients.dryRun('CreateFleet', (client, options) =>
        client.send(
          new CreateFleetCommand({
            DryRun,
            Type: 'instant',
            LaunchTemplateConfigs: [
              { LaunchTemplateSpecification: { LaunchTemplateName: 'berth-dry-run', Version: '1' } },
            ],
            TargetCapacitySpecification: { TotalTargetCapacity: 1 },
            TagSpecifications: [{ ResourceType: 'instance', Tags }],
          }),
          options,
        ),
      ),
      clients.dryRun('CreateTags', (client, options) =>
        client.send(new CreateTagsCommand({ DryRun, Resources: [NO_INSTANCE], Tags }), options),
      ),
      clients.dryRun('TerminateInstances', (client, options) =>
        client.send(new TerminateInstancesCommand({ DryRun, InstanceIds: [NO_INSTANCE] }), options),
      ),
    ];
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'Forbidden' } });
  });

  test('name the permission that an organization’s policy takes away', async () => {
    const { aws, cloud, clock } = simulatedWorld();
    aws.access.attachPolicy(POLICY);
    const limit = { StringNotLike: { 'aws:RequestTag/team': '*' } };
    aws.access.attachServiceControlPolicy(
      scp('Team', 'ec2:RunInstances', 'arn:aws:ec2:*:*:instance/*', limit),
    );
    const { problems } = await cloud.resolveNodeClass(ec2NodeClass());
    expect(problems.join('\n')).toContain('with an explicit deny in a service control policy');
    // Calls of RunInstances are few at once.
    await clock.advance(2000);
    const tagged = await cloud.resolveNodeClass(ec2NodeClass({ tags: { team: 'a' } }));
    expect(tagged.problems).toEqual([]);
  });

  /** Problems of a class in an organization that allows only these instance types, and the types that dry runs asked for. */
  async function allowingOnly(...types: readonly string[]) {
    const catalogue = catalogueFor('eu-west-3');
    const { aws, cloud } = simulatedWorld({
      simulator: { catalogue },
      cloud: { catalogue: () => catalogue },
    });
    aws.access.attachPolicy(POLICY);
    const limit = { StringNotLike: { 'ec2:InstanceType': types } };
    aws.access.attachServiceControlPolicy(
      scp('Types', 'ec2:RunInstances', 'arn:aws:ec2:*:*:instance/*', limit),
    );
    const { problems } = await cloud.resolveNodeClass(ec2NodeClass());
    return { problems, asked: sent(aws, 'ec2:RunInstances').map((fields) => fields['InstanceType']) };
  }

  test.each(['m5.*', 't3.*', 'm7g.*'])(
    'say nothing of an organization that allows %s alone',
    async (types) => {
      const { problems, asked } = await allowingOnly(types);
      expect(problems).toEqual([]);
      expect(asked.at(-1)).toBe(types.replace('*', 'large'));
    },
  );

  test('say once that all of a few families are denied', async () => {
    const { problems, asked } = await allowingOnly('none');
    expect(problems.filter((problem) => problem.startsWith('ec2:RunInstances'))).toHaveLength(1);
    expect(new Set(asked.map((type) => type?.split('.')[0])).size).toBe(asked.length);
    expect(asked).toHaveLength(4);
  });

  test('no fleet without the tags of its node class, as an organization may demand', async () => {
    const { aws, cloud } = simulatedWorld();
    aws.access.attachPolicy(POLICY);
    const limit = { StringNotEquals: { 'aws:RequestTag/team': 'a' } };
    aws.access.attachServiceControlPolicy(scp('Team', 'ec2:CreateFleet', 'arn:aws:ec2:*:*:fleet/*', limit));
    const nodeClass = ec2NodeClass({ tags: { team: 'a' } });
    expect(await cloud.resolveNodeClass(nodeClass)).toMatchObject({ problems: [] });
    const call = await launchCall(cloud, { nodeClass });
    const tags = new Map([...call.tags, ['kubernetes.io/cluster/berth-demo', 'owned']]);
    const { instances } = await cloud.launch({ ...call, tags });
    expect(instances).toHaveLength(1);
  });
});
