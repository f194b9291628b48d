/** Three pools: GPUs behind a taint, arm64 on spot up to a limit, and anything else; pods that ask for one, or for either. */
import { ARCH, CAPACITY_TYPE, INSTANCE_PREFIX, ZONE } from '../../src/domain/values/labels.js';
import { Draw } from './draw.js';
import { GENERAL_PURPOSE, neutralPool, oneOf } from './pools.js';
import type { NeutralPod, NeutralPool } from './workload.js';

const GPU = 'nvidia.com/gpu';
const GPU_NAME = `${INSTANCE_PREFIX}gpu-name`;
const PINNED_GPUS = ['t4', 'a10g', 'l4'];
const GPU_COUNTS = [1, 1, 1, 1, 1, 1, 2, 4, 4, 8];
const MOST_PINNED = 4;
const MILLICORES = [100, 250, 500, 1000, 2000, 4000];
const MEBIBYTES = [256, 512, 1024, 2048, 4096, 8192, 16384];

/** @param gpuNames of all NVIDIA GPUs in the catalogue. */
export function multiplePools(gpuNames: readonly string[]): readonly NeutralPool[] {
  return [
    neutralPool({
      name: 'gpu',
      weight: 100,
      requirements: [oneOf(CAPACITY_TYPE, 'on-demand'), oneOf(GPU_NAME, ...gpuNames)],
      taints: [{ key: GPU, value: 'true', effect: 'NoSchedule' }],
      limits: { cpu: '20000' },
    }),
    neutralPool({
      name: 'arm-spot',
      weight: 50,
      requirements: [oneOf(CAPACITY_TYPE, 'spot'), oneOf(ARCH, 'arm64'), GENERAL_PURPOSE],
      limits: { cpu: '2000', memory: '8000Gi' },
    }),
    neutralPool({
      name: 'generic',
      weight: 10,
      requirements: [
        oneOf(CAPACITY_TYPE, 'spot', 'on-demand'),
        oneOf(ARCH, 'amd64', 'arm64'),
        GENERAL_PURPOSE,
      ],
    }),
  ];
}

/** 8 % want GPUs, 22 % arm64, 25 % either architecture, the rest amd64: some on demand only, some in a given zone. */
export function multiPoolPods(count: number, zones: readonly string[], seed: number): readonly NeutralPod[] {
  const draw = new Draw(seed);
  return Array.from({ length: count }, (_, index) => {
    const chance = draw.number();
    const [cpu, memory] = [draw.oneOf(MILLICORES), draw.oneOf(MEBIBYTES)];
    const labels = { app: `a${String(index % 100)}` };
    const common = { name: `p${String(index)}`, labels };
    if (chance < 0.08) return { ...common, ...gpuPod(draw) };
    const requests = { cpu: `${String(cpu)}m`, memory: `${String(memory)}Mi` };
    const where = placeOf(draw, chance, zones);
    // Who is bound to a zone cannot spread over them; the number is drawn all the same.
    const spreads = draw.number() < 0.3 && where.nodeSelector?.[ZONE] === undefined;
    const topologySpread = spreads ? [{ maxSkew: 1, topologyKey: ZONE, labels }] : undefined;
    return { ...common, requests, ...where, topologySpread };
  });
}

function gpuPod(draw: Draw): Omit<NeutralPod, 'name' | 'labels'> {
  const count = draw.oneOf(GPU_COUNTS);
  const requests = {
    cpu: `${String(3000 * count)}m`,
    memory: `${String(12 * count)}Gi`,
    [GPU]: String(count),
  };
  const pinned = draw.number() < 0.3 && count <= MOST_PINNED;
  return {
    requests,
    tolerations: [{ key: GPU, operator: 'Exists' }],
    nodeSelector: pinned ? { [GPU_NAME]: draw.oneOf(PINNED_GPUS) } : undefined,
  };
}

function placeOf(draw: Draw, chance: number, zones: readonly string[]): Partial<NeutralPod> {
  if (chance < 0.3) return { nodeSelector: { [ARCH]: 'arm64' } };
  if (chance < 0.55) return { nodeAffinity: [[oneOf(ARCH, 'arm64', 'amd64')]] };
  if (chance < 0.85) return { nodeSelector: { [ARCH]: 'amd64' } };
  if (chance < 0.93) return { nodeSelector: { [ARCH]: 'amd64', [CAPACITY_TYPE]: 'on-demand' } };
  return { nodeSelector: { [ARCH]: 'amd64', [ZONE]: draw.oneOf(zones) } };
}
