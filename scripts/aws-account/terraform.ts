/** The account of a cluster with Berth as a Terraform module: its policies as templates, the rest as HCL. */
import { controllerPolicies, keyPolicy, policyDocument, type AccountNames } from './permissions.js';
import {
  EVENT_RULES,
  LONGEST_CLUSTER_NAME,
  NODE_POLICIES,
  QUEUE_RETENTION_SECONDS,
  resourceNames,
} from './surroundings.js';

/** As `templatefile` reads them. */
const NAMES: AccountNames = {
  partition: '${partition}',
  region: '${region}',
  account: '${account}',
  cluster: '${cluster}',
  nodeRoleArn: '${node_role_arn}',
  queueArn: '${queue_arn}',
};

/** A file of the module, by its name. */
export function terraformFiles(): ReadonlyMap<string, string> {
  const key = keyPolicy('${key_arn}');
  const policies = [...controllerPolicies(NAMES), key].map(
    ({ name, statements }) =>
      [
        `policies/${snake(name)}.json.tftpl`,
        `${JSON.stringify(policyDocument(statements), undefined, 2)}\n`,
      ] as const,
  );
  return new Map([
    ['versions.tf', VERSIONS],
    ['variables.tf', VARIABLES],
    ['main.tf', [LOCALS, CONTROLLER, NODES, INTERRUPTIONS].join('\n')],
    ['outputs.tf', OUTPUTS],
    ...policies,
  ]);
}

function snake(name: string): string {
  return name.replaceAll(/\B[A-Z]/g, '_$&').toLowerCase();
}

const names = resourceNames('${var.cluster_name}');
const listed = (items: readonly string[], indent: string): string =>
  items.map((item) => `${indent}"${item}",`).join('\n');

const VERSIONS = `terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.70"
    }
  }
}
`;

const VARIABLES = `variable "cluster_name" {
  description = "Name of the EKS cluster"
  type        = string

  validation {
    condition     = can(regex("^[0-9A-Za-z][A-Za-z0-9_-]*$", var.cluster_name)) && length(var.cluster_name) <= ${String(LONGEST_CLUSTER_NAME)}
    error_message = "cluster_name must be the name of an EKS cluster with at most ${String(LONGEST_CLUSTER_NAME)} characters."
  }
}

variable "namespace" {
  description = "Namespace of the controller"
  type        = string
  default     = "berth-system"
}

variable "service_account" {
  description = "Service account of the controller"
  type        = string
  default     = "berth-controller"
}

variable "oidc_provider" {
  description = "For a role of the service account (IRSA): the OIDC provider of the cluster, without https://. Empty: EKS Pod Identity"
  type        = string
  default     = ""
}

variable "create_access_entry" {
  description = "Let the nodes join by an access entry. false for clusters with the authentication mode CONFIG_MAP"
  type        = bool
  default     = true
}

variable "volume_key_arn" {
  description = "ARN of a KMS key of your own that encrypts the disks of nodes, or nothing"
  type        = string
  default     = ""
}

variable "tags" {
  description = "Tags of every resource"
  type        = map(string)
  default     = {}
}
`;

const LOCALS = `data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  uses_pod_identity = var.oidc_provider == ""

  policy_values = {
    partition     = data.aws_partition.current.partition
    region        = data.aws_region.current.name
    account       = data.aws_caller_identity.current.account_id
    cluster       = var.cluster_name
    node_role_arn = aws_iam_role.node.arn
    queue_arn     = aws_sqs_queue.interruption.arn
    key_arn       = var.volume_key_arn
  }

  policies = toset(concat(
    [
${listed(
  controllerPolicies(NAMES).map(({ name }) => snake(name)),
  '      ',
)}
    ],
    var.volume_key_arn == "" ? [] : ["${snake(keyPolicy('').name)}"],
  ))

  event_rules = {
${EVENT_RULES.map(
  ({ name, source, detailType }) =>
    `    ${snake(name).padEnd(longestRule())} = { source = "${source}", detail_type = "${detailType}" }`,
).join('\n')}
  }
}
`;

function longestRule(): number {
  return Math.max(...EVENT_RULES.map(({ name }) => snake(name).length));
}

