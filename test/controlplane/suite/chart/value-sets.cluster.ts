/** Every object that charts/berth renders, from each set of values, is one that the API server takes. */
import { rendered, valueSets, type ChartObject } from '../../../chart/helm.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { addToInstallReport } from './install-report.js';

const NAMESPACE = 'berth-system';
/** Of Prometheus' operator, whose definitions are not here. */
const FOREIGN = 'monitoring.coreos.com/v1';
/** Its pods share the host's network and have a sidecar of the user's, which the pod security standard forbids. */
const UNRESTRICTED = 'karpenter-gitops.yaml';

interface Workload extends ChartObject {
  readonly spec: { readonly template: { readonly spec: object } };
}

describe('charts/berth', () => {
  let cluster: ControlPlane;
  let valid = 0;

  beforeAll(async () => {
    // A cluster of both families of addresses, since one set asks for IPv6.
    const addresses = '--service-cluster-ip-range=10.0.0.0/24,fd00:10::/112';
    cluster = await startControlPlane({ controllers: [], flags: { 'kube-apiserver': [addresses] } });
    const metadata = { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
    await apply([{ apiVersion: 'v1', kind: 'Namespace', metadata }], []);
    // Without its ServiceAccount a pod is refused for that alone.
    const accounts = ['berth-controller', 'berth-scheduler', 'karpenter', 'default'];
    await apply(accounts.map(accountOf), []);
  }, 120_000);

  afterAll(async () => {
    await cluster.stop();
    addToInstallReport({ valueSets: valueSets.length, valid });
  });

  async function apply(objects: readonly object[], flags: readonly string[]): Promise<void> {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    await cluster.kubectl(['apply', ...flags, '-f', '-'], { input });
  }

  test.each(valueSets)('renders objects that the API server takes, down to their pods: %s', async (set) => {
    const objects = await rendered({ set }, cluster.version);
    const own = objects.filter(({ apiVersion }) => apiVersion !== FOREIGN);
    const pods = set === UNRESTRICTED ? [] : podsOf(own);
    for (const judged of [own, pods].filter(({ length }) => length > 0))
      await expect(apply(judged, ['--dry-run=server', '--validate=strict'])).resolves.toBeUndefined();
    valid += 1;
  });
});

function accountOf(name: string): object {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: NAMESPACE } };
}

/** One pod of each Deployment, and the one that `helm test` runs. */
function podsOf(objects: readonly ChartObject[]): readonly object[] {
  const deployments = objects.filter((object): object is Workload => object.kind === 'Deployment');
  const pods = deployments.map(({ metadata, spec }) => ({
    ...spec.template,
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: metadata.name, namespace: NAMESPACE },
  }));
  return [...pods, ...objects.filter(({ kind }) => kind === 'Pod')];
}
