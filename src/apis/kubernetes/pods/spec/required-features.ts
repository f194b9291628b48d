/** Node features that a pod's spec asks for: what kube-scheduler 1.36 infers (KEP-5328, NodeDeclaredFeatures). */
import { elements, flag, member, type Field } from '../../object/field.js';

const RESTART_ALL_CONTAINERS = 'RestartAllContainersOnContainerExits';
const USER_NAMESPACES_ON_HOST_NETWORK = 'UserNamespacesHostNetworkSupport';

/** Names as nodes declare them in status.declaredFeatures, sorted. */
export function readRequiredFeatures(spec: Field): readonly string[] {
  const containers = [...elements(member(spec, 'containers')), ...elements(member(spec, 'initContainers'))];
  const features: string[] = [];
  if (containers.some(restartsAllContainers)) features.push(RESTART_ALL_CONTAINERS);
  if (member(spec, 'hostUsers').value === false && flag(member(spec, 'hostNetwork')))
    features.push(USER_NAMESPACES_ON_HOST_NETWORK);
  return features;
}

function restartsAllContainers(container: Field): boolean {
  return elements(member(container, 'restartPolicyRules')).some(
    (rule) => member(rule, 'action').value === 'RestartAllContainers',
  );
}
