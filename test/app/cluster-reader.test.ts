/** One look at a cluster over HTTP, and the page over one. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArguments } from '../../src/app/command/parse-arguments.js';
import { readCluster } from '../../src/app/cluster-reader.js';
import { PAGE_DEFAULTS, PAGE_FLAGS, readServiceOptions } from '../../src/app/service/options/options.js';
import { runPage } from '../../src/app/service/run-page.js';

const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-1', uid: 'uid-1', resourceVersion: '5', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {},
  status: {
    allocatable: { cpu: '2', memory: '8Gi', pods: '58' },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
};

let folder: string;
let server: Server;
/** Paths that are answered; others are forbidden. */
let collections: Record<string, readonly unknown[]>;

beforeAll(async () => {
  // It is large, and slow to load for the first time inside jest.
  await import('@kubernetes/client-node');
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-reader-'));
  collections = { '/api/v1/nodes': [NODE] };
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const items = collections[url.pathname];
    response.setHeader('content-type', 'application/json');
    if (items === undefined) {
      response.statusCode = 403;
      response.end(
        JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'not for you' }),
      );
    } else if (url.searchParams.has('sendInitialEvents')) {
      // As a server whose watches do not begin with what exists.
      response.statusCode = 422;
      response.end(JSON.stringify({ kind: 'Status', code: 422, reason: 'Invalid', message: 'forbidden' }));
    } else if (url.searchParams.get('watch') === 'true') response.flushHeaders();
    else response.end(JSON.stringify({ kind: 'List', metadata: { resourceVersion: '9' }, items }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
});

function kubeconfig(): string {
  const path = join(folder, 'config');
  const { port } = server.address() as AddressInfo;
  const named = { cluster: 'c', user: 'u' };
  const content = {
    'current-context': 'x',
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${String(port)}` } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: named }],
  };
  writeFileSync(path, JSON.stringify(content));
  return path;
}

function look(kinds: Parameters<typeof readCluster>[0]['kinds']): ReturnType<typeof readCluster> {
  return readCluster({
    kubeconfig: kubeconfig(),
    context: undefined,
    kinds,
    systemNamespace: 'berth-system',
  });
}

describe('readCluster', () => {
  test('lists what it was asked for, and leaves no watch behind', async () => {
    const { cluster } = await look(['Node']);
    expect([...cluster.nodes.values()].map(({ name, ready }) => [name, ready])).toEqual([['node-1', true]]);
    expect(cluster.isSynced('Node')).toBe(true);
  });

  test('says what it may not read, once for all kinds with the same trouble', async () => {
    await expect(look(['Node', 'NodeClaim', 'Reservation'])).rejects.toThrow(
      /read the cluster: NodeClaim: .*not for you; Reservation: .*not for you/,
    );
  });
});

describe('runPage', () => {
  test('serves the page’s API over a cluster that it only reads', async () => {
    for (const path of ['/api/v1/pods', '/apis/berth.sh/v1/nodeclaims', '/apis/berth.sh/v1/reservations'])
      collections[path] = [];
    const args = parseArguments(['--kubeconfig', kubeconfig(), '--log-level', 'error'], {
      flags: PAGE_FLAGS,
      maxWords: 0,
    });
    const stop = new AbortController();
    const context = { version: '0', signal: stop.signal };
    let tell: (url: string) => void = () => undefined;
    const served = new Promise<string>((resolve) => (tell = resolve));
    const running = runPage(readServiceOptions(args, {}, PAGE_DEFAULTS), context, (url) => {
      tell(url);
    });
    const url = await Promise.race([served, running.then(() => 'ended')]);
    const boxes = async (): Promise<unknown[]> => {
      const answer = (await (await fetch(`${url}/api/state`)).json()) as { boxes: unknown[] };
      return answer.boxes;
    };
    let seen = await boxes();
    for (let tries = 0; seen.length === 0 && tries < 500; tries++) seen = await boxes();
    expect(seen).toMatchObject([{ id: 'Node/node-1', phase: 'Ready', cpu: 2000 }]);
    stop.abort();
    await running;
  });
});
