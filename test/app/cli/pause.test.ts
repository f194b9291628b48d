/** `berth pause` and `berth resume`, and how other commands say that Berth is paused. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changePause, type ChangePause, type PauseChange } from '../../../src/app/change-pause.js';
import { getCommand } from '../../../src/app/cli/commands/get/get.js';
import { pauseCommand, resumeCommand } from '../../../src/app/cli/commands/pause.js';
import { runCli } from '../../../src/app/cli/run-cli.js';
import { formatPause } from '../../../src/domain/records/pause.js';
import { PortError } from '../../../src/ports/port-error.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { FakeApiServer, json, status } from '../../adapters/kube/transport/fake-api-server.js';
import { fakeIo } from '../support/fake-io.js';
import { loaded } from '../support/loaded.js';

const SINCE = Date.UTC(2026, 0, 1);

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 't' } }],
  });
}

async function berth(argv: readonly string[], change: ChangePause) {
  const io = fakeIo({ env: { USER: 'ana' } });
  const commands = [loaded('pause', pauseCommand(change)), loaded('resume', resumeCommand(change))];
  const code = await runCli({ commands, version: '0' }, argv, io);
  return { code, ...io.written() };
}

describe('berth pause', () => {
  test('says who paused it and why', async () => {
    const asked: PauseChange[] = [];
    const answer = await berth(['pause', '--reason', 'incident 42', '-n', 'berth'], (change) => {
      asked.push(change);
      return Promise.resolve({ reason: change.reason ?? '', by: change.user, since: SINCE });
    });
    expect(asked).toMatchObject([{ namespace: 'berth', reason: 'incident 42', user: 'ana' }]);
    expect(answer).toEqual({
      code: 0,
      stdout: 'Berth is paused by ana since 2026-01-01T00:00:00.000Z: incident 42\n',
      stderr: '',
    });
  });

  test('is ended by berth resume', async () => {
    const asked: PauseChange[] = [];
    const answer = await berth(['resume'], (change) => {
      asked.push(change);
      return Promise.resolve(undefined);
    });
    expect(asked).toMatchObject([{ namespace: 'berth-system', reason: undefined }]);
    expect(answer).toEqual({ code: 0, stdout: 'Resumed launching and terminating instances\n', stderr: '' });
  });

  test('says what the API server refused', async () => {
    const answer = await berth(['pause'], () =>
      Promise.reject(
        new PortError('Forbidden', { operation: 'annotate namespaces/berth-system', message: 'no' }),
      ),
    );
    expect(answer).toEqual({
      code: 1,
      stdout: '',
      stderr: 'berth pause: annotate namespaces/berth-system: no\n',
    });
  });

  test('writes the annotation, and takes it away, by one patch of the namespace', async () => {
    const server = await FakeApiServer.start();
    const folder = mkdtempSync(join(tmpdir(), 'berth-pause-'));
    try {
      const kubeconfig = join(folder, 'config');
      writeFileSync(kubeconfig, kubeconfigOf(server.url));
      const change = { kubeconfig, context: undefined, namespace: 'berth-system', user: 'ana' };
      server.answerNext('other', status(404, {}), status(404, {}), json(200, {}), json(200, {}));
      const pause = await changePause({ ...change, reason: 'incident' });
      expect(pause).toMatchObject({ reason: 'incident', by: 'ana' });
      await expect(changePause({ ...change, reason: undefined })).resolves.toBeUndefined();
      const patches = server.requests.filter(({ method }) => method === 'PATCH');
      expect(patches.map(({ path }) => path)).toEqual(Array(2).fill('/api/v1/namespaces/berth-system'));
      expect(patches.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
        { metadata: { annotations: { 'berth.sh/paused': pause && formatPause(pause) } } },
        { metadata: { annotations: { 'berth.sh/paused': null } } },
      ]);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

test('berth get says on standard error that Berth is paused', async () => {
  const io = fakeIo();
  const pause = { reason: 'incident 42', by: 'ana', since: SINCE };
  const command = getCommand(() => Promise.resolve({ cluster: new Cluster(), now: SINCE, pause }));
  await runCli({ commands: [loaded('get', command)], version: '0' }, ['get', 'nodes'], io);
  expect(io.written().stderr).toContain('Berth is paused by ana since 2026-01-01T00:00:00.000Z: incident 42');
});
