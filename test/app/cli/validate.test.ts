/** `berth validate`. */
import type { IssuesDocument } from '../../../src/app/cli/commands/validate.js';
import { deploymentText, NODE_CLASS_TEXT, poolText, stream } from '../support/manifests.js';
import { runBerth, type RunResult } from '../support/run-berth.js';

function validate(text: string, ...flags: readonly string[]): Promise<RunResult> {
  return runBerth(['validate', '-f', '-', ...flags], { files: { '-': text } });
}

const fine = stream(poolText(), NODE_CLASS_TEXT, deploymentText('web', 2));
const unlimited = fine.replace('limits: {cpu: 1000}', 'weight: 10');
const wrong = unlimited.replace('operator: In', 'operator: Im').replace('900m', '9OOm');

describe('berth validate', () => {
  test('is silent on stdout and ends with 0 when there is nothing to say', async () => {
    expect(await validate(fine)).toEqual({ code: 0, stdout: '', stderr: 'no issues\n' });
  });

  test('ends with 0 when there are only notes, and with 3 under --strict', async () => {
    const { code, stdout, stderr } = await validate(unlimited);
    expect([code, stderr]).toEqual([0, '1 note\n']);
    expect(stdout).toMatch(/^stdin:\d+:\d+ NodePool\/general: note: spec has no limits: [^\n]*\n$/);
    expect(await validate(unlimited, '--strict')).toEqual({ code: 3, stdout, stderr });
  });

  test('ends with 3 when there are only warnings and notes', async () => {
    const without = stream(poolText(), deploymentText('web', 2)).replace('limits: {cpu: 1000}', 'weight: 10');
    const { code, stderr } = await validate(without);
    expect([code, stderr]).toEqual([3, '1 warning, 1 note\n']);
  });

  test('ends with 2 when a document is refused, and lists what is wrong with policies and workloads', async () => {
    const { code, stdout, stderr } = await validate(wrong);
    expect([code, stderr]).toEqual([2, '2 errors\n']);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^stdin:\d+:\d+ NodePool\/general: error: .*requirements\[0\]\.operator/),
      expect.stringMatching(/^stdin:\d+:\d+ Deployment\/web: error: .*9OOm/),
      '',
    ]);
  });

  test('refuses a weight and limits of other resources on a static pool, and says what to do', async () => {
    const text = unlimited.replace('weight: 10', 'weight: 10\n  replicas: 3\n  limits: { cpu: 8, nodes: 5 }');
    const { code, stdout } = await validate(text);
    expect(code).toBe(2);
    expect(stdout).toContain(
      'spec.weight is not supported on a static NodePool, one with spec.replicas; remove it',
    );
    expect(stdout).toContain('spec.limits.cpu is not supported on a static NodePool');
    expect(stdout).not.toContain('spec.limits.nodes');
  });

  test('tells the same to programs', async () => {
    const { code, stdout } = await validate(wrong, '-o', 'json');
    const document = JSON.parse(stdout) as IssuesDocument;
    expect(code).toBe(2);
    expect([document.errors, document.warnings]).toEqual([2, 0]);
    expect(document.issues[0]).toMatchObject({
      severity: 'error',
      source: 'stdin',
      document: 'NodePool/general',
      path: 'spec.template.spec.requirements[0].operator',
      allowed: expect.arrayContaining(['In', 'NotIn']) as unknown,
      guess: 'In',
    });
    expect(document.issues[0]?.line).toBeGreaterThan(1);
    expect(JSON.parse((await validate(fine, '-o', 'json')).stdout)).toEqual({
      errors: 0,
      warnings: 0,
      notes: 0,
      issues: [],
    });
    expect((await validate(fine, '-o', 'yaml')).stdout).toBe(
      'errors: 0\nwarnings: 0\nnotes: 0\nissues: []\n',
    );
  });

  test('orders issues by file and line, and those inside quoted values after', async () => {
    const configMap = [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata: {name: pools, labels: {berth.sh/policy: "true"}}',
      'data:',
      '  b.yaml: "kind: ["',
      '',
    ].join('\n');
    const files = {
      'z.yaml': stream(configMap, wrong),
      'a.yaml': 'apiVersion: v1\n',
    };
    const { stdout } = await runBerth(['validate', '-f', 'z.yaml', '-f', 'a.yaml'], { files });
    expect(stdout.split('\n').map((line) => line.split(':')[0])).toEqual([
      'z.yaml',
      'z.yaml',
      'a.yaml',
      'z.yaml configmap/pools[b.yaml]',
      '',
    ]);
  });
});
