/** `berth ui`: the page, served from this machine over whatever cluster the kubeconfig names. */
import process from 'node:process';
import { PAGE_DEFAULTS, PAGE_FLAGS, readServiceOptions } from '../../service/options/options.js';
import { stopSignal } from '../../service/stop-signal.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_ERROR, EXIT_OK } from '../../command/exit-codes.js';
import { PortError } from '../../../ports/port-error.js';

/** Set by the bundler from package.json. */
declare const BERTH_VERSION: string | undefined;

export const UI: Command = {
  usage: '[--kubeconfig FILE] [--dashboard-address HOST:PORT]',
  maxWords: 0,
  flags: PAGE_FLAGS,
  details: [
    'The controller serves the same dashboard: kubectl port-forward -n berth-system deploy/berth 8090.',
    'Press Ctrl-C to stop.',
  ],
  run,
};

async function run(args: Arguments, io: CliIo): Promise<number> {
  const options = readServiceOptions(args, io.env, PAGE_DEFAULTS);
  const version = typeof BERTH_VERSION === 'string' ? BERTH_VERSION : 'development';
  const { runPage } = await import('../../service/run-page.js');
  const signal = stopSignal(process);
  try {
    await runPage(options, { version, signal }, (url) => {
      io.stdout.write(`${url}\n`);
      io.stderr.write('History starts now. Press Ctrl-C to stop.\n');
    });
  } catch (error) {
    if (signal.aborted) return EXIT_OK;
    if (!(error instanceof PortError)) throw error;
    io.stderr.write(`berth ui: ${error.message}\n`);
    return EXIT_ERROR;
  }
  return EXIT_OK;
}
