/** The CloudFormation template of what Berth needs in an account, read by AWS' own linter. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PythonProcess } from '../python-process.js';

const TEMPLATE = join(import.meta.dirname, '../../../manifests/aws/cloudformation.yaml');

/** The module has no name that Python runs by itself. */
const CFN_LINT = 'from cfnlint.runner import main; main()';

/** What the linter finds fault with. @throws Error with that, when there is something. */
function lint(template: string): Promise<string> {
  return new PythonProcess('-c', [CFN_LINT, '--format', 'parseable', '--', template]).result();
}

test('cfn-lint finds no fault with the template', async () => {
  expect(await lint(TEMPLATE)).toBe('');
});

test('it would find a property that its resource has not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-template-'));
  try {
    const mistaken = join(folder, 'cloudformation.yaml');
    writeFileSync(
      mistaken,
      readFileSync(TEMPLATE, 'utf8').replace('MessageRetentionPeriod', 'MessageRetention'),
    );
    await expect(lint(mistaken)).rejects.toThrow('MessageRetention');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
