/** How Berth writes to the cluster. */
export { kubeWriter } from './kube-writer.js';
