/** The instance types of live facts: few, with prices that follow from their size. */
import { writeFileSync } from 'node:fs';

/** 2, 4 and 8 vCPU: twice the size costs twice as much. */
export const SMALL = 'live.2x';
export const MEDIUM = 'live.4x';
export const LARGE = 'live.8x';
/** 4 vCPU for less than two small nodes, and more than one. */
export const BULK = 'bulk.4x';

const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const;
/** USD/h on demand. */
const PRICES = [
  { name: SMALL, cpus: 2, price: 0.1 },
  { name: MEDIUM, cpus: 4, price: 0.2 },
  { name: LARGE, cpus: 8, price: 0.4 },
  { name: BULK, cpus: 4, price: 0.15 },
];
const SPOT_SHARE = 0.6;

/** Writes them as a file that Karpenter's KWOK provider and Berth both read. */
export function writeInstanceTypes(path: string): void {
  const types = PRICES.map(({ name, cpus, price }) => {
    const offerings = ZONES.flatMap((zone) =>
      (['on-demand', 'spot'] as const).map((capacityType) => ({
        Price: price * (capacityType === 'spot' ? SPOT_SHARE : 1),
        Available: true,
        Requirements: [
          one('topology.kubernetes.io/zone', zone),
          one('karpenter.sh/capacity-type', capacityType),
        ],
      })),
    );
    return {
      name,
      architecture: 'amd64',
      operatingSystems: ['linux'],
      resources: { cpu: String(cpus), memory: `${String(cpus * 4)}Gi`, pods: '110' },
      offerings,
    };
  });
  writeFileSync(path, JSON.stringify(types));
}

function one(key: string, value: string): unknown {
  return { key, operator: 'In', values: [value] };
}
