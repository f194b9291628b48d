/** The cloud that the options name. */
import type { NodeCreator, NodeWriter } from '../../ports/kube-writer.js';
import type { CloudProvider, CloudSettings, CloudSource } from '../../runtime/process/cloud-provider.js';
import { clusterUID } from '../../state/cluster/cluster-uid.js';
import { followMemoryReports } from '../../state/nodes/memory-reports.js';
import { CLOUDS } from '../clouds.js';
import { UsageError } from '../command/usage-error.js';
import type { Base } from './base.js';
import type { ModeGuard } from './mode-guard.js';
import type { ServiceOptions } from './options/service-options.js';
import type { Permits } from './permits.js';

type Parts = Pick<Base, 'options' | 'cluster' | 'clock' | 'random' | 'logger' | 'metrics'>;

export interface CloudMeans {
  /** Who writes Nodes, for a cloud whose instances are Nodes. */
  readonly nodeWriter: NodeCreator & NodeWriter;
  /** Asked right before each changing call is sent. */
  readonly permit?: Permits['cloud'];
  /** Given where this process only observes. */
  readonly refuse?: ModeGuard['cloud'];
  /** What the cloud is asked through; its usual way unless given. */
  readonly wire?: unknown;
}

/**
 * The options, with what the cloud finds out by itself where it is not given.
 * @throws UsageError, when an option is missing that the cloud needs.
 */
export async function completeCloudOptions(options: ServiceOptions): Promise<ServiceOptions> {
  const provider = await providerOf(options);
  const found = await provider.discover?.(settingsOf(options));
  const complete = { ...options, cloudOptions: { ...options.cloudOptions, ...found } };
  asUsage(() => {
    provider.check(settingsOf(complete));
  });
  return complete;
}

/** @throws UsageError, when an option is missing that the cloud needs. */
export async function makeCloud(
  base: Parts,
  { nodeWriter, permit, refuse, wire }: CloudMeans,
): Promise<CloudSource> {
  const { options, cluster, clock, random, logger, metrics } = base;
  const provider = await providerOf(options);
  const source = asUsage(() =>
    provider.make({
      settings: settingsOf(options),
      clusterUID: () => clusterUID(cluster),
      nodes: () => cluster.nodes.values(),
      ...{ nodeWriter, permit, refuse, wire },
      isVirtual: wire !== undefined || options.virtualTime !== undefined,
      ...{ clock, random, logger, metrics },
    }),
  );
  if (source.hearMemory !== undefined) followMemoryReports(cluster, source.hearMemory);
  return source;
}

async function providerOf({ cloud }: ServiceOptions): Promise<CloudProvider> {
  const row = cloud === undefined ? undefined : CLOUDS.get(cloud);
  if (row !== undefined) return (await row.load()).provider;
  const names = [...CLOUDS.keys()].join(', ');
  throw new UsageError(`--cloud (or BERTH_CLOUD) is required; expected one of: ${names}`);
}

function settingsOf({ clusterName, cloudOptions: own }: ServiceOptions): CloudSettings {
  return { clusterName, own };
}

function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof RangeError) throw new UsageError(cause.message, { cause });
    throw cause;
  }
}
