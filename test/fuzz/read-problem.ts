/** Manifests as planning's input, read as `berth plan` reads them. */
import { clusterInput, demandOf } from '../../src/app/input/cluster-input.js';
import { readManifests } from '../../src/app/input/read-manifests.js';
import type { Catalogue } from '../../src/clouds/aws/catalogue/index.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import type { Json } from './random-workload.js';

/** @throws Error when a document is refused. */
export function readProblem(documents: readonly Json[], catalogue: Catalogue): ClusterInput {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: documents });
  const manifests = readManifests([{ source: 'problem.json', text }]);
  const errors = manifests.issues.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
  return clusterInput(manifests, demandOf(manifests.cluster.pods).pods, catalogue);
}
