/** The instance types that workloads are planned over: a catalog file's, or the embedded ones in one region. */
import { readFileSync } from 'node:fs';
import { catalogueFor, readCatalogueFile } from '../../src/clouds/aws/catalogue/index.js';
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';
import { INSTANCE_PREFIX } from '../../src/domain/values/labels.js';

const REGION = 'us-east-1';
const NVIDIA = 'nvidia.com/gpu';

/** @throws Error when the file is not a catalog. */
export function instanceTypes(catalogFile: string | undefined): readonly InstanceType[] {
  if (catalogFile === undefined) return catalogueFor(REGION).instanceTypes;
  const { catalogue, issues } = readCatalogueFile(JSON.parse(readFileSync(catalogFile, 'utf8')));
  if (catalogue === undefined)
    throw new Error(`${catalogFile}: ${issues.map(({ message }) => message).join('; ')}`);
  return catalogue.instanceTypes;
}

/** Zones of all offerings, sorted. */
export function zonesOf(types: readonly InstanceType[]): readonly string[] {
  return [...new Set(types.flatMap(({ offerings }) => offerings.map(({ zone }) => zone)))].sort();
}

/** Names of all NVIDIA GPUs, sorted. */
export function gpuNamesOf(types: readonly InstanceType[]): readonly string[] {
  const names = types.flatMap(({ allocatable, labels }) =>
    allocatable.has(NVIDIA) ? [labels.get(`${INSTANCE_PREFIX}gpu-name`) ?? ''] : [],
  );
  return [...new Set(names)].filter((name) => name !== '').sort();
}
