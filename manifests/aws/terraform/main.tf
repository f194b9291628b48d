data "aws_caller_identity" "current" {}
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

  policies = toset(concat(local.controller_policies, var.volume_key_arn == "" ? [] : [local.key_policy]))
}

data "aws_iam_policy_document" "pod_identity_trust" {
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
      identifiers = ["arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:oidc-provider/${var.oidc_provider}"]
    }
    condition {
      test     = "StringEquals"
      variable = "${var.oidc_provider}:aud"
      values   = ["sts.amazonaws.com"]
    }
    condition {
      test     = "StringEquals"
      variable = "${var.oidc_provider}:sub"
      values   = ["system:serviceaccount:${var.namespace}:${var.service_account}"]
    }
  }
}

resource "aws_iam_role" "controller" {
  name               = local.controller_role
  assume_role_policy = local.uses_pod_identity ? data.aws_iam_policy_document.pod_identity_trust.json : data.aws_iam_policy_document.oidc_trust.json
  tags               = var.tags
}

resource "aws_iam_policy" "controller" {
  for_each = local.policies

  name   = "Berth-${each.key}-${var.cluster_name}"
  policy = templatefile("${path.module}/policies/${each.key}.json.tftpl", local.policy_values)
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

data "aws_iam_policy_document" "node_trust" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["ec2.${data.aws_partition.current.dns_suffix}"]
    }
  }
}

resource "aws_iam_role" "node" {
  name               = local.node_role
  assume_role_policy = data.aws_iam_policy_document.node_trust.json
  tags               = var.tags
}

resource "aws_iam_role_policy_attachment" "node" {
  for_each = toset(local.node_policies)

  role       = aws_iam_role.node.name
  policy_arn = "arn:${data.aws_partition.current.partition}:iam::aws:policy/${each.key}"
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

resource "aws_sqs_queue" "interruption" {
  name                      = local.queue
  message_retention_seconds = local.queue_retention_seconds
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

  name          = "berth-${replace(each.key, "_", "-")}-${substr(md5(var.cluster_name), 0, 8)}"
  description   = "${each.value.detail_type}: for Berth in the cluster ${var.cluster_name}"
  event_pattern = jsonencode({ source = [each.value.source], "detail-type" = [each.value.detail_type] })
  tags          = var.tags
}

resource "aws_cloudwatch_event_target" "interruption" {
  for_each = local.event_rules

  rule = aws_cloudwatch_event_rule.interruption[each.key].name
  arn  = aws_sqs_queue.interruption.arn
}
