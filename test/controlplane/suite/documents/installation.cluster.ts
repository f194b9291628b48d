/**
 * The documented statements about the installation, run in their order: charts/berth is installed as each page says, upgraded and removed
 * again. Its Deployments have pods on nodes of stand-in kubelets, where no program runs.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitForKinds } from '../../berth/overlay.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { StandInKubelet } from '../../kubelet/stand-in-kubelet.js';
import { expectToRun, ReaderShell } from './reader-shell.js';
import { shownKustomization } from './shown-manifests.js';
import { chapter } from './statements.js';

const isInstallation = ([text]: readonly [string, ...unknown[]]): boolean => text.startsWith('helm install');
const installations = chapter('installing').filter(isInstallation);
/** The reader's own folder, beside the checkout. */
const OVERLAY = '../mine';

describe('the installation as documented', () => {
  let cluster: ControlPlane;
  let kubelet: StandInKubelet;
  let shell: ReaderShell;

  beforeAll(async () => {
    cluster = await startControlPlane();
    kubelet = new StandInKubelet({ api: cluster.api, kubeletVersion: cluster.version, podBehaviour });
    for (const zone of ['a', 'b'])
      kubelet.addNode({
        name: `system-${zone}`,
        labels: { 'topology.kubernetes.io/zone': `eu-west-3${zone}` },
      });
    shell = new ReaderShell(cluster, [[/FOLDER/, OVERLAY]]);
    writeFileSync(join(shell.folder, 'url'), 'https://hooks.example.com/berth');
    const overlay = join(shell.folder, OVERLAY);
    mkdirSync(overlay);
    writeFileSync(join(overlay, 'kustomization.yaml'), shownKustomization());
    await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(GATED) });
  }, 120_000);

  afterAll(async () => {
    await kubelet.stop();
    await cluster.stop();
  });

  // The one that README.md begins with is last, and the statements below are about it.
  test.each([...installations].reverse())('%s (%s)', async (statement) => {
    await shell.run('helm uninstall berth --namespace berth-system --ignore-not-found');
    await expectToRun(shell, statement);
  });

  test.each(chapter('installing').filter((row) => !isInstallation(row)))('%s (%s)', async (statement) => {
    await expectToRun(shell, statement);
  });

  test('a pod whose gate Berth did not remove has none any more', async () => {
    const path = 'jsonpath={.items[*].spec.schedulingGates}';
    expect(await cluster.kubectl(['get', 'pods', '-o', path])).toBe('');
  });

  test.each([...chapter('leaving'), ...chapter('withoutHelm')])('%s (%s)', async (statement) => {
    // A Berth that ran would have read them. The API server prepares the storage of kinds when they are read first, and while it does,
    // it may forget a definition that is being deleted for five minutes.
    if (statement.startsWith('kubectl delete crd')) await waitForKinds(cluster);
    await expectToRun(shell, statement);
  });
});

/** What `helm test` waits for ends at once. */
function podBehaviour({ metadata: { name } }: { readonly metadata: { readonly name: string } }): object {
  return name.includes('test') ? { runMillis: 1 } : {};
}

const GATED = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'gated', namespace: 'default' },
  spec: {
    schedulingGates: [{ name: 'berth.sh/planned' }],
    containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }],
  },
};
