/** A logger that nobody reads. */
import type { Logger } from '../../src/ports/logger.js';

function drop(): void {
  // What is measured is not what is logged.
}

export const SILENT: Logger = { debug: drop, info: drop, warn: drop, error: drop, child: () => SILENT };
