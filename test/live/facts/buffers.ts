/** Capacity buffers, live: nodes that are launched and kept for pods that do not exist yet. */
import { namespaced, type Condition, type KubeObject } from '../../controlplane/fixture/api/kube-object.js';
import type { LiveFact } from '../live-fact.js';
import { SMALL } from '../stage/instance-types.js';
import { podTemplate } from '../stage/pods.js';
import { FACT, PLACE } from '../stage/pool.js';
import type { Stage } from '../stage/stage.js';

interface Buffer extends KubeObject {
  readonly status?: { readonly replicas?: number; readonly conditions?: readonly Condition[] };
}
const BUFFERS = namespaced<Buffer>('autoscaling.x-k8s.io/v1beta1', 'CapacityBuffer');
const POD_TEMPLATES = namespaced('v1', 'PodTemplate');

/** Nearly all of a node. */
const FULL = '1500m';

async function template(stage: Stage, nodeSelector: Readonly<Record<string, string>> = {}): Promise<void> {
  const spec = { nodeSelector: { [FACT]: stage.key, ...nodeSelector } };
  const metadata = { name: stage.key };
  await stage.make(POD_TEMPLATES, {
    metadata,
    template: podTemplate(stage.key, stage.key, { cpu: FULL, spec }),
  });
}

async function buffer(
  stage: Stage,
  spec: Readonly<Record<string, unknown>>,
  name = stage.key,
): Promise<void> {
  await stage.make(BUFFERS, { metadata: { name }, spec });
}

/** Status of a condition of a buffer. */
async function statusOf(stage: Stage, type: string, name = stage.key): Promise<string | undefined> {
  const { status } = await stage.cluster.api.get(BUFFERS, { name });
  return status?.conditions?.find((condition) => condition.type === type)?.status;
}

const FACTS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'launches nodes for its pods, and says that they fit once the nodes are there',
    play: async (stage) => {
      await stage.pool();
      await template(stage);
      await buffer(stage, { podTemplateRef: { name: stage.key }, replicas: 2 });
      await stage.launched(2);
      const fits = await stage.until(async () => (await statusOf(stage, 'Provisioning')) === 'True', 60);
      return { ...stage.seen(), fits };
    },
    seen: { gone: [], stayed: [], launched: [SMALL, SMALL], fits: true },
  },
  {
    fact: 'is for a share of the replicas of its workload, rounded up',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a']);
      const workload = await stage.pods('a', { count: 3, cpu: '500m' });
      const scalableRef = { apiGroup: 'apps', kind: 'ReplicaSet', name: workload };
      await buffer(stage, { scalableRef, percentage: 34 });
      await stage.launched(1);
      const { status } = await stage.cluster.api.get(BUFFERS, { name: stage.key });
      return { ...stage.seen(), pods: status?.replicas };
    },
    seen: { gone: [], stayed: ['a'], launched: [SMALL], pods: 2 },
  },
  {
    fact: 'is not ready, and nothing is launched for it, while there is no such PodTemplate',
    play: async (stage) => {
      await stage.pool();
      await buffer(stage, { podTemplateRef: { name: stage.key }, replicas: 1 });
      const known = await stage.until(
        async () => (await statusOf(stage, 'ReadyForProvisioning')) !== undefined,
        60,
      );
      await stage.seconds(10);
      const before = {
        known,
        ready: await statusOf(stage, 'ReadyForProvisioning'),
        nodes: stage.live().length,
      };
      await template(stage);
      await stage.launched(1);
      return { before, ready: await statusOf(stage, 'ReadyForProvisioning'), nodes: stage.live().length };
    },
    seen: { before: { known: true, ready: 'False', nodes: 0 }, ready: 'True', nodes: 1 },
  },
  {
    fact: 'keeps an empty node that has its room',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a', 'b']);
      await template(stage, { [PLACE]: 'a' });
      await buffer(stage, { podTemplateRef: { name: stage.key }, replicas: 1 });
      await stage.until(async () => (await statusOf(stage, 'Provisioning')) === 'True', 60);
      await stage.open();
      await stage.gone('b');
      return stage.seen();
    },
    seen: { gone: ['b'], stayed: ['a'], launched: [] },
  },
];

export const BUFFER_FACTS: readonly LiveFact[] = FACTS.map((fact) => ({ suite: 'Capacity buffer', ...fact }));
