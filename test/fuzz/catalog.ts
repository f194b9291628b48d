/** The instance types of the fuzz: few, so that every choice can be tried, and of different shapes and prices. */
import { readCatalogueFile, type Catalogue } from '../../src/clouds/aws/catalogue/index.js';

export const REGION = 'us-west-2';
export const ZONES = ['us-west-2a', 'us-west-2b', 'us-west-2c'] as const;

/** Name, arch, vCPUs, GiB, pods per node, USD/h on demand, GPUs. */
const TYPES: readonly (readonly [string, string, number, number, number, number, number])[] = [
  ['t3.small', 'amd64', 2, 2, 8, 0.021, 0],
  ['c6i.large', 'amd64', 2, 4, 29, 0.085, 0],
  ['m6i.large', 'amd64', 2, 8, 29, 0.096, 0],
  ['r6i.large', 'amd64', 2, 16, 29, 0.126, 0],
  ['c6i.xlarge', 'amd64', 4, 8, 58, 0.17, 0],
  ['m6i.xlarge', 'amd64', 4, 16, 58, 0.192, 0],
  ['m6i.2xlarge', 'amd64', 8, 32, 58, 0.384, 0],
  ['c7g.large', 'arm64', 2, 4, 29, 0.0725, 0],
  ['m7g.large', 'arm64', 2, 8, 29, 0.0816, 0],
  ['m7g.xlarge', 'arm64', 4, 16, 58, 0.1632, 0],
  ['c7g.2xlarge', 'arm64', 8, 16, 58, 0.29, 0],
  ['g5.xlarge', 'amd64', 4, 16, 58, 1.006, 1],
];

/** Prices differ a little by zone, spot costs about a third; not everything is offered everywhere. */
function offerings(index: number, price: number): readonly object[] {
  return ZONES.flatMap((zone, at) => {
    if ((index + at) % 7 === 6) return [];
    const spot = Number((price * (0.3 + 0.03 * ((index + 2 * at) % 4))).toFixed(4));
    return [
      { zone, capacityType: 'on-demand', price },
      { zone, capacityType: 'spot', price: spot },
    ];
  });
}

/** As `berth plan --catalog` reads it. */
export function catalogFile(): object {
  return {
    region: REGION,
    instanceTypes: TYPES.map(([name, arch, vcpu, gib, maxPods, price, gpus], index) => ({
      name,
      arch,
      vcpu,
      memoryMiB: gib * 1024,
      maxPods,
      allocatable: {
        cpu: `${String(vcpu * 1000 - 80)}m`,
        memory: `${String(Math.floor(gib * 1024 * 0.9))}Mi`,
        pods: String(maxPods),
        'ephemeral-storage': '17Gi',
        ...(gpus > 0 ? { 'nvidia.com/gpu': String(gpus) } : {}),
      },
      ...(gpus > 0 ? { gpu: { name: 'a10g', manufacturer: 'nvidia', count: gpus, memoryMiB: 24_576 } } : {}),
      offerings: offerings(index, price),
    })),
  };
}

/** @throws Error when the catalog file is invalid. */
export function catalogue(): Catalogue {
  const { catalogue: read, issues } = readCatalogueFile(catalogFile());
  if (read === undefined) throw new Error(issues.map(({ message }) => message).join('; '));
  return read;
}
