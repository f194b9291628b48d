output "controller_role_arn" {
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
