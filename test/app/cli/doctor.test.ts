/** `berth doctor` as a command: what it prints, its exit codes, and what it says of manifests. */
import { doctorCommand } from '../../../src/app/cli/commands/doctor.js';
import { runCli } from '../../../src/app/cli/run-cli.js';
import type { CheckOutcome } from '../../../src/app/doctor/run-checks.js';
import { NODE_FILES } from '../../../src/app/process-io.js';
import { fakeIo } from '../support/fake-io.js';
import { runBerth } from '../support/run-berth.js';

const FINE: CheckOutcome = {
  ...{ group: 'api-server', check: 'api-server', result: 'ok', evidence: 'it answers', mend: '' },
};
const BROKEN: CheckOutcome = {
  ...{
    group: 'webhooks',
    check: 'webhook-call',
    result: 'failed',
    evidence: 'no answer',
    mend: 'Open the port',
  },
};

async function doctor(outcomes: readonly CheckOutcome[], ...argv: readonly string[]) {
  const io = fakeIo();
  const command = doctorCommand(() => Promise.resolve(outcomes));
  const commands = [{ name: 'doctor', summary: 'check', load: () => Promise.resolve(command) }];
  const code = await runCli({ commands, version: '0' }, ['doctor', ...argv], io);
  return { code, ...io.written() };
}

test('without findings it ends with 0, and lists what was checked', async () => {
  expect(await doctor([FINE])).toEqual({
    code: 0,
    stdout: 'RESULT  CHECK       EVIDENCE\nok      api-server  it answers\n',
    stderr: '1 finding: 1 ok, 0 warning, 0 failed, 0 skipped\n',
  });
});

test('a finding has its mend below it, and the exit code is 3', async () => {
  const { code, stdout } = await doctor([FINE, BROKEN]);
  expect(code).toBe(3);
  expect(stdout.split('\n').slice(2, 4)).toEqual([
    'failed  webhook-call  no answer',
    '                        Mend: Open the port',
  ]);
});

test('as JSON it has the summary and each finding', async () => {
  const { stdout } = await doctor([FINE, BROKEN], '-o', 'json');
  expect(JSON.parse(stdout)).toEqual({
    summary: { ok: 1, warning: 0, failed: 1, skipped: 0 },
    checks: [FINE, BROKEN],
  });
});

test('an API server that does not answer is an error, 1', async () => {
  const { code } = await doctor([{ ...FINE, result: 'failed', mend: 'Start it' }]);
  expect(code).toBe(1);
});

test('manifests and a cluster are not checked at once', async () => {
  const { code, stderr } = await doctor([], '-f', 'manifests');
  expect({ code, first: stderr.split('\n')[0] }).toEqual({
    code: 2,
    first: 'berth doctor: -f is for --offline: without it the cluster is checked',
  });
});

test('manifests as they are shipped lack a name of the cluster and policies', async () => {
  const files = ['manifests/base', 'manifests/crds', 'manifests/rbac', 'manifests/scheduler'].flatMap(
    (folder) =>
      NODE_FILES.list(folder).map(
        (name) => [`${folder}/${name}`, NODE_FILES.read(`${folder}/${name}`)] as const,
      ),
  );
  const { code, stdout } = await runBerth(['doctor', '--offline', '-f', 'manifests', '-o', 'json'], {
    files: Object.fromEntries(files),
  });
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly CheckOutcome[] };
  expect(code).toBe(3);
  expect(
    checks.filter(({ result }) => result !== 'ok').map(({ check, evidence }) => [check, evidence]),
  ).toEqual([
    ['options', 'Deployment berth has no name of the cluster'],
    ['policies', 'there is no NodePool: nothing is launched'],
  ]);
  expect(checks.map(({ check }) => check)).toContain('scheduler-configuration');
});
