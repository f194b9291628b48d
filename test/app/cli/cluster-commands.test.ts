/** `berth get`, `berth cost` and `berth explain KIND NAME` over a cluster. */
import { parse } from 'yaml';
import { costCommand } from '../../../src/app/cli/commands/cost.js';
import { explainCommand } from '../../../src/app/cli/commands/explain.js';
import { getCommand } from '../../../src/app/cli/commands/get/get.js';
import { runCli } from '../../../src/app/cli/run-cli.js';
import type { ClusterLook, ReadCluster } from '../../../src/app/cluster-reader.js';
import { PortError } from '../../../src/ports/port-error.js';
import { nodeName, PageWorld, type Instance } from '../../web/fixture/page-world.js';
import { fakeIo } from '../support/fake-io.js';
import { loaded } from '../support/loaded.js';

const INSTANCE: Instance = { name: 'general-1', type: 'm7g.large', cpu: '2', memory: '8Gi', price: 0.2 };

let world: PageWorld;
const looks: ClusterLook[] = [];
const read: ReadCluster = (look) => {
  looks.push(look);
  return Promise.resolve({ cluster: world.cluster, now: world.clock.now() });
};

beforeEach(async () => {
  looks.length = 0;
  world = new PageWorld();
  world.pool('general');
  world.running(INSTANCE, [
    ['shop/web-1', '500m', '1Gi'],
    ['auth/login-1', '250m', '1Gi'],
  ]);
  await world.clock.advance(300_000);
  const pod = world.pod('shop/big-1', { cpu: '64' });
  world.refuse(pod, ['general', 'no type is large enough', 'add larger types']);
});
afterEach(() => world.close());

async function berth(argv: readonly string[], reading: ReadCluster = read) {
  const io = fakeIo();
  const commands = [
    loaded('get', getCommand(reading)),
    loaded('cost', costCommand(reading)),
    loaded('explain', explainCommand(reading)),
  ];
  const code = await runCli({ commands, version: '0' }, argv, io);
  return { code, ...io.written() };
}

/** Cells of a table, without its blanks. */
function cells(table: string): readonly (readonly string[])[] {
  return table
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}

