/** `berth doctor` and `berth uninstall` as users run them, on a real control plane with the chart installed. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deployment, nodeClass, nodePool } from '../../scenario/objects.js';
import { Scenario } from '../../scenario/scenario.js';
import { BerthCluster, NAMESPACE } from '../berth/berth-cluster.js';
import { RealWorld } from '../berth/real-world.js';
import { EXTENDER_ENTRY, schedulerConfiguration, shippedConfiguration } from '../berth/scheduler.js';
import { eventually } from '../fixture/eventually.js';

const BUNDLE = join(import.meta.dirname, '../../../dist/berth.js');

interface Outcome {
  readonly check: string;
  readonly result: string;
  readonly evidence: string;
  readonly mend: string;
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe.each(['--drain', '--keep-nodes'])('Berth that is then uninstalled with %s', (way) => {
  let berth: BerthCluster;
  let scenario: Scenario;
  let schedulerFile: string;

  beforeAll(async () => {
    berth = await BerthCluster.start({ level: 'L2', chart: { values: { 'scheduler.mode': 'cluster' } } });
    scenario = new Scenario(new RealWorld(berth));
    await scenario.given(nodeClass(), nodePool());
    await scenario.whenApplied(deployment({ name: 'web', replicas: 4 }));
    await scenario.expectScheduled({ app: 'web', pods: 4 });
    const shipped = await shippedConfiguration(berth.cluster, { namespace: NAMESPACE, name: EXTENDER_ENTRY });
    schedulerFile = join(berth.cluster.folder, 'kube-scheduler.yaml');
    writeFileSync(
      schedulerFile,
      schedulerConfiguration(berth.extenderUrl, await berth.certificates(), shipped),
    );
  }, 300_000);

  afterAll(async () => {
    await berth.stop();
  });

  function program(...args: readonly string[]): Promise<Ran> {
    return run(...args, '--kubeconfig', berth.cluster.kubeconfig());
  }

  function run(...args: readonly string[]): Promise<Ran> {
    const argv = [BUNDLE, ...args];
    return new Promise((resolve) => {
      execFile('node', argv, { timeout: 120_000 }, (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? 1);
        resolve({ code, stdout, stderr });
      });
    });
  }

  /** What is not well, by check. */
  async function findings(
    file = schedulerFile,
    kubeconfig = berth.cluster.kubeconfig(),
  ): Promise<Readonly<Record<string, Outcome>>> {
    const { stdout } = await run(
      'doctor',
      '-o',
      'json',
      '--scheduler-config',
      file,
      '--kubeconfig',
      kubeconfig,
    );
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly Outcome[] };
    const found: Record<string, Outcome> = {};
    for (const each of checks.filter(({ result }) => result !== 'ok')) {
      const evidence = [...(found[each.check] ? [found[each.check]?.evidence] : []), each.evidence].join(
        '; ',
      );
      found[each.check] = { ...each, evidence };
    }
    return found;
  }

  /** Of a host that is busy for a moment, doctor says that calls to the webhook are slow. */
  function untilNothingIsFound(): Promise<unknown> {
    const look = async (): Promise<boolean> => {
      expect(await findings()).toEqual({});
      return true;
    };
    return eventually('nothing is found', look, { timeoutMillis: 30_000 });
  }

  function kubectl(...args: readonly string[]): Promise<string> {
    return berth.cluster.kubectl(args);
  }

  if (way === '--drain')
    test('doctor finds nothing in a healthy cluster, and each planted fault', async () => {
      await untilNothingIsFound();

      const original = await kubectl('get', 'clusterrole', 'berth-controller', '-o', 'json');
      await kubectl('delete', 'clusterrole', 'berth-controller');
      const webhook = ['validatingwebhookconfigurations', 'berth-validate-policies', '--type', 'json'];
      const policy = '/webhooks/0/failurePolicy';
      await kubectl(
        'patch',
        ...webhook,
        '-p',
        JSON.stringify([{ op: 'replace', path: policy, value: 'Fail' }]),
      );
      await kubectl(
        'create',
        'deployment',
        'cluster-autoscaler',
        '--image=registry.k8s.io/cluster-autoscaler',
      );
      const open = join(berth.cluster.folder, 'open-scheduler.yaml');
      writeFileSync(open, schedulerConfiguration(berth.extenderUrl, {}));
      const found = await findings(open);
      expect(found['rights-of-controller']?.evidence).toContain('may not list namespaces');
      expect(found['webhook-configurations']?.evidence).toContain('failurePolicy Fail');
      expect(found['cluster-autoscaler']?.evidence).toContain('default/cluster-autoscaler');
      expect(found['scheduler-configuration']?.evidence).toContain('caData is missing');

      await kubectl('delete', 'deployment', 'cluster-autoscaler');
      await kubectl(
        'patch',
        ...webhook,
        '-p',
        JSON.stringify([{ op: 'replace', path: policy, value: 'Ignore' }]),
      );
      const { metadata, ...role } = JSON.parse(original) as { readonly metadata: object };
      const restored = { ...role, metadata: { ...metadata, resourceVersion: undefined, uid: undefined } };
      await berth.cluster.kubectl(['create', '-f', '-'], { input: JSON.stringify(restored) });
      await untilNothingIsFound();
    });

  test("with the rights of Berth's extender, doctor skips what it may not see, and says so", async () => {
    const account = { namespace: NAMESPACE, name: 'berth-extender' };
    const kubeconfig = await berth.cluster.serviceAccountKubeconfig(account);
    const found = await findings(schedulerFile, kubeconfig);
    expect(found['controller']).toMatchObject({ result: 'skipped' });
    expect(found['controller']?.evidence).toContain('cannot get resource "deployments"');
    expect(found['rights-of-controller']).toMatchObject({ result: 'skipped' });
  });

  if (way === '--drain')
    test('uninstall asks first, then drains and terminates all nodes', async () => {
      expect((await program('uninstall', way)).stderr).toContain('confirm with --yes');
      expect(await kubectl('get', 'nodeclaims.berth.sh', '-o', 'name')).not.toBe('');
      expect(await program('uninstall', way, '--yes')).toMatchObject({ code: 0, stderr: '' });
      expect(await kubectl('get', 'nodeclaims.berth.sh', '-o', 'name')).toBe('');
      expect(await finalizers()).toBe('');
      expect(berth.instances.instances().filter(({ state }) => state === 'running')).toEqual([]);
    }, 180_000);
  else {
    test('uninstall leaves the nodes with their pods, without Berth', async () => {
      const pods = await runningPods();
      expect(await program('uninstall', way, '--yes')).toMatchObject({ code: 0, stderr: '' });
      expect(await kubectl('get', 'nodeclaims.berth.sh', '-o', 'name')).toBe('');
      expect(await finalizers()).toBe('');
      expect(await runningPods()).toBe(pods);
      expect(berth.instances.instances().filter(({ state }) => state === 'running')).not.toEqual([]);
    }, 180_000);

    test('doctor finds out that no replica leads, and that the extender is gone', async () => {
      await berth.berth.kill();
      await eventually('the Lease is stale', async () => (await findings())['leader']?.result === 'failed', {
        timeoutMillis: 60_000,
      });
      const found = await findings();
      expect(found['extender-call']?.evidence).toContain('ECONNREFUSED');
      expect(found['webhook-configurations']?.evidence).toContain('does not exist');
    }, 120_000);
  }

  function finalizers(): Promise<string> {
    return kubectl('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.finalizers}');
  }

  function runningPods(): Promise<string> {
    return kubectl('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].metadata.uid}');
  }
});
