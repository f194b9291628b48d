/** `berth adopt` and `berth release` at the command line: what is asked, printed, and answered as exit code. */
import type { PauseChange } from '../../../src/app/change-pause.js';
import { adoptCommand, releaseCommand } from '../../../src/app/cli/commands/handover.js';
import { runCli } from '../../../src/app/cli/run-cli.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { HandoverWorld } from '../handover/handover-world.js';
import { fakeIo } from '../support/fake-io.js';
import { loaded } from '../support/loaded.js';

const DEPLOYMENTS = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' };
const LEASES = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases' };
const CLOUD = ['--cloud', 'aws', '--cluster-name', 'demo'];
const ADOPT = ['adopt', '--from', 'karpenter', ...CLOUD];
const RELEASE = ['release', '--to', 'karpenter', ...CLOUD];

class Desk {
  readonly world = new HandoverWorld();
  readonly clock = new VirtualClock();
  readonly pauses: PauseChange[] = [];
  #paused: string | undefined;

  constructor(...nodes: readonly string[]) {
    for (const name of nodes) this.world.addKarpenterNode(name);
  }

  async berth(argv: readonly string[]) {
    const io = fakeIo({ env: { USER: 'ana' } });
    const means = {
      open: () =>
        Promise.resolve({
          context: this.world.context,
          clock: this.clock,
          pauseOf: () =>
            Promise.resolve(
              this.#paused === undefined ? undefined : { reason: this.#paused, by: 'ana', since: undefined },
            ),
          close: () => undefined,
        }),
      pause: (change: PauseChange) => {
        this.pauses.push(change);
        this.#paused = change.reason;
        return Promise.resolve(
          change.reason === undefined ? undefined : { reason: change.reason, by: 'ana', since: undefined },
        );
      },
    };
    const commands = [loaded('adopt', adoptCommand(means)), loaded('release', releaseCommand(means))];
    const state = { code: -1 };
    const done = runCli({ commands, version: '0' }, argv, io).then((code) => {
      state.code = code;
    });
    for (let look = 0; look < 200 && state.code < 0; look++) await this.clock.advance(1000);
    await done;
    return { code: state.code, ...io.written() };
  }

  /** As its chart installs it. */
  startKarpenter(replicas: number): void {
    const metadata = { name: 'karpenter', namespace: 'kube-system' };
    this.world.objects.put(DEPLOYMENTS, { metadata, spec: { replicas }, status: {} });
  }

  /** Its replica's Lease, renewed now. */
  holdLease(): void {
    const renewTime = new Date(this.clock.now()).toISOString();
    const spec = { holderIdentity: 'karpenter-1', leaseDurationSeconds: 15, renewTime };
    const metadata = { name: 'karpenter-leader-election', namespace: 'kube-system' };
    this.world.objects.put(LEASES, { metadata, spec });
  }

  async replicas(): Promise<unknown> {
    return (await this.world.objects.get(DEPLOYMENTS, 'karpenter'))?.spec?.['replicas'];
  }
}

test('adopts all nodes, and says which', async () => {
  const desk = new Desk('general-1', 'general-2');
  const answer = await desk.berth(ADOPT);
  expect(answer.code).toBe(0);
  expect(answer.stdout).toBe('adopted 2 nodes\n');
  expect(answer.stderr).toContain('[1/2] adopted node ip-i-general-1, NodeClaim general-1, i-general-1\n');
});

test('a dry run prints the steps of each node', async () => {
  const answer = await new Desk('general-1').berth([...ADOPT, '--dry-run']);
  expect(answer.code).toBe(0);
  expect(answer.stdout).toMatch(
    /^node ip-i-general-1, NodeClaim general-1, i-general-1:\n  1\. create the NodeClaim of Berth/,
  );
  expect(answer.stdout).toContain('  8. remove the annotation berth.sh/handover');
  expect(answer.stdout).toContain('would adopt 1 node\n');
});

test('JSON has each node with its outcome; one that is refused makes exit code 3', async () => {
  const desk = new Desk('general-1');
  desk.world.pools = [];
  const answer = await desk.berth([...ADOPT, '-o', 'json']);
  expect(answer.code).toBe(3);
  expect(JSON.parse(answer.stdout)).toMatchObject({
    command: 'adopt',
    dryRun: false,
    summary: { done: 0, refused: 1 },
    nodes: [{ nodeClaim: 'general-1', outcome: 'refused', message: 'find NodePool general: there is none' }],
  });
});

test.each([
  [['adopt', ...CLOUD], '--from is required'],
  [['adopt', '--from', 'nodegroup', 'ip-1', ...CLOUD], 'needs one --nodepool'],
  [['adopt', '--from', 'nodegroup', '--nodepool', 'a', ...CLOUD], 'needs the names of Nodes'],
  [['release', ...CLOUD], '--to is required'],
  [[...ADOPT, '--timeout', 'soon'], '--timeout soon: expected whole seconds'],
])('%j is refused', async (argv, message) => {
  const answer = await new Desk().berth(argv);
  expect(answer).toMatchObject({ code: 2, stdout: '' });
  expect(answer.stderr).toContain(message);
});

describe('while Karpenter runs', () => {
  test('nothing is changed, and it is said how to stop it', async () => {
    const desk = new Desk('general-1');
    desk.startKarpenter(2);
    const answer = await desk.berth(ADOPT);
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toContain('Deployment kube-system/karpenter has 2 replicas');
    expect(answer.stderr).toContain('kubectl -n kube-system scale deployment karpenter --replicas=0');
    expect((await desk.world.states())[0]?.berth.claim).toBeUndefined();
  });

  test('--stop-other stops it, waits for its Lease, and a release starts it with as many replicas', async () => {
    const desk = new Desk('general-1');
    desk.startKarpenter(2);
    desk.holdLease();
    const adopted = await desk.berth([...ADOPT, '--stop-other']);
    expect(adopted.code).toBe(0);
    expect(adopted.stderr).toContain('scaled Deployment kube-system/karpenter from 2 replicas to 0\n');
    expect(adopted.stderr).toContain('Lease kube-system/karpenter-leader-election is held by karpenter-1');
    expect(await desk.replicas()).toBe(0);
    const released = await desk.berth(RELEASE);
    expect(released.code).toBe(0);
    expect(released.stderr).toContain('started Deployment kube-system/karpenter with 2 replicas\n');
    expect(await desk.replicas()).toBe(2);
  });

  test('that does not give up its Lease, the command gives up', async () => {
    const desk = new Desk('general-1');
    desk.startKarpenter(0);
    const spec = { holderIdentity: 'karpenter-1', renewTime: '2030-01-01T00:00:00Z' };
    desk.world.objects.put(LEASES, { metadata: { name: 'karpenter-leader-election' }, spec });
    const answer = await desk.berth([...ADOPT, '--timeout', '20']);
    expect(answer.code).toBe(1);
    expect(answer.stderr).toContain('it did not stop in time');
  });
});

test('a release of all pauses Berth, and an adoption of all resumes it', async () => {
  const desk = new Desk('general-1');
  await desk.berth(ADOPT);
  expect(desk.pauses).toEqual([]);
  await desk.berth(RELEASE);
  expect(desk.pauses).toMatchObject([{ reason: 'released to Karpenter', namespace: 'berth-system' }]);
  await desk.berth(ADOPT);
  expect(desk.pauses).toMatchObject([{}, { reason: undefined }]);
});