describe('berth get', () => {
  test('nodes tells pool, type, fill and price', async () => {
    const { code, stdout } = await berth(['get', 'nodes']);
    expect(code).toBe(0);
    expect(cells(stdout)).toEqual([
      ['NAME', 'NODEPOOL', 'TYPE', 'CAPACITY', 'ZONE', 'PODS', 'CPU', 'MEMORY', 'USD/H', 'STATUS', 'AGE'],
      [
        nodeName({ name: 'general-1' } as never),
        'general',
        'm7g.large',
        'spot',
        'eu-west-3a',
        '2',
        '37%',
        '25%',
        '0.2000',
        'Ready',
        '5m',
      ],
    ]);
    expect(looks[0]?.kinds).toEqual(['Node', 'NodeClaim', 'Pod']);
  });

  test('nodeclaims has Karpenter’s columns, and more of them when wide', async () => {
    const narrow = cells((await berth(['get', 'nodeclaims'])).stdout)[0];
    expect(narrow).toEqual(['NAME', 'TYPE', 'CAPACITY', 'ZONE', 'NODE', 'READY', 'DRIFTED', 'AGE']);
    const wide = cells((await berth(['get', 'bnc', '-o', 'wide'])).stdout)[0];
    expect(wide).toEqual([...(narrow ?? []), 'IMAGEID', 'ID', 'NODEPOOL', 'NODECLASS', 'DISRUPTED']);
  });

  test('pods tells where each is, or why it has no place', async () => {
    const { stdout } = await berth(['get', 'pods', '-n', 'shop']);
    expect(cells(stdout).map((row) => [row[1], row[2], row.at(-1)])).toEqual([
      ['NAME', 'STATE', 'REASON'],
      ['big-1', 'Refused', 'InsufficientResource: no type is large enough'],
      ['web-1', 'Bound', '5m'],
    ]);
  });

  test.each(['policies', 'reservations', 'decisions', 'nodes', 'nodeclaims', 'pods'])(
    '%s is the same in JSON and YAML, and its table has a row for each',
    async (kind) => {
      const document = JSON.parse((await berth(['get', kind, '-o', 'json'])).stdout) as { items: unknown[] };
      expect(parse((await berth(['get', kind, '-o', 'yaml'])).stdout)).toEqual(document);
      const { stdout } = await berth(['get', kind, '-o', 'wide']);
      expect(cells(stdout).length).toBe(document.items.length + 1);
      expect(document.items.length).toBeGreaterThan(0);
    },
  );

  test('one by its name; what is not there is an error', async () => {
    expect(cells((await berth(['get', 'pods', 'web-1'])).stdout).length).toBe(2);
    expect(await berth(['get', 'pods', 'web-9'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'berth get: pods "web-9" not found\n',
    });
  });

  test.each([
    [['get'], /expected a kind: one of nodes, nodeclaims/],
    [['get', 'nods'], /nods: expected one of .*; did you mean nodes\?/],
    [['get', 'nodes', '-n', 'shop'], /--namespace shop: nodes are not namespaced/],
  ])('refuses %j', async (argv, message) => {
    const { code, stdout, stderr } = await berth(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  test('says what cannot be read, and why', async () => {
    const down: ReadCluster = () =>
      Promise.reject(
        new PortError('Unavailable', { operation: 'read the cluster', message: 'Node: connection refused' }),
      );
    const { code, stderr } = await berth(['get', 'nodes'], down);
    expect([code, stderr]).toEqual([1, 'berth get: read the cluster: Node: connection refused\n']);
  });
});

describe('berth cost', () => {
  test('splits by namespace, idle apart', async () => {
    const { code, stdout } = await berth(['cost']);
    expect(code).toBe(0);
    expect(cells(stdout)).toEqual([
      ['NAMESPACE', 'PODS', 'USD/H', 'SHARE'],
      ['shop', '1', '0.0500', '25%'],
      ['auth', '1', '0.0250', '13%'],
      ['(idle)', '0.1250', '63%'],
      ['(total)', '0.2000', '100%'],
    ]);
  });

  test('splits by pool and by any label', async () => {
    const { stdout } = await berth(['cost', '--by', 'nodepool', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      by: 'nodepool',
      rows: [{ key: 'general', pods: 2, hourly: 0.075 }],
      total: 0.2,
    });
    expect(cells((await berth(['cost', '--by', 'team'])).stdout)[1]).toEqual([
      '<none>',
      '2',
      '0.0750',
      '38%',
    ]);
    expect((await berth(['cost', '--by', 'a b'])).code).toBe(2);
  });
});

describe('berth explain KIND NAME', () => {
  test('tells the story of a pod', async () => {
    const { code, stdout } = await berth(['explain', 'pod', 'big-1', '-n', 'shop']);
    expect(code).toBe(0);
    expect(stdout).toContain('Pod shop/big-1\nIt cannot be placed: no type is large enough\n');
    expect(stdout).toContain('WHAT WOULD HAVE TO CHANGE\n  NodePool general: add larger types\n');
    expect(stdout).toMatch(/WHAT HAPPENED\n {2}2026-01-01 00:05:00Z {2}Created/);
  });

  test.each([
    [['nodeclaim', 'general-1'], 'NodeClaim general-1\nIt is ready: m7g.large, spot in eu-west-3a\n'],
    [['nodepool', 'general'], 'NodePool general\nIt is active\n'],
    [['policy', 'general'], 'NodePool general\nIt is active\n'],
    [['policies', 'nodepool.general'], 'NodePool general\nIt is active\n'],
    [['bdec', 'decision-1'], 'Decision decision-1\nPlace: Provisioned\n'],
  ])('%j', async (words, beginning) => {
    const { code, stdout } = await berth(['explain', ...words]);
    expect([code, stdout.startsWith(beginning)]).toEqual([0, true]);
  });

  test('says the same to programs', async () => {
    const { stdout } = await berth(['explain', 'po', 'web-1', '-n', 'shop', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      tone: 'good',
      subject: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
    });
  });

  test('what is not there is an error, what is no kind is a slip', async () => {
    expect(await berth(['explain', 'pod', 'web-9'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'berth explain: Pod default/web-9 not found, and there is no Decision about it\n',
    });
    const { code, stderr } = await berth(['explain', 'pot', 'web-1']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/pot: expected one of pod, node, .*did you mean pod\?/);
  });
});
