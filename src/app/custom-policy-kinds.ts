/** Custom resources of Karpenter and EKS Auto Mode that are policies: what Berth reads them as, and where the API server has them. */
import type { CustomPolicyKind } from '../adapters/kube/feed/custom-policies.js';
import { asWritten } from '../apis/conversion/as-written.js';
import { policyKinds } from '../apis/conversion/policy-kinds.js';

/** The newest version of each, and those of other products. Berth's own kinds are no custom resources. */
export function customPolicyKinds(): readonly CustomPolicyKind[] {
  return policyKinds()
    .filter(
      ({ apiVersion, becomes, product }) =>
        (becomes === undefined || product !== undefined) && !apiVersion.startsWith('berth.sh/'),
    )
    .map(({ apiVersion, kind }) => ({
      apiVersion,
      plural: pluralOf(kind),
      read: (object) => asWritten({ apiVersion, kind }, object),
    }));
}

/** As Kubernetes' code generators make it: ec2nodeclasses, nodepools. */
function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  return name.endsWith('s') ? `${name}es` : `${name}s`;
}
