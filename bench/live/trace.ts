/**
 * The trace that both systems live through, fixed before either was measured: a burst of mixed shapes, steady churn, a roll-out,
 * and a scale-down to 40 %.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient, Manifest } from '../../test/controlplane/fixture/api/api-client.js';
import { DEPLOYMENTS } from '../../test/controlplane/fixture/api/kube-object.js';
import { Draw } from '../workloads/draw.js';

/** One part of the trace: what is done, and how long the system has afterwards. */
export interface Step {
  readonly name: string;
  /** Resolves when everything has been asked for; the pods that are wanted then. */
  readonly act: (api: ApiClient) => Promise<number>;
  /** From when all wanted pods are bound until the step ends, in seconds. */
  readonly settleSeconds: number;
}

const SEED = 42;
const COUNT = 25;
const REPLICAS = 20;
const CPU = ['100m', '250m', '500m', '1', '2'];
const MEMORY = ['256Mi', '512Mi', '1Gi', '2Gi', '4Gi', '8Gi'];
const CHURN_TICKS = 30;
const CHURN_TICK_MILLIS = 2000;
const CHURN_REPLICAS = [14, REPLICAS, 26];
const ROLLED_OUT = 5;
const KEPT_SHARE = 0.4;

export function trace(): readonly Step[] {
  const names = Array.from({ length: COUNT }, (_, index) => `d${String(index).padStart(2, '0')}`);
  const replicas = new Map(names.map((name) => [name, REPLICAS]));
  const wanted = (): number => [...replicas.values()].reduce((sum, count) => sum + count, 0);
  const scale = async (api: ApiClient, name: string, count: number): Promise<void> => {
    replicas.set(name, count);
    await api.patch(DEPLOYMENTS, { name }, { type: 'merge', body: { spec: { replicas: count } } });
  };
  return [
    {
      name: 'burst',
      settleSeconds: 20,
      act: async (api) => {
        await Promise.all(deployments(names).map((manifest) => api.create(DEPLOYMENTS, manifest)));
        return wanted();
      },
    },
    {
      name: 'churn',
      settleSeconds: 30,
      act: async (api) => {
        const draw = new Draw(SEED + 1);
        for (let tick = 0; tick < CHURN_TICKS; tick++) {
          await scale(api, draw.oneOf(names), draw.oneOf(CHURN_REPLICAS));
          await sleep(CHURN_TICK_MILLIS);
        }
        return wanted();
      },
    },
    {
      name: 'roll-out',
      settleSeconds: 60,
      act: async (api) => {
        const annotations = { 'bench.berth.sh/revision': '2' };
        const body = { spec: { template: { metadata: { annotations } } } };
        for (const name of names.slice(0, ROLLED_OUT))
          await api.patch(DEPLOYMENTS, { name }, { type: 'merge', body });
        return wanted();
      },
    },
    {
      name: 'scale-to-40',
      settleSeconds: 180,
      act: async (api) => {
        for (const name of names) await scale(api, name, Math.round(REPLICAS * KEPT_SHARE));
        return wanted();
      },
    },
  ];
}

/** Three of five are free, one in five spreads over zones, and of the rest some prefer and some require hosts of their own. */
function deployments(names: readonly string[]): readonly Manifest[] {
  const draw = new Draw(SEED);
  return names.map((name, index) => {
    const labelSelector = { matchLabels: { app: name } };
    return {
      metadata: { name },
      spec: {
        replicas: REPLICAS,
        selector: labelSelector,
        template: {
          metadata: { labels: { app: name } },
          spec: {
            ...constraint(index, labelSelector),
            containers: [
              {
                name: 'main',
                image: 'none',
                resources: { requests: { cpu: draw.oneOf(CPU), memory: draw.oneOf(MEMORY) } },
              },
            ],
          },
        },
      },
    };
  });
}

function constraint(index: number, labelSelector: unknown): Readonly<Record<string, unknown>> {
  const spread = (topologyKey: string, whenUnsatisfiable: string): Readonly<Record<string, unknown>> => ({
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable, labelSelector }],
  });
  if (index < 15) return {};
  if (index < 20) return spread('topology.kubernetes.io/zone', 'DoNotSchedule');
  if (index < 23) return spread('kubernetes.io/hostname', 'ScheduleAnyway');
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector };
  return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}
