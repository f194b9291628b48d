/** How commands that read a cluster find it, and what they say when they cannot. */
import { describePause } from '../../domain/records/pause.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import { PortError } from '../../ports/port-error.js';
import type { ReadCluster, SeenCluster } from '../cluster-reader.js';
import type { CliIo } from '../command/cli-io.js';
import type { Arguments, Flag } from '../command/command.js';

export const CLUSTER_FLAGS: readonly Flag[] = [
  { name: 'kubeconfig', value: 'FILE', help: "path to a kubeconfig (default: kubectl's)" },
  { name: 'context', value: 'NAME', help: 'kubeconfig context (default: the current context)' },
];

/** The default namespace of Berth. */
export const SYSTEM_NAMESPACE = 'berth-system';

export const NAMESPACE_FLAG: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'NAME',
  help: `where Berth runs (default: POD_NAMESPACE, else ${SYSTEM_NAMESPACE})`,
};

/** Where Berth runs. */
export function namespaceOf(args: Arguments, io: Pick<CliIo, 'env'>): string {
  return args.value('namespace') ?? io.env['POD_NAMESPACE'] ?? SYSTEM_NAMESPACE;
}

export interface Look {
  readonly args: Arguments;
  readonly io: CliIo;
  readonly command: string;
  readonly kinds: readonly ObservedKind[];
}

/** The cluster as it is now; undefined when it cannot be read, which is then told on stderr. */
export async function lookAtCluster(
  read: ReadCluster,
  { args, io, command, kinds }: Look,
): Promise<SeenCluster | undefined> {
  try {
    const seen = await read({
      kubeconfig: args.value('kubeconfig'),
      context: args.value('context'),
      kinds,
      systemNamespace: io.env['POD_NAMESPACE'] ?? SYSTEM_NAMESPACE,
    });
    if (seen.pause !== undefined) io.stderr.write(`${describePause(seen.pause)}\n`);
    return seen;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    io.stderr.write(`berth ${command}: ${error.message}\n`);
    return undefined;
  }
}

/** Loads the API client, which takes longer than most commands to run, only when a cluster is read. */
export const readRealCluster: ReadCluster = async (look) => {
  const { readCluster } = await import('../cluster-reader.js');
  return readCluster(look);
};
