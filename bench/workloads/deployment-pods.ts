/** Deployments of twenty replicas, each with the constraints that one finds in clusters. */
import { HOSTNAME, ZONE } from '../../src/domain/values/labels.js';
import { Draw } from './draw.js';
import type { NeutralPod, Strings } from './workload.js';

export const REPLICAS = 20;
const MILLICORES = [100, 250, 500, 1000, 2000];
const MEBIBYTES = [256, 512, 1024, 2048, 4096, 8192];

/** 30 % free, 30 % spread over zones, 15 % over zones and hosts, 15 % apart on hosts, 5 % in one zone, 5 % in a given zone. */
export function deploymentPods(
  deployments: number,
  zones: readonly string[],
  seed: number,
): readonly NeutralPod[] {
  const draw = new Draw(seed);
  return Array.from({ length: deployments }, (_, index) => {
    const name = `d${String(index)}`;
    const [cpu, memory] = [draw.oneOf(MILLICORES), draw.oneOf(MEBIBYTES)];
    const labels = { app: name };
    const constraints = constraintsOf(draw, labels, zones);
    const requests = { cpu: `${String(cpu)}m`, memory: `${String(memory)}Mi` };
    return Array.from({ length: REPLICAS }, (_each, replica) => ({
      name: `${name}-${String(replica)}`,
      labels,
      requests,
      ...constraints,
    }));
  }).flat();
}

function constraintsOf(draw: Draw, labels: Strings, zones: readonly string[]): Partial<NeutralPod> {
  const chance = draw.number();
  const over = (topologyKey: string) => ({ maxSkew: 1, topologyKey, labels });
  if (chance < 0.3) return {};
  if (chance < 0.6) return { topologySpread: [over(ZONE)] };
  if (chance < 0.75) return { topologySpread: [over(ZONE), over(HOSTNAME)] };
  if (chance < 0.9) return { podAntiAffinity: [{ topologyKey: HOSTNAME, labels }] };
  if (chance < 0.95) return { podAffinity: [{ topologyKey: ZONE, labels }] };
  return { nodeSelector: { [ZONE]: draw.oneOf(zones) } };
}
