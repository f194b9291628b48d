/** A log for commands that report each error once, themselves. */
import type { Logger } from '../../ports/logger.js';

export const SILENT_LOGGER: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => SILENT_LOGGER,
};
