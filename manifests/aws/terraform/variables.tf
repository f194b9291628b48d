variable "cluster_name" {
  description = "Name of the EKS cluster"
  type        = string

  validation {
    condition     = can(regex("^[0-9A-Za-z][A-Za-z0-9_-]*$", var.cluster_name)) && length(var.cluster_name) <= 48
    error_message = "cluster_name must be the name of an EKS cluster with at most 48 characters."
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
