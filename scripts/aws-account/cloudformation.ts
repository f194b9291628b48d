/** The account of a cluster with Berth as a CloudFormation template. */
import { controllerPolicies, keyPolicy, policyDocument, type AccountNames } from './permissions.js';
import {
  EVENT_RULES,
  LONGEST_CLUSTER_NAME,
  NODE_POLICIES,
  QUEUE_RETENTION_SECONDS,
  resourceNames,
} from './surroundings.js';

type Json = Readonly<Record<string, unknown>>;

/** As `Fn::Sub` reads them. */
const NAMES: AccountNames = {
  partition: '${AWS::Partition}',
  region: '${AWS::Region}',
  account: '${AWS::AccountId}',
  cluster: '${ClusterName}',
  nodeRoleArn: '${NodeRole.Arn}',
  queueArn: '${InterruptionQueue.Arn}',
};

const { controllerRole, nodeRole, queue } = resourceNames('${ClusterName}');

/** Keys of conditions hold the cluster's name, and intrinsic functions work in values only: so the document is one text. */
const asText = (document: Json): Json => sub(JSON.stringify(document, undefined, 2));
const sub = (text: string): Json => ({ 'Fn::Sub': text });
const arnOf = (resource: string): Json => ({ 'Fn::GetAtt': [resource, 'Arn'] });
const ref = (name: string): Json => ({ Ref: name });

export function cloudFormationTemplate(): Json {
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: 'Roles, queue and event rules of Berth for one EKS cluster',
    Parameters: PARAMETERS,
    Conditions: {
      UsesPodIdentity: { 'Fn::Equals': [ref('OidcProvider'), ''] },
      HasVolumeKey: { 'Fn::Not': [{ 'Fn::Equals': [ref('VolumeKeyArn'), ''] }] },
      CreatesAccessEntry: { 'Fn::Equals': [ref('CreateAccessEntry'), 'true'] },
    },
    Resources: { ...controller(), ...nodes(), ...interruptions() },
    Outputs: OUTPUTS,
  };
}

const PARAMETERS: Json = {
  ClusterName: {
    Type: 'String',
    Description: 'Name of the EKS cluster',
    MinLength: 1,
    MaxLength: LONGEST_CLUSTER_NAME,
    AllowedPattern: '^[0-9A-Za-z][A-Za-z0-9_-]*$',
  },
  Namespace: { Type: 'String', Description: 'Namespace of the controller', Default: 'berth-system' },
  ServiceAccount: {
    Type: 'String',
    Description: 'Service account of the controller',
    Default: 'berth-controller',
  },
  OidcProvider: {
    Type: 'String',
    Description:
      'For a role of the service account (IRSA): the OIDC provider of the cluster, without https://. Empty: EKS Pod Identity',
    Default: '',
  },
  CreateAccessEntry: {
    Type: 'String',
    Description:
      'Let the nodes join by an access entry. false for clusters with the authentication mode CONFIG_MAP',
    AllowedValues: ['true', 'false'],
    Default: 'true',
  },
  VolumeKeyArn: {
    Type: 'String',
    Description: 'ARN of a KMS key of your own that encrypts the disks of nodes, or nothing',
    Default: '',
  },
};

function controller(): Json {
  const policies = controllerPolicies(NAMES).map(({ name, about, statements }): [string, Json] => [
    `${name}Policy`,
    {
      Type: 'AWS::IAM::ManagedPolicy',
      Properties: {
        Description: `Berth may ${about}`,
        Roles: [ref('ControllerRole')],
        PolicyDocument: asText(policyDocument(statements)),
      },
    },
  ]);
  const key = keyPolicy('${VolumeKeyArn}');
  return {
    ControllerRole: {
      Type: 'AWS::IAM::Role',
      Properties: {
        RoleName: sub(controllerRole),
        AssumeRolePolicyDocument: {
          'Fn::If': ['UsesPodIdentity', POD_IDENTITY_TRUST, asText(OIDC_TRUST)],
        },
      },
    },
    PodIdentity: {
      Type: 'AWS::EKS::PodIdentityAssociation',
      Condition: 'UsesPodIdentity',
      Properties: {
        ClusterName: ref('ClusterName'),
        Namespace: ref('Namespace'),
        ServiceAccount: ref('ServiceAccount'),
        RoleArn: arnOf('ControllerRole'),
      },
    },
    ...Object.fromEntries(policies),
    [`${key.name}Policy`]: {
      Type: 'AWS::IAM::ManagedPolicy',
      Condition: 'HasVolumeKey',
      Properties: {
        Description: `Berth may ${key.about}`,
        Roles: [ref('ControllerRole')],
        PolicyDocument: asText(policyDocument(key.statements)),
      },
    },
  };
}

