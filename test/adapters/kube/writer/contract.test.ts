/** The KubeWriter over HTTP, against the simulated API server with Berth's CustomResourceDefinitions. */
import { staticConnection } from '../../../support/static-connection.js';
import { KubeClient } from '../../../../src/adapters/kube/transport/index.js';
import { kubeWriter } from '../../../../src/adapters/kube/writer/kube-writer.js';
import { decodeObservedNode } from '../../../../src/apis/kubernetes/nodes/observed-node.js';
import { PLAN_GATE } from '../../../../src/domain/pods/gate.js';
import { decodeObservedPod } from '../../../../src/apis/kubernetes/pods/observed-pod.js';
import { systemClock } from '../../../../src/runtime/time/system-clock.js';
import { serveWire, type ServedWire } from '../../../../world/wire/serve-wire.js';
import { WRITER_LAWS } from '../../../contract/kube-writer.js';
import { installDefinitions } from '../../../world/kubernetes/definitions.js';
import { pod as podManifest, Simulated } from '../../../world/kubernetes/simulated.js';

let simulated: Simulated;
let served: ServedWire;
let client: KubeClient;

beforeEach(async () => {
  simulated = new Simulated();
  await installDefinitions(simulated.api);
  served = await serveWire(simulated.api.handle);
  const connection = staticConnection({ server: served.url });
  const limits = { qps: 100_000, burst: 100_000 };
  client = new KubeClient({ connection, clock: systemClock, userAgent: 'berth/test', ...limits });
});

afterEach(async () => {
  client.close();
  await served.close();
});

/** What a decoder read. @throws Error when that was nothing. */
function read<T>({ value }: { readonly value: T | undefined }): T {
  if (value === undefined) throw new Error('the object cannot be read');
  return value;
}

test.each(WRITER_LAWS)('kubeWriter $behaviour', async ({ expectOf }) => {
  const { api } = simulated;
  const kube = kubeWriter({ client, namespace: 'berth-system', reportingInstance: 'berth-0' });
  await expectOf({
    kube,
    addNode: async (name) => {
      const taints = [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }];
      const metadata = { name, labels: { old: 'yes' } };
      return read(decodeObservedNode(await api.create('nodes', { metadata, spec: { taints } })));
    },
    addPod: async (name) => read(decodeObservedPod(await api.create('pods', podManifest(name)))),
    addGatedPod: async (name) => {
      const gated = podManifest(name, { spec: { schedulingGates: [{ name: PLAN_GATE }] } });
      return read(decodeObservedPod(await api.create('pods', gated)));
    },
    bind: async ({ namespace, name }, nodeName) => {
      await api.bind({ namespace, name }, nodeName);
      const running = (object: object) => ({ ...object, status: { phase: 'Running' } });
      await api.change('pods', { namespace, name }, running as never, { subresource: 'status' });
    },
    protect: (_pod, isProtected) => {
      api.guardEvictions(() => (isProtected ? { message: 'Cannot evict pod' } : undefined));
    },
  });
});
