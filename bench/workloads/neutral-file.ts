/** The file that other solvers read: a workload with the instance types it is planned over. */
import { writeFileSync } from 'node:fs';
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';
import { INSTANCE_PREFIX } from '../../src/domain/values/labels.js';
import { CPU, MEMORY, PODS } from '../../src/domain/values/resources.js';
import type { PosedQuestion } from './question.js';

const MEBIBYTE = 2 ** 20;
const NVIDIA = 'nvidia.com/gpu';

export function writeNeutralFile(file: string, { workload, types }: PosedQuestion): void {
  writeFileSync(file, JSON.stringify({ ...workload, instanceTypes: types.map(neutralType) }));
}

/** Memory in MiB, CPU of the capacity in whole vCPUs, of the allocatable in millicores. */
function neutralType({ name, arch, capacity, allocatable, labels, offerings }: InstanceType) {
  return {
    name,
    arch,
    cpu: (capacity.get(CPU) ?? 0) / 1000,
    memoryMiB: (capacity.get(MEMORY) ?? 0) / MEBIBYTE,
    pods: allocatable.get(PODS) ?? 0,
    gpu: allocatable.get(NVIDIA) ?? 0,
    allocatable: {
      cpuMilli: allocatable.get(CPU) ?? 0,
      memoryMiB: (allocatable.get(MEMORY) ?? 0) / MEBIBYTE,
    },
    offerings: offerings
      .filter(({ available }) => available)
      .map(({ zone, capacityType, price }) => ({ zone, capacityType, price })),
    labels: Object.fromEntries([...labels].filter(([key]) => key.startsWith(INSTANCE_PREFIX))),
  };
}