const POD_IDENTITY_TRUST: Json = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { Service: 'pods.eks.amazonaws.com' },
      Action: ['sts:AssumeRole', 'sts:TagSession'],
    },
  ],
};

const OIDC_TRUST: Json = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { Federated: 'arn:${AWS::Partition}:iam::${AWS::AccountId}:oidc-provider/${OidcProvider}' },
      Action: 'sts:AssumeRoleWithWebIdentity',
      Condition: {
        StringEquals: {
          '${OidcProvider}:aud': 'sts.amazonaws.com',
          '${OidcProvider}:sub': 'system:serviceaccount:${Namespace}:${ServiceAccount}',
        },
      },
    },
  ],
};

function nodes(): Json {
  return {
    NodeRole: {
      Type: 'AWS::IAM::Role',
      Properties: {
        RoleName: sub(nodeRole),
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Principal: { Service: sub('ec2.${AWS::URLSuffix}') },
              Action: 'sts:AssumeRole',
            },
          ],
        },
        ManagedPolicyArns: NODE_POLICIES.map((name) => sub(`arn:\${AWS::Partition}:iam::aws:policy/${name}`)),
      },
    },
    NodeInstanceProfile: {
      Type: 'AWS::IAM::InstanceProfile',
      Properties: { InstanceProfileName: sub(nodeRole), Roles: [ref('NodeRole')] },
    },
    NodeAccessEntry: {
      Type: 'AWS::EKS::AccessEntry',
      Condition: 'CreatesAccessEntry',
      Properties: { ClusterName: ref('ClusterName'), PrincipalArn: arnOf('NodeRole'), Type: 'EC2_LINUX' },
    },
  };
}

function interruptions(): Json {
  const rules = EVENT_RULES.map(({ name, source, detailType }): [string, Json] => [
    `${name}Rule`,
    {
      Type: 'AWS::Events::Rule',
      Properties: {
        Description: sub(`${detailType}: for Berth in the cluster \${ClusterName}`),
        EventPattern: { source: [source], 'detail-type': [detailType] },
        Targets: [{ Id: 'InterruptionQueue', Arn: arnOf('InterruptionQueue') }],
      },
    },
  ]);
  return {
    InterruptionQueue: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        QueueName: sub(queue),
        MessageRetentionPeriod: QUEUE_RETENTION_SECONDS,
        SqsManagedSseEnabled: true,
      },
    },
    InterruptionQueuePolicy: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: {
        Queues: [ref('InterruptionQueue')],
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Sid: 'EventsOfTheRules',
              Effect: 'Allow',
              Principal: { Service: 'events.amazonaws.com' },
              Action: 'sqs:SendMessage',
              Resource: arnOf('InterruptionQueue'),
              Condition: {
                ArnEquals: { 'aws:SourceArn': EVENT_RULES.map(({ name }) => arnOf(`${name}Rule`)) },
              },
            },
            {
              Sid: 'OnlyEncrypted',
              Effect: 'Deny',
              Principal: '*',
              Action: 'sqs:*',
              Resource: arnOf('InterruptionQueue'),
              Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            },
          ],
        },
      },
    },
    ...Object.fromEntries(rules),
  };
}

const OUTPUTS: Json = {
  ControllerRoleArn: {
    Description:
      'For the annotation eks.amazonaws.com/role-arn of the service account; not needed with EKS Pod Identity',
    Value: arnOf('ControllerRole'),
  },
  NodeRoleName: { Description: 'For spec.role of the EC2NodeClass', Value: ref('NodeRole') },
  NodeInstanceProfileName: {
    Description: 'For spec.instanceProfile of the EC2NodeClass where Berth cannot reach IAM',
    Value: ref('NodeInstanceProfile'),
  },
  NodeRoleArn: {
    Description: 'For the ConfigMap aws-auth of clusters with the authentication mode CONFIG_MAP',
    Value: arnOf('NodeRole'),
  },
  InterruptionQueueName: {
    Description: 'For --interruption-queue',
    Value: { 'Fn::GetAtt': ['InterruptionQueue', 'QueueName'] },
  },
};
