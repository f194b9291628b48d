/** The policies of the files that create an AWS account's side of Berth, as a user would fill them in. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { CLUSTER } from './node-life.js';

export interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface Policy {
  readonly Version: string;
  readonly Statement: readonly Statement[];
}

const REGION = 'eu-west-3';
const ACCOUNT = '000000000000';
const NODE_ROLE_ARN = `arn:aws:iam::${ACCOUNT}:role/berth-node`;
const QUEUE_ARN = `arn:aws:sqs:${REGION}:${ACCOUNT}:berth-demo`;

function projectFile(path: string): string {
  return readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8');
}

function filled(text: string, values: Readonly<Record<string, string>>): Policy {
  return JSON.parse(
    text.replaceAll(/\$\{([\w:.]+)\}/g, (whole, name: string) => values[name] ?? whole),
  ) as Policy;
}

/** docs/iam-policy.json, as docs/aws.md says to fill it in. */
export function writtenPolicy(): Policy {
  const values: Readonly<Record<string, string>> = {
    REGION,
    ACCOUNT,
    CLUSTER: CLUSTER.name,
    NODE_ROLE: 'berth-node',
    QUEUE: 'berth-demo',
  };
  const words = /\b(REGION|ACCOUNT|CLUSTER|NODE_ROLE|QUEUE)\b/g;
  return JSON.parse(
    projectFile('docs/iam-policy.json').replaceAll(words, (name) => values[name] ?? name),
  ) as Policy;
}

export interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> }>
  >;
}

export function cloudFormation(): Template {
  return parse(projectFile('manifests/aws/cloudformation.yaml')) as Template;
}

/** Policies of the controller in the CloudFormation template, by name. */
export function cloudFormationPolicies(): ReadonlyMap<string, Policy> {
  const values = {
    'AWS::Partition': 'aws',
    'AWS::Region': REGION,
    'AWS::AccountId': ACCOUNT,
    ClusterName: CLUSTER.name,
    'NodeRole.Arn': NODE_ROLE_ARN,
    'InterruptionQueue.Arn': QUEUE_ARN,
  };
  return new Map(
    Object.entries(cloudFormation().Resources)
      .filter(([, { Type }]) => Type === 'AWS::IAM::ManagedPolicy')
      .map(([name, { Properties }]) => {
        const { 'Fn::Sub': text } = Properties['PolicyDocument'] as { readonly 'Fn::Sub': string };
        return [name, filled(text, values)];
      }),
  );
}

/** Policies of the controller in the Terraform module, by file. */
export function terraformPolicies(): ReadonlyMap<string, Policy> {
  const folder = 'manifests/aws/terraform/policies/';
  const values = {
    partition: 'aws',
    region: REGION,
    account: ACCOUNT,
    cluster: CLUSTER.name,
    node_role_arn: NODE_ROLE_ARN,
    queue_arn: QUEUE_ARN,
  };
  const names = readdirSync(new URL(`../../../../../${folder}`, import.meta.url)).sort();
  return new Map(names.map((name) => [name, filled(projectFile(folder + name), values)]));
}

/** The module but for its policies: what is written by hand, and the generated values. */
export function terraformModule(): string {
  return ['main.tf', 'values.tf', 'variables.tf']
    .map((name) => projectFile(`manifests/aws/terraform/${name}`))
    .join('\n');
}

export function actionsOf({ Action }: Statement): readonly string[] {
  return typeof Action === 'string' ? [Action] : Action;
}
