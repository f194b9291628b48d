/** `berth convert`. */
import { parse, parseAllDocuments } from 'yaml';
import { deploymentText, NODE_CLASS_TEXT, poolText, stream } from '../support/manifests.js';
import { runBerth, type RunResult } from '../support/run-berth.js';

function convert(text: string, ...flags: readonly string[]): Promise<RunResult> {
  return runBerth(['convert', '-f', '-', ...flags], { files: { '-': text } });
}

const provisioner = `apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: old}
spec:
  ttlSecondsAfterEmpty: 30
  providerRef: {name: old}
`;
const template = `apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: old}
spec:
  instanceProfile: nodes
  subnetSelector: {karpenter.sh/discovery: test}
  securityGroupSelector: {karpenter.sh/discovery: test}
`;

describe('berth convert', () => {
  test('prints v1 documents, and is silent about what it does itself', async () => {
    const { code, stdout, stderr } = await convert(stream(provisioner, template));
    expect(code).toBe(0);
    expect(parseAllDocuments(stdout).map((document) => document.toJS() as unknown)).toMatchObject([
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'old' },
        spec: { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' } },
      },
      { apiVersion: 'karpenter.k8s.aws/v1', kind: 'EC2NodeClass', metadata: { name: 'old' } },
    ]);
    expect(stderr).not.toMatch(/older|another place/);
  });

  test('prints one object or a List in JSON', async () => {
    const one = await convert(provisioner, '-o', 'json');
    expect(JSON.parse(one.stdout)).toMatchObject({ kind: 'NodePool' });
    const two = await convert(stream(provisioner, template), '-o', 'json');
    expect(JSON.parse(two.stdout)).toMatchObject({
      kind: 'List',
      items: [{ kind: 'NodePool' }, { kind: 'EC2NodeClass' }],
    });
  });

  test('gives what validates without a word about versions, and converts to itself', async () => {
    const { stdout } = await convert(stream(provisioner, template));
    const checked = await runBerth(['validate', '-f', '-'], { files: { '-': stdout } });
    expect(checked.stdout).not.toMatch(/error|older/);
    expect((await convert(stdout)).stdout).toBe(stdout);
  });

  test('leaves v1 documents as they are, and workloads out', async () => {
    const text = stream(poolText(), NODE_CLASS_TEXT, deploymentText('web', 1));
    const { stdout, stderr } = await convert(text);
    const documents = parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
    expect(documents).toEqual([parse(poolText()), parse(NODE_CLASS_TEXT)]);
    expect(stderr).toBe('');
  });

  test('reads policies in ConfigMaps', async () => {
    const configMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'pools', labels: { 'berth.sh/policy': 'true' } },
      data: { 'old.yaml': provisioner },
    };
    const { code, stdout } = await convert(JSON.stringify(configMap));
    expect(code).toBe(0);
    expect(parse(stdout)).toMatchObject({ kind: 'NodePool', metadata: { name: 'old' } });
  });

  test('refuses the whole when a document is wrong', async () => {
    const { code, stdout, stderr } = await convert(
      stream(provisioner.replace('ttlSeconds', 'ttlSecond'), template),
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/stdin:5:3 Provisioner\/old: error: .*ttlSecondsAfterEmpty/);
  });

  test('refuses what holds no policy', async () => {
    expect(await convert(deploymentText('web', 1))).toEqual({
      code: 2,
      stdout: '',
      stderr: 'berth convert: the documents contain no policy\n',
    });
  });
});
