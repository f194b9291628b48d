import {
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  DeleteLaunchTemplateCommand,
  DeleteLaunchTemplateVersionsCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  ModifyLaunchTemplateCommand,
  type RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  GetRoleCommand,
  ListInstanceProfilesCommand,
  RemoveRoleFromInstanceProfileCommand,
  TagInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import { createFleet, fixture, readyToLaunch, ZONES } from './fixture.js';

const data: RequestLaunchTemplateData = {
  ImageId: 'ami-1',
  UserData: Buffer.from('#!/bin/sh').toString('base64'),
  SecurityGroupIds: ['sg-1', 'sg-2'],
  IamInstanceProfile: { Name: 'nodes' },
  MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 1 },
  BlockDeviceMappings: [
    { DeviceName: '/dev/xvda', Ebs: { VolumeSize: 20, VolumeType: 'gp3', Encrypted: true } },
  ],
  NetworkInterfaces: [{ DeviceIndex: 0, Groups: ['sg-1'], AssociatePublicIpAddress: false }],
  TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'a', Value: 'b' }] }],
};

describe('launch templates', () => {
  it('come back as they were sent', async () => {
    const { ec2 } = fixture();
    const created = await ec2.send(
      new CreateLaunchTemplateCommand({
        LaunchTemplateName: 'nodes',
        LaunchTemplateData: data,
        TagSpecifications: [
          { ResourceType: 'launch-template', Tags: [{ Key: 'berth.sh/cluster', Value: 'c' }] },
        ],
      }),
    );
    expect(created.LaunchTemplate).toMatchObject({
      LaunchTemplateName: 'nodes',
      LatestVersionNumber: 1,
      DefaultVersionNumber: 1,
      Tags: [{ Key: 'berth.sh/cluster', Value: 'c' }],
    });
    const versions = await ec2.send(
      new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName: 'nodes', Versions: ['$Latest'] }),
    );
    expect(versions.LaunchTemplateVersions?.[0]?.LaunchTemplateData).toEqual(data);
  });

  it('have versions, of which one is the default', async () => {
    const { ec2 } = fixture();
    const LaunchTemplateName = 'nodes';
    await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName, LaunchTemplateData: data }));
    await ec2.send(new CreateLaunchTemplateVersionCommand({ LaunchTemplateName, LaunchTemplateData: data }));
    await ec2.send(new ModifyLaunchTemplateCommand({ LaunchTemplateName, DefaultVersion: '2' }));
    const gone = await ec2.send(
      new DeleteLaunchTemplateVersionsCommand({ LaunchTemplateName, Versions: ['1', '2'] }),
    );
    expect(gone.SuccessfullyDeletedLaunchTemplateVersions).toMatchObject([{ VersionNumber: 1 }]);
    expect(gone.UnsuccessfullyDeletedLaunchTemplateVersions).toMatchObject([{ VersionNumber: 2 }]);
    const left = await ec2.send(new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName }));
    expect(left.LaunchTemplateVersions).toMatchObject([{ VersionNumber: 2, DefaultVersion: true }]);
  });

  it('are found by name and by tag, and are gone when deleted', async () => {
    const { ec2 } = fixture();
    const LaunchTemplateName = 'nodes';
    const TagSpecifications = [
      { ResourceType: 'launch-template' as const, Tags: [{ Key: 'k', Value: 'v' }] },
    ];
    await ec2.send(
      new CreateLaunchTemplateCommand({ LaunchTemplateName, LaunchTemplateData: data, TagSpecifications }),
    );
    const tagged = () =>
      ec2.send(new DescribeLaunchTemplatesCommand({ Filters: [{ Name: 'tag:k', Values: ['v'] }] }));
    expect((await tagged()).LaunchTemplates).toHaveLength(1);
    await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName }));
    expect((await tagged()).LaunchTemplates).toEqual([]);
    await expect(
      ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: [LaunchTemplateName] })),
    ).rejects.toMatchObject({ name: 'InvalidLaunchTemplateName.NotFoundException' });
    await expect(
      ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId: 'lt-1' })),
    ).rejects.toMatchObject({
      name: 'InvalidLaunchTemplateId.NotFound',
    });
  });

  it.each([
    ['an empty template', 'nodes', {}, 'MissingParameter'],
    ['a name of two letters', 'ab', data, 'InvalidLaunchTemplateName.MalformedException'],
    ['user data that is not base64', 'nodes', { UserData: '{}' }, 'InvalidUserData.Malformed'],
    [
      'user data over 16 KiB',
      'nodes',
      { UserData: Buffer.alloc(16_385).toString('base64') },
      'InvalidUserData.Malformed',
    ],
  ])('refuse %s', async (_, LaunchTemplateName, LaunchTemplateData, name) => {
    await expect(
      fixture().ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName, LaunchTemplateData })),
    ).rejects.toMatchObject({ name });
  });

  it('refuse a name that is taken, but not a repetition with the same token', async () => {
    const { ec2 } = fixture();
    const ask = { LaunchTemplateName: 'nodes', LaunchTemplateData: data };
    const first = await ec2.send(new CreateLaunchTemplateCommand({ ...ask, ClientToken: 't' }));
    const again = await ec2.send(new CreateLaunchTemplateCommand({ ...ask, ClientToken: 't' }));
    expect(again.LaunchTemplate).toEqual(first.LaunchTemplate);
    await expect(ec2.send(new CreateLaunchTemplateCommand(ask))).rejects.toMatchObject({
      name: 'InvalidLaunchTemplateName.AlreadyExistsException',
    });
  });
});

