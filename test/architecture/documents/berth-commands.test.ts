/**
 * Berth's commands in the documents, and the examples of its help: read by the table of commands, and run where they need neither a
 * cluster nor an account. Those that need a cluster are run by test/controlplane/suite/documents.
 */
import { COMMANDS } from '../../../src/app/cli/commands.js';
import { EXIT_FINDINGS, EXIT_OK } from '../../../src/app/command/exit-codes.js';
import { HELP_FLAG, parseArguments } from '../../../src/app/command/parse-arguments.js';
import { runBerth } from '../../app/support/run-berth.js';
import { projectFiles, readProjectFile } from '../project-files.js';
import { argumentsOfBerth, callRows, documentedCalls } from './program-calls.js';
import { offlineArguments, onlyNames, whereItRuns } from './where-calls-run.js';

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: default }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: web, resources: { requests: { cpu: 500m } } }] }
`;

const POLICY_WITH_MISTAKES = `apiVersion: v1
kind: ConfigMap
metadata: { name: pools, namespace: berth-system, labels: { berth.sh/policy: 'true' } }
data:
  default.yaml: |
    apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata: { name: default }
    spec:
      weigth: 10
      template:
        spec:
          nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
          requirements:
            - key: kubernetes.io/arch
              operator: in
              values: [amd64]
`;

const { calls } = await documentedCalls();
const rows = callRows(calls, argumentsOfBerth).filter(([, , { words }]) => words.length > 0);

const POLICIES = ['general', 'node-class']
  .map((name) => readProjectFile(`manifests/policies/${name}.yaml`))
  .join('\n---\n');

/** What the reader's own files are here. */
const readersFiles = {
  FILE: POLICIES,
  'nodepools.yaml': POLICIES,
  'policies/all.yaml': POLICIES,
  'your-nodepools.yaml': POLICIES,
  'deployments/web.yaml': DEPLOYMENT,
  'your-workloads/web.yaml': DEPLOYMENT,
  'provisioner.yaml': readProjectFile('manifests/examples/v1alpha5-default/policies.yaml'),
  'pools.yaml': POLICY_WITH_MISTAKES,
};
const ours = projectFiles().filter((path) => /^manifests\/.*\.yaml$/.test(path));
const files = { ...readersFiles, ...Object.fromEntries(ours.map((path) => [path, readProjectFile(path)])) };

test.each(rows)('%s (%s) is a command with flags that it has', async (_title, _place, { words }) => {
  const [name = '', ...rest] = words;
  const row = COMMANDS.find((command) => command.name === name);
  if (row === undefined) throw new Error(`berth has no command ${name}`);
  const { flags, maxWords } = await row.load();
  expect(() => parseArguments(rest, { flags: [...flags, HELP_FLAG], maxWords })).not.toThrow();
});

const offline = callRows(calls, (words) => words).flatMap(([title, place, call]) => {
  const words = whereItRuns(call) === 'offline' ? offlineArguments(call) : undefined;
  return words === undefined ? [] : [[title, place, { ...call, words }] as const];
});

const others = offline.filter(([, , { output }]) => output === undefined);

test.each(others)('%s (%s) does its work', async (_title, _place, { words }) => {
  // Findings are what these two are asked for.
  const isAsked = ['validate', 'doctor'].includes(words[0] ?? '');
  const { code, stdout, stderr } = await runBerth(words, { files });
  const isDone = code === EXIT_OK || (isAsked && code === EXIT_FINDINGS);
  expect({ isDone, code, stdout, stderr }).toMatchObject({ isDone: true });
});

const shown = offline.flatMap(([title, place, { words, output }]) =>
  output === undefined ? [] : [[title, place, words, output] as const],
);

test.each(shown)('%s (%s) prints what the document shows', async (_title, _place, words, output) => {
  const { stdout, stderr } = await runBerth(words, { files });
  expect(`${stdout}${stderr}`).toBe(output);
});

test('commands of each kind that needs no cluster are run', () => {
  const names = ['catalog', 'completion', 'controller', 'convert', 'doctor', 'explain', 'plan', 'validate'];
  // Sentences name others, too, of which the help is read.
  const whole = calls.filter((call) => whereItRuns(call) === 'offline' && !onlyNames(call));
  const kinds = whole.flatMap(({ words }) => argumentsOfBerth(words)?.[0] ?? []);
  expect([...new Set(kinds)].sort()).toEqual([...names, 'windows']);
});
