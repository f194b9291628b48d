/** `berth convert --from-cluster`: the policies of a running Karpenter, or of node groups, as ConfigMaps. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { runBerth, type RunResult } from '../support/run-berth.js';

/** Path → what is answered with 200; everything else is 404. */
type Answers = Readonly<Record<string, unknown>>;

async function convert(answers: Answers, ...argv: readonly string[]): Promise<RunResult> {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { kind: 'Status', code: 404, reason: 'NotFound' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'berth-convert-'));
  try {
    const kubeconfig = join(folder, 'config');
    const { port } = server.address() as AddressInfo;
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${String(port)}` } }],
        users: [{ name: 'u', user: { token: 't' } }],
      }),
    );
    return await runBerth(['convert', '--kubeconfig', kubeconfig, ...argv]);
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
}

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data: Readonly<Record<string, string>>;
}

function configMapsIn(text: string): readonly ConfigMap[] {
  return parseAllDocuments(text).map((document) => document.toJS() as ConfigMap);
}

const KARPENTER: Answers = {
  '/apis/karpenter.sh/v1': {
    resources: [
      { name: 'nodepools', kind: 'NodePool' },
      { name: 'nodepools/status', kind: 'NodePool' },
      { name: 'nodeclaims', kind: 'NodeClaim' },
    ],
  },
  '/apis/karpenter.sh/v1/nodepools': {
    items: [
      {
        metadata: {
          name: 'general',
          uid: 'uid-1',
          resourceVersion: '12',
          annotations: {
            'karpenter.sh/nodepool-hash': '123',
            'karpenter.sh/nodepool-hash-version': 'v3',
            team: 'a',
          },
        },
        spec: {
          limits: { cpu: 100 },
          template: {
            spec: {
              nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
              requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
            },
          },
        },
        status: { resources: { cpu: '8' } },
      },
    ],
  },
};

test('custom resources become policy ConfigMaps, one for each, which validate', async () => {
  const { code, stdout, stderr } = await convert(KARPENTER, '--from-cluster', 'karpenter');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [configMap, ...others] = configMapsIn(stdout);
  expect(others).toEqual([]);
  expect(configMap?.metadata).toEqual({
    name: 'nodepool-general',
    namespace: 'berth-system',
    labels: { 'berth.sh/policy': 'true' },
  });
  expect(parse(configMap?.data['policy.yaml'] ?? '')).toEqual({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general', annotations: { team: 'a' } },
    spec: {
      limits: { cpu: 100 },
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
        },
      },
    },
  });
  const checked = await runBerth(['validate', '-f', '-'], { files: { '-': stdout } });
  expect(checked.stdout).not.toContain('error');
});

test('a cluster without any has none to convert', async () => {
  const { code, stdout, stderr } = await convert({}, '--from-cluster', 'karpenter');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('contain no policy');
});

test('manifests and a cluster together are refused', async () => {
  const { code, stderr } = await convert({}, '--from-cluster', 'karpenter', '-f', 'pool.yaml');
  expect(code).toBe(2);
  expect(stderr).toContain('--from-cluster takes no manifests');
});

test('a node group becomes a NodePool of its types, zones, labels and taints', async () => {
  const node = (zone: string, labels: Readonly<Record<string, string>>, taints: readonly object[] = []) => ({
    metadata: {
      labels: {
        'eks.amazonaws.com/nodegroup': 'Batch_1',
        'eks.amazonaws.com/capacityType': 'SPOT',
        'node.kubernetes.io/instance-type': 'm5.large',
        'topology.kubernetes.io/zone': zone,
        'kubernetes.io/arch': 'amd64',
        ...labels,
      },
    },
    spec: { taints: [{ key: 'batch', value: 'yes', effect: 'NoSchedule' }, ...taints] },
    status: { capacity: { cpu: '2' } },
  });
  const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  const items = [
    node('eu-west-3a', { team: 'a', slot: '1' }),
    node('eu-west-3b', { team: 'a', slot: '2' }, [cordon]),
    { metadata: { labels: { team: 'b' } }, spec: {} },
  ];
  const { code, stdout, stderr } = await convert(
    { '/api/v1/nodes': { items } },
    '--from-cluster',
    'nodegroup',
  );
  expect(code).toBe(0);
  expect(stderr).toContain('Add the EC2NodeClass default');
  const configMaps = configMapsIn(stdout);
  expect(configMaps.map(({ metadata }) => metadata.name)).toEqual(['nodepool-batch-1']);
  expect(parse(configMaps[0]?.data['policy.yaml'] ?? '')).toMatchObject({
    metadata: { name: 'batch-1' },
    spec: {
      limits: { cpu: '4' },
      template: {
        metadata: { labels: { team: 'a' } },
        spec: {
          requirements: [
            { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] },
            { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['eu-west-3a', 'eu-west-3b'] },
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] },
          ],
          taints: [{ key: 'batch', value: 'yes', effect: 'NoSchedule' }],
        },
      },
    },
  });
});