describe('instance profiles', () => {
  const InstanceProfileName = 'berth_profile';

  it('are created, given one role, tagged, listed by path, emptied and deleted', async () => {
    const { iam } = fixture();
    const create = new CreateInstanceProfileCommand({
      InstanceProfileName,
      Path: '/berth/',
      Tags: [{ Key: 'a', Value: 'b' }],
    });
    await iam.send(create);
    const role = { InstanceProfileName, RoleName: 'berth-node' };
    await iam.send(new AddRoleToInstanceProfileCommand(role));
    await expect(iam.send(new AddRoleToInstanceProfileCommand(role))).rejects.toMatchObject({
      name: 'LimitExceededException',
    });
    await iam.send(new TagInstanceProfileCommand({ InstanceProfileName, Tags: [{ Key: 'c', Value: 'd' }] }));
    const got = await iam.send(new GetInstanceProfileCommand({ InstanceProfileName }));
    expect(got.InstanceProfile).toMatchObject({
      Arn: `arn:aws:iam::000000000000:instance-profile/berth/${InstanceProfileName}`,
      Roles: [{ RoleName: 'berth-node' }],
      Tags: [
        { Key: 'a', Value: 'b' },
        { Key: 'c', Value: 'd' },
      ],
    });
    const listed = await iam.send(new ListInstanceProfilesCommand({ PathPrefix: '/berth/' }));
    expect(listed.InstanceProfiles).toHaveLength(1);
    await expect(iam.send(create)).rejects.toMatchObject({ name: 'EntityAlreadyExistsException' });
    await expect(iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName }))).rejects.toMatchObject({
      name: 'DeleteConflictException',
    });
    await iam.send(new RemoveRoleFromInstanceProfileCommand(role));
    await iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName }));
    await expect(iam.send(new GetInstanceProfileCommand({ InstanceProfileName }))).rejects.toMatchObject({
      name: 'NoSuchEntityException',
      $metadata: { httpStatusCode: 404 },
    });
  });

  it('take no role that does not exist', async () => {
    const { iam } = fixture();
    await expect(iam.send(new GetRoleCommand({ RoleName: 'other' }))).rejects.toMatchObject({
      name: 'NoSuchEntityException',
    });
    expect((await iam.send(new GetRoleCommand({ RoleName: 'berth-node' }))).Role?.RoleName).toBe(
      'berth-node',
    );
  });

  it('must exist and may have to be passed when an instance is launched with them', async () => {
    const on = await readyToLaunch();
    const image = on.aws.publishOwnImage({ name: 'with profile' });
    await on.ec2.send(
      new CreateLaunchTemplateVersionCommand({
        LaunchTemplateName: 'nodes',
        LaunchTemplateData: { ImageId: image.id, IamInstanceProfile: { Name: InstanceProfileName } },
      }),
    );
    const overrides = [{ InstanceType: 'm5.large' as const, SubnetId: on.subnets.get(ZONES[0]) }];
    const errors = async () => (await createFleet(on, overrides)).Errors?.map(({ ErrorCode }) => ErrorCode);
    expect(await errors()).toEqual(['InvalidParameterValue']);
    await on.iam.send(new CreateInstanceProfileCommand({ InstanceProfileName }));
    expect(await errors()).toEqual([]);
    on.aws.deny('iam:PassRole');
    expect(await errors()).toEqual(['UnauthorizedOperation']);
  });
});