const CONTROLLER = `data "aws_iam_policy_document" "pod_identity_trust" {
  statement {
    actions = ["sts:AssumeRole", "sts:TagSession"]
    principals {
      type        = "Service"
      identifiers = ["pods.eks.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "oidc_trust" {
  statement {
    actions = ["sts:AssumeRoleWithWebIdentity"]
    principals {
      type        = "Federated"
      identifiers = ["arn:\${data.aws_partition.current.partition}:iam::\${data.aws_caller_identity.current.account_id}:oidc-provider/\${var.oidc_provider}"]
    }
    condition {
      test     = "StringEquals"
      variable = "\${var.oidc_provider}:aud"
      values   = ["sts.amazonaws.com"]
    }
    condition {
      test     = "StringEquals"
      variable = "\${var.oidc_provider}:sub"
      values   = ["system:serviceaccount:\${var.namespace}:\${var.service_account}"]
    }
  }
}

resource "aws_iam_role" "controller" {
  name               = "${names.controllerRole}"
  assume_role_policy = local.uses_pod_identity ? data.aws_iam_policy_document.pod_identity_trust.json : data.aws_iam_policy_document.oidc_trust.json
  tags               = var.tags
}

resource "aws_iam_policy" "controller" {
  for_each = local.policies

  name   = "Berth-\${each.key}-\${var.cluster_name}"
  policy = templatefile("\${path.module}/policies/\${each.key}.json.tftpl", local.policy_values)
  tags   = var.tags
}

resource "aws_iam_role_policy_attachment" "controller" {
  for_each = local.policies

  role       = aws_iam_role.controller.name
  policy_arn = aws_iam_policy.controller[each.key].arn
}

resource "aws_eks_pod_identity_association" "controller" {
  count = local.uses_pod_identity ? 1 : 0

  cluster_name    = var.cluster_name
  namespace       = var.namespace
  service_account = var.service_account
  role_arn        = aws_iam_role.controller.arn
  tags            = var.tags
}
`;

const NODES = `data "aws_iam_policy_document" "node_trust" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["ec2.\${data.aws_partition.current.dns_suffix}"]
    }
  }
}

resource "aws_iam_role" "node" {
  name               = "${names.nodeRole}"
  assume_role_policy = data.aws_iam_policy_document.node_trust.json
  tags               = var.tags
}

resource "aws_iam_role_policy_attachment" "node" {
  for_each = toset([
${listed(NODE_POLICIES, '    ')}
  ])

  role       = aws_iam_role.node.name
  policy_arn = "arn:\${data.aws_partition.current.partition}:iam::aws:policy/\${each.key}"
}

resource "aws_iam_instance_profile" "node" {
  name = aws_iam_role.node.name
  role = aws_iam_role.node.name
  tags = var.tags
}

resource "aws_eks_access_entry" "node" {
  count = var.create_access_entry ? 1 : 0

  cluster_name  = var.cluster_name
  principal_arn = aws_iam_role.node.arn
  type          = "EC2_LINUX"
  tags          = var.tags
}
`;

const INTERRUPTIONS = `resource "aws_sqs_queue" "interruption" {
  name                      = "${names.queue}"
  message_retention_seconds = ${String(QUEUE_RETENTION_SECONDS)}
  sqs_managed_sse_enabled   = true
  tags                      = var.tags
}

data "aws_iam_policy_document" "queue" {
  statement {
    sid       = "EventsOfTheRules"
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.interruption.arn]
    principals {
      type        = "Service"
      identifiers = ["events.amazonaws.com"]
    }
    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = [for rule in aws_cloudwatch_event_rule.interruption : rule.arn]
    }
  }
  statement {
    sid       = "OnlyEncrypted"
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [aws_sqs_queue.interruption.arn]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

resource "aws_sqs_queue_policy" "interruption" {
  queue_url = aws_sqs_queue.interruption.id
  policy    = data.aws_iam_policy_document.queue.json
}

resource "aws_cloudwatch_event_rule" "interruption" {
  for_each = local.event_rules

  name          = "berth-\${replace(each.key, "_", "-")}-\${substr(md5(var.cluster_name), 0, 8)}"
  description   = "\${each.value.detail_type}: for Berth in the cluster \${var.cluster_name}"
  event_pattern = jsonencode({ source = [each.value.source], "detail-type" = [each.value.detail_type] })
  tags          = var.tags
}

resource "aws_cloudwatch_event_target" "interruption" {
  for_each = local.event_rules

  rule = aws_cloudwatch_event_rule.interruption[each.key].name
  arn  = aws_sqs_queue.interruption.arn
}
`;

const OUTPUTS = `output "controller_role_arn" {
  description = "For the annotation eks.amazonaws.com/role-arn of the service account; not needed with EKS Pod Identity"
  value       = aws_iam_role.controller.arn
}

output "node_role_name" {
  description = "For spec.role of the EC2NodeClass"
  value       = aws_iam_role.node.name
}

output "node_role_arn" {
  description = "For the ConfigMap aws-auth of clusters with the authentication mode CONFIG_MAP"
  value       = aws_iam_role.node.arn
}

output "node_instance_profile_name" {
  description = "For spec.instanceProfile of the EC2NodeClass where Berth cannot reach IAM"
  value       = aws_iam_instance_profile.node.name
}

output "interruption_queue_name" {
  description = "For --interruption-queue"
  value       = aws_sqs_queue.interruption.name
}
`;
