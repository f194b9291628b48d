/**
 * What the Terraform module has from the same source as the CloudFormation template: the controller's policies as templates, and
 * names and lists as local values. The rest of the module is written by hand, in manifests/aws/terraform.
 */
import { controllerPolicies, keyPolicy, policyDocument, type AccountNames } from './permissions.js';
import { EVENT_RULES, NODE_POLICIES, QUEUE_RETENTION_SECONDS, resourceNames } from './surroundings.js';

/** As `templatefile` reads them. */
const NAMES: AccountNames = {
  partition: '${partition}',
  region: '${region}',
  account: '${account}',
  cluster: '${cluster}',
  nodeRoleArn: '${node_role_arn}',
  queueArn: '${queue_arn}',
};

/** A generated file of the module, by its name. */
export function terraformFiles(): ReadonlyMap<string, string> {
  const policies = [...controllerPolicies(NAMES), KEY_POLICY].map(
    ({ name, statements }) =>
      [
        `policies/${snake(name)}.json.tftpl`,
        `${JSON.stringify(policyDocument(statements), undefined, 2)}\n`,
      ] as const,
  );
  return new Map([['values.tf', values()], ...policies]);
}

const KEY_POLICY = keyPolicy('${key_arn}');

function values(): string {
  const { controllerRole, nodeRole, queue } = resourceNames('${var.cluster_name}');
  const longest = Math.max(...EVENT_RULES.map(({ name }) => snake(name).length));
  const rules = EVENT_RULES.map(
    ({ name, source, detailType }) =>
      `    ${snake(name).padEnd(longest)} = { source = "${source}", detail_type = "${detailType}" }`,
  );
  return `locals {
  controller_role         = "${controllerRole}"
  node_role               = "${nodeRole}"
  queue                   = "${queue}"
  queue_retention_seconds = ${String(QUEUE_RETENTION_SECONDS)}
  key_policy              = "${snake(KEY_POLICY.name)}"

  controller_policies = [
${listed(controllerPolicies(NAMES).map(({ name }) => snake(name)))}
  ]

  node_policies = [
${listed(NODE_POLICIES)}
  ]

  event_rules = {
${rules.join('\n')}
  }
}
`;
}

function listed(items: readonly string[]): string {
  return items.map((item) => `    "${item}",`).join('\n');
}

function snake(name: string): string {
  return name.replaceAll(/\B[A-Z]/g, '_$&').toLowerCase();
}
