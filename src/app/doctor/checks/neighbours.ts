/** Whether another component of the cluster launches nodes for the same pods. */
import type { Plain } from '../../../apis/decode/plain.js';
import { ok, warning } from '../../../domain/records/check-finding.js';
import { check, type DoctorCheck, type Subject } from '../doctor-check.js';
import { fields, nameOf, number, text } from '../subject/object-fields.js';

/** Deployments whose name, label or image has the word, and that are not scaled to zero. */
async function deploymentsLike({ objects }: Subject, word: string): Promise<readonly string[]> {
  const isMeant = (deployment: Plain): boolean => {
    const images = fields(deployment, 'spec', 'template', 'spec', 'containers').map((each) =>
      text(each, 'image'),
    );
    const label = text(deployment, 'metadata', 'labels', 'app.kubernetes.io/name');
    const isNamed = [nameOf(deployment), label].some((name) => name.endsWith(word));
    return isNamed || images.some((image) => image.includes(`/${word}`));
  };
  const found = (await objects.list('deployments')).filter(isMeant);
  return found
    .filter((deployment) => (number(deployment, 'spec', 'replicas') ?? 1) > 0)
    .map((deployment) => `${text(deployment, 'metadata', 'namespace')}/${nameOf(deployment)}`);
}

const karpenter = check('karpenter', async (subject) => {
  const names = await deploymentsLike(subject, 'karpenter');
  if (names.length === 0) return [ok('Karpenter does not run')];
  return [
    warning(
      `Karpenter runs (${names.join(', ')}): both launch nodes for the same pending pods`,
      'Give each its pods: scale Karpenter to 0, or set limits of its NodePools to 0 for the pods that Berth plans',
    ),
  ];
});

const clusterAutoscaler = check('cluster-autoscaler', async (subject) => {
  const names = await deploymentsLike(subject, 'cluster-autoscaler');
  if (names.length === 0) return [ok('Cluster Autoscaler does not run')];
  return [
    warning(
      `Cluster Autoscaler runs (${names.join(', ')}): it scales node groups for the same pending pods`,
      'Scale it to 0, or remove the node groups from its discovery',
    ),
  ];
});

/** Served by clusters with EKS Auto Mode only. */
const AUTO_MODE = 'nodeclasses.eks.amazonaws.com';

const autoMode = check('auto-mode', async ({ objects }) => {
  const found = await objects.find('customresourcedefinitions', AUTO_MODE);
  if (found === undefined) return [ok('EKS Auto Mode is off')];
  return [
    warning(
      'EKS Auto Mode is on: its NodePools launch nodes for the same pending pods',
      "Disable its NodePools (compute-config nodePools=[]), or keep them to pods that Berth's NodePools do not take",
    ),
  ];
});

export const NEIGHBOUR_CHECKS: readonly DoctorCheck[] = [karpenter, clusterAutoscaler, autoMode];
