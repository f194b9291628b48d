/** The process `berth ui`: the page over a cluster that is only watched. */
import { PAGE_KINDS } from './watched-kinds.js';
import { hasCode } from '../../ports/port-error.js';
import { createBase, openOutside, sharedSignal, type Base } from './base.js';
import type { ServiceContext } from './run-controller.js';
import type { ServiceOptions } from './options/service-options.js';
import { Servers } from './servers.js';

/**
 * Resolves when everything has ended after the signal; `onServed` receives the address of the dashboard.
 * @throws PortError, when the API server cannot be reached to begin with.
 */
export async function runPage(
  options: ServiceOptions,
  context: Pick<ServiceContext, 'version' | 'signal'>,
  onServed: (url: string) => void,
): Promise<void> {
  const signal = sharedSignal(context.signal);
  const outside = await openOutside(options);
  const base = createBase({ options, version: context.version, kinds: PAGE_KINDS, outside });
  const servers = new Servers(base);
  try {
    await reached(base.client, signal);
    const { url } = await servers.serveDashboard(options.dashboardAddress, signal);
    onServed(url);
    await base.feed.run(signal);
  } finally {
    await servers.close();
    base.client.close();
  }
}

/** An API server that forbids it has been reached, too. @throws PortError, for any other answer, and for none. */
async function reached(client: Base['client'], signal: AbortSignal): Promise<void> {
  try {
    await client.request({ method: 'GET', path: '/version', signal });
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
  }
}
