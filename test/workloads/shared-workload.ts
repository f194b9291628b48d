/** Reads a workload as its generator wrote it: manifests and a catalog file, through the same code as `berth plan`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demandOf, poolOffers } from '../../src/app/input/cluster-input.js';
import { readManifests } from '../../src/app/input/read-manifests.js';
import { readCatalogueFile } from '../../src/clouds/aws/catalogue/index.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';

/** @throws Error when anything in the files is not as it should be. */
export function readSharedWorkload(folder: string, name: string): ClusterInput {
  const file = `${name}.manifests.json`;
  const manifests = readManifests([{ source: file, text: readFileSync(join(folder, file), 'utf8') }]);
  const { catalogue, issues } = readCatalogueFile(
    JSON.parse(readFileSync(join(folder, 'catalog.json'), 'utf8')),
  );
  const errors = [...manifests.issues, ...issues].filter(({ severity }) => severity === 'error');
  if (catalogue === undefined || errors.length > 0)
    throw new Error(`${name}: ${errors.map(({ message }) => message).join('; ')}`);
  const { policies, cluster } = manifests;
  const pools = policies.nodePools.map(({ pool }) => pool);
  const { nodeClasses } = policies;
  const { pods } = demandOf(cluster.pods);
  return { ...cluster, pods, pools: poolOffers(pools, nodeClasses, catalogue) };
}
