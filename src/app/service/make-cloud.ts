/** The cloud that the options name. */
import { catalogueFor } from '../../catalogue/index.js';
import type { Cloud } from '../../ports/cloud.js';
import { MemoryCloud, RemoteMemoryCloud } from '../../simulator/memory-cloud/index.js';
import type { Base } from './base.js';

/** The in-memory cloud: that which another process serves, or one of this process that ends with it. */
export function makeCloud({ options, clock, random, logger }: Base): Cloud {
  const { memoryCloud: url, region } = options;
  if (url !== undefined) return new RemoteMemoryCloud({ url, clock });
  logger.warn('machines are imagined in this process and are forgotten with it', { cloud: 'memory', region });
  return new MemoryCloud({ clock, random, catalogue: catalogueFor(region) });
}
