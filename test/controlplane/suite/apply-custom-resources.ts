/** Brings the definitions of Berth's own kinds into a control plane, with kubectl where there is one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Manifest } from '../fixture/api/api-client.js';
import type { ControlPlane } from '../fixture/control-plane.js';
import { eventually } from '../fixture/eventually.js';
import { CUSTOM_RESOURCE_DEFINITIONS, type Condition } from '../fixture/api/kube-object.js';
import { hasKubectl } from '../fixture/kubectl.js';

type NamedManifest = Manifest & { readonly metadata: { readonly name: string } };

const FOLDER = fileURLToPath(new URL('../../../manifests/crds', import.meta.url));

/** Applies them, and waits until the API server serves them. What kubectl printed is the answer, '' without it. */
export async function applyCustomResources(cluster: ControlPlane): Promise<string> {
  const manifests = readdirSync(FOLDER)
    .filter((file) => file !== 'kustomization.yaml')
    .map((file) => parse(readFileSync(join(FOLDER, file), 'utf8')) as NamedManifest);
  const printed = hasKubectl() ? await cluster.kubectl(['apply', '-k', FOLDER]) : '';
  for (const manifest of manifests) {
    if (!hasKubectl()) await cluster.api.apply(CUSTOM_RESOURCE_DEFINITIONS, manifest);
    const { name } = manifest.metadata;
    await eventually(`${name} to be established`, async () => {
      const { status } = await cluster.api.get(CUSTOM_RESOURCE_DEFINITIONS, { name });
      const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
      return conditions.some((condition) => condition.type === 'Established' && condition.status === 'True');
    });
  }
  return printed;
}
