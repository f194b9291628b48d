/** The process `berth extender`: beside a kube-scheduler it answers from what it watches, and writes nothing. */
import { syncProbe } from '../../servers/health/probe.js';
import { createBase, openOutside, sharedSignal } from './base.js';
import type { ServiceOptions } from './options/service-options.js';
import type { ServiceContext } from './run-controller.js';
import { Servers } from './servers.js';
import { EXTENDER_KINDS } from './watched-kinds.js';

/** Resolves when everything has ended after the signal. */
export async function runExtender(options: ServiceOptions, context: ServiceContext): Promise<void> {
  const signal = sharedSignal(context.signal);
  const outside = await openOutside(options);
  const base = createBase({ options, version: context.version, kinds: EXTENDER_KINDS, outside });
  const servers = new Servers(base);
  try {
    await servers.serveHealth([syncProbe(base.cluster, EXTENDER_KINDS)]);
    await servers.serveMetrics();
    await servers.serveExtender(undefined);
    await base.feed.run(signal);
  } finally {
    await servers.close();
    base.client.close();
  }
}
