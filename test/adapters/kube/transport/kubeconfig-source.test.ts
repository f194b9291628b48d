import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeConnection } from '../../../../src/adapters/kube/transport/connection.js';
import { KubeconfigSource } from '../../../../src/adapters/kube/transport/kubeconfig-source.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('KubeconfigSource', () => {
  let folder: string;
  let clock: VirtualClock;

  beforeAll(async () => {
    // It is large, and slow to load for the first time inside jest.
    await import('@kubernetes/client-node');
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-kubeconfig-'));
    clock = new VirtualClock();
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function write(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  function kubeconfig(
    user: Readonly<Record<string, unknown>>,
    cluster: Readonly<Record<string, unknown>> = { server: 'https://cluster.example:6443' },
  ): string {
    return write(
      'config',
      JSON.stringify({
        clusters: [
          { name: 'one', cluster },
          { name: 'two', cluster: { server: 'https://two.example' } },
        ],
        users: [{ name: 'me', user }],
        contexts: [
          { name: 'first', context: { cluster: 'one', user: 'me' } },
          { name: 'second', context: { cluster: 'two', user: 'me' } },
        ],
        'current-context': 'first',
      }),
    );
  }

  function sourceOf(file: string, context?: string): KubeconfigSource {
    return new KubeconfigSource({ clock, file, context });
  }

  function tokenOf({ headers }: KubeConnection): string | undefined {
    return headers['authorization'];
  }

  test('reads server, trust and client certificate, files beside the kubeconfig too', async () => {
    write('ca.pem', 'the CA');
    write('cert.pem', 'the certificate');
    const file = kubeconfig(
      { 'client-certificate': 'cert.pem', 'client-key-data': Buffer.from('the key').toString('base64') },
      {
        server: 'https://10.0.0.1:6443/base',
        'certificate-authority': 'ca.pem',
        'tls-server-name': 'kubernetes',
      },
    );
    const connection = await sourceOf(file).current();
    expect(connection.server.href).toBe('https://10.0.0.1:6443/base');
    expect(connection.tls).toEqual({
      ca: 'the CA',
      cert: 'the certificate',
      key: 'the key',
      serverName: 'kubernetes',
      verify: true,
    });
    expect(connection.headers).toEqual({});
  });

  test('reads basic authentication, impersonation, and the wish not to verify', async () => {
    const file = kubeconfig(
      { username: 'me', password: 'pass', as: 'somebody' },
      { server: 'https://cluster.example', 'insecure-skip-tls-verify': true },
    );
    const { headers, tls } = await sourceOf(file).current();
    expect(headers).toEqual({
      authorization: `Basic ${Buffer.from('me:pass').toString('base64')}`,
      'impersonate-user': 'somebody',
    });
    expect(tls.verify).toBe(false);
  });

  test('takes the context that is asked for', async () => {
    const { server } = await sourceOf(kubeconfig({ token: 'secret' }), 'second').current();
    expect(server.hostname).toBe('two.example');
  });

  test('reads a token file again once a minute', async () => {
    write('token', 'one\n');
    const source = sourceOf(kubeconfig({ tokenFile: 'token' }));
    expect(tokenOf(await source.current())).toBe('Bearer one');
    write('token', 'two\n');
    await clock.advance(59_000);
    expect(tokenOf(await source.current())).toBe('Bearer one');
    const refused = await source.current();
    expect(tokenOf(await source.reload(refused))).toBe('Bearer two');
  });

  test('reads everything again when it is refused, once for all who were', async () => {
    const calls = join(folder, 'calls');
    const plugin = write(
      'plugin',
      `#!/bin/sh\necho x >> ${calls}\necho "{\\"status\\":{\\"token\\":\\"token-$(wc -l < ${calls} | tr -d ' ')\\",\\"expirationTimestamp\\":\\"2099-01-01T00:00:00Z\\"}}"\n`,
    );
    chmodSync(plugin, 0o755);
    const source = sourceOf(
      kubeconfig({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: plugin } }),
    );
    const first = await source.current();
    expect(tokenOf(first)).toBe('Bearer token-1');
    await clock.advance(120_000);
    expect(tokenOf(await source.current())).toBe('Bearer token-1');

    const refused = await source.current();
    const answers = await Promise.all([source.reload(refused), source.reload(refused)]);
    expect(answers.map(tokenOf)).toEqual(['Bearer token-2', 'Bearer token-2']);
    expect(tokenOf(await source.reload(refused))).toBe('Bearer token-2');
  });

  test('keeps what it knows while it cannot be read', async () => {
    write('ca.pem', 'the CA');
    const file = kubeconfig(
      { token: 'secret' },
      { server: 'https://cluster.example', 'certificate-authority': 'ca.pem' },
    );
    const source = sourceOf(file);
    const known = await source.current();
    rmSync(join(folder, 'ca.pem'));
    await clock.advance(61_000);
    expect(await source.current()).toBe(known);
    await expect(source.reload(known)).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  test.each([
    [{ server: 'http://cluster.example' }, 'http:// is allowed on 127.0.0.1, [::1] and localhost only'],
    [{ server: 'ftp://cluster.example' }, 'must begin with https://'],
    [{ server: 'nonsense' }, 'is not a URL'],
    [{ server: 'https://cluster.example', 'proxy-url': 'http://proxy.example' }, 'proxy-url'],
  ])('refuses %j', async (cluster, message) => {
    await expect(sourceOf(kubeconfig({ token: 'secret' }, cluster)).current()).rejects.toMatchObject({
      code: 'Invalid',
      message: expect.stringContaining(message) as string,
    });
  });

  test.each(['http://127.0.0.1:8001', 'http://[::1]:8001', 'http://localhost:8001'])(
    'takes %s',
    async (server) => {
      const connection = await sourceOf(kubeconfig({ token: 'secret' }, { server })).current();
      expect(connection.server.href).toBe(`${server}/`);
      expect(tokenOf(connection)).toBe('Bearer secret');
    },
  );

  test('says what is wrong with a context that has no cluster, a file that is not there, a plugin that fails', async () => {
    const file = kubeconfig({ exec: { command: 'false' } });
    await expect(sourceOf(file, 'third').current()).rejects.toMatchObject({
      code: 'Invalid',
      message: expect.stringContaining('"third"') as string,
    });
    await expect(sourceOf(join(folder, 'none')).current()).rejects.toMatchObject({ code: 'Unauthorized' });
    await expect(sourceOf(file).current()).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  test('does not wait for a plugin forever', async () => {
    const source = sourceOf(kubeconfig({ exec: { command: 'sleep', args: ['0.5'] } }));
    const asked = source.current().catch((error: unknown) => error);
    while (clock.pending === 0) await clock.settle();
    await clock.advance(30_000);
    expect(await asked).toMatchObject({
      code: 'Unauthorized',
      message: expect.stringContaining('no answer within 30000 ms') as string,
    });
  });
});
