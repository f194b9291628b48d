/** The instance types of live facts: few, with prices that follow from their size. */
import { writeFileSync } from 'node:fs';

/** 2, 4 and 8 vCPU: twice the size costs twice as much, and spot three fifths. */
export const SMALL = 'live.2x';
export const MEDIUM = 'live.4x';
export const LARGE = 'live.8x';

export const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const;
const USD_PER_CPU = 0.05;
const SPOT_SHARE = 0.6;

/** Writes them as a file that Karpenter's KWOK provider and Berth both read. */
export function writeInstanceTypes(path: string): void {
  const types = [SMALL, MEDIUM, LARGE].map((name, index) => {
    const cpus = 2 ** (index + 1);
    const offerings = ZONES.flatMap((zone) =>
      (['on-demand', 'spot'] as const).map((capacityType) => ({
        Price: cpus * USD_PER_CPU * (capacityType === 'spot' ? SPOT_SHARE : 1),
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
