/** Every file about the AWS account that `make generate` writes. */
import { cloudFormationTemplate } from './cloudformation.js';
import { controllerPolicies, keyPolicy, policyDocument } from './permissions.js';
import { EVENT_RULES, VPC_ENDPOINTS } from './surroundings.js';
import { terraformFiles } from './terraform.js';

/** With words in capitals for whoever fills it in by hand. */
const POLICIES = controllerPolicies({
  partition: 'aws',
  region: 'REGION',
  account: 'ACCOUNT',
  cluster: 'CLUSTER',
  nodeRoleArn: 'arn:aws:iam::ACCOUNT:role/NODE_ROLE',
  queueArn: 'arn:aws:sqs:REGION:ACCOUNT:QUEUE',
});

/** The controller's policies in one document. */
export const IAM_POLICY = policyDocument(POLICIES.flatMap(({ statements }) => statements));

export const CLOUD_FORMATION = cloudFormationTemplate();

/** Files of the Terraform module, by name. */
export const TERRAFORM = terraformFiles();

export const ACCOUNT_PAGE = `# AWS account

<!-- Written by \`make generate\`: do not change it by hand. -->

What Berth may do in an account, and what else a cluster needs there. [cloudformation.yaml](../../manifests/aws/cloudformation.yaml) and the
[Terraform module](../../manifests/aws/terraform) create all of it; [AWS](../aws.md#the-account) says how.

## Permissions of the controller

Each is an IAM action, with the conditions that it is allowed under. [operations.ts](../../src/clouds/aws/adapter/client/operations.ts) lists the
calls in the code, and a test compares the two.

${table(
  ['Policy', 'Statement', 'Actions', 'Condition'],
  [...POLICIES, keyPolicy('KEY')].flatMap(({ name, about, statements }) =>
    statements.map(({ Sid, Action, Condition = {} }, index) => [
      index === 0 ? `**${name}**: ${about}` : '',
      Sid,
      [Action].flat().map(code).join(', '),
      Object.entries(Condition)
        .flatMap(([operator, keys]) =>
          Object.entries(keys).map(
            ([key, values]) => `${operator}: ${code(key)} = ${[values].flat().map(code).join(', ')}`,
          ),
        )
        .join('; '),
    ]),
  ),
)}

${code('VolumeKey')} is only needed for disks with a KMS key of your own.

## Event rules

The interruption queue receives these events of Amazon EventBridge.

${table(
  ['Rule', 'Source', 'Event'],
  EVENT_RULES.map(({ name, source, detailType }) => [name, code(source), detailType]),
)}

## VPC endpoints

A cluster without a way to the Internet needs these endpoints.

${table(
  ['Service', 'Type', 'For'],
  VPC_ENDPOINTS.map(([service, type, use]) => [code(`com.amazonaws.REGION.${service}`), type, use]),
)}

IAM and the price list have no endpoint in every region: set ${code('spec.instanceProfile')} in the EC2NodeClass instead of ${code('spec.role')}, and
start the controller with ${code('--isolated-vpc=yes')} (${code('settings.isolatedVPC: true')} of the chart), which uses built-in prices.
`;

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
