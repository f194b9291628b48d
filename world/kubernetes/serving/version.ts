/** The version of Kubernetes that is simulated: the server's and the kubelets'. */

export const KUBERNETES_VERSION = 'v1.36.3';
