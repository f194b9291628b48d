/** `berth convert`: policies of older versions, or of a running cluster, as documents of the newest. */
import '../../clouds.js';
import { convertDocuments } from '../../../apis/conversion/convert-documents.js';
import { readDocuments } from '../../../apis/documents/read-documents.js';
import type { CurrentObject } from '../../../apis/conversion/policy-kinds.js';
import type { SourceText } from '../../../apis/documents/document.js';
import { PortError } from '../../../ports/port-error.js';
import type { ReadClusterPolicies } from '../../cluster-policies.js';
import { CLUSTER_FLAGS, SYSTEM_NAMESPACE } from '../cluster-flags.js';
import { POLICY_LABEL, policyDocuments } from '../../../apis/policies/policy-documents.js';
import { FILENAME_FLAG, manifestTexts, MOST_FILES } from '../../input/manifest-flags.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_ERROR, EXIT_OK, EXIT_USAGE } from '../../command/exit-codes.js';
import { jsonText, yamlStream, yamlText } from '../render/document-text.js';
import { UsageError } from '../../command/usage-error.js';
import { hasErrors, writeIssues } from '../write-issues.js';

const FORMATS = ['yaml', 'json'] as const;

/** Warnings that ask for what this command does. */
const DONE_HERE: ReadonlySet<string> = new Set(['older-version', 'older-spelling']);

const SOURCES = ['karpenter', 'nodegroup'] as const;

/** The command; `read` looks at a cluster. */
export function convertCommand(read: ReadClusterPolicies): Command {
  return {
    usage: '-f FILE|DIR|- … [-o yaml|json] | --from-cluster karpenter|nodegroup',
    maxWords: MOST_FILES,
    flags: [
      FILENAME_FLAG,
      {
        name: 'from-cluster',
        value: SOURCES.join('|'),
        allowed: SOURCES,
        help: "policy ConfigMaps of a cluster's custom resources of Karpenter, or of its EKS node groups",
      },
      ...CLUSTER_FLAGS,
      {
        name: 'output',
        short: 'o',
        value: FORMATS.join('|'),
        allowed: FORMATS,
        help: 'how to print it (default: yaml); several documents are one List in json',
      },
    ],
    details: [
      'Prints policies only; lists manual steps on stderr. Exit code 2 when a document is refused.',
      'Example: berth convert -f provisioner.yaml > nodepool.yaml',
      'Example: berth convert --from-cluster karpenter | kubectl apply -f -',
    ],
    run: (args, io) => run(args, io, read),
  };
}

/** Loads the API client, which takes longer than most commands to run, only when a cluster is read. */
export const CONVERT = convertCommand(async (look) => {
  const { readClusterPolicies } = await import('../../cluster-policies.js');
  return readClusterPolicies(look);
});

async function run(args: Arguments, io: CliIo, readPolicies: ReadClusterPolicies): Promise<number> {
  const from = SOURCES.find((source) => source === args.value('from-cluster'));
  if (from === undefined) return convert(manifestTexts(args, io), args, io);
  if (args.words.length > 0 || args.value(FILENAME_FLAG.name) !== undefined)
    throw new UsageError('--from-cluster takes no manifests', { aboutFlags: true });
  try {
    const { kubeconfig, context } = { kubeconfig: args.value('kubeconfig'), context: args.value('context') };
    const code = convert([await readPolicies({ from, kubeconfig, context })], args, io, inConfigMap(io));
    if (code === EXIT_OK && from === 'nodegroup') io.stderr.write(NODE_CLASS_HINT);
    return code;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    io.stderr.write(`berth convert: ${error.message}\n`);
    return EXIT_ERROR;
  }
}

const NODE_CLASS_HINT =
  'Add the EC2NodeClass default: role, subnets, security groups and image of the groups are not in the cluster\n';

function convert(
  texts: readonly SourceText[],
  args: Arguments,
  io: CliIo,
  wrap: (document: CurrentObject) => unknown = (document) => document,
): number {
  const read = texts.map((source) => readDocuments(source));
  const found = policyDocuments(read.flatMap((result) => result.documents));
  const converted = convertDocuments(found.documents);
  const issues = [...read.flatMap((result) => result.issues), ...found.issues, ...converted.issues];
  writeIssues(
    issues.filter(({ code }) => !DONE_HERE.has(code)),
    io.stderr,
  );
  if (hasErrors(issues)) return EXIT_USAGE;
  if (converted.documents.length === 0) throw new UsageError('the documents contain no policy');
  io.stdout.write(rendered(converted.documents.map(wrap), args));
  return EXIT_OK;
}

/** One for each document: Berth reads ConfigMaps, and a ConfigMap holds one MiB at most. */
function inConfigMap({ env }: CliIo): (document: CurrentObject) => unknown {
  const namespace = env['POD_NAMESPACE'] ?? SYSTEM_NAMESPACE;
  return (document) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${document.kind.toLowerCase()}-${document.metadata.name}`,
      namespace,
      labels: { [POLICY_LABEL]: 'true' },
    },
    data: { 'policy.yaml': yamlText(document) },
  });
}

function rendered(documents: readonly unknown[], args: Arguments): string {
  if (args.value('output') !== 'json') return yamlStream(documents);
  const [only, ...others] = documents;
  return jsonText(others.length === 0 ? only : { apiVersion: 'v1', kind: 'List', items: documents });
}
