/** `berth controller` and `berth extender`: the commands that stay. */
import { hostname } from 'node:os';
import process from 'node:process';
import {
  EXTENDER_DEFAULTS,
  EXTENDER_FLAGS,
  readServiceOptions,
  SERVICE_FLAGS,
  type OwnDefaults,
} from '../../service/options/options.js';
import type { ServiceOptions } from '../../service/options/service-options.js';
import type { ServiceContext } from '../../service/run-controller.js';
import { stopSignal } from '../../service/stop-signal.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_OK } from '../../command/exit-codes.js';

export const CONTROLLER: Command = {
  usage: '[--roles LIST] [--kubeconfig FILE] …',
  maxWords: 0,
  flags: SERVICE_FLAGS,
  details: ['Logs are JSON lines on stdout. On SIGTERM it releases its Lease and exits.'],
  run: async (args, io) => {
    const options = serviceOptions(args, io);
    // The API client takes longer to load than most commands to run, so only these two load it.
    const { runController } = await import('../../service/run-controller.js');
    await runController(options, context(io));
    return EXIT_OK;
  },
};

export const EXTENDER: Command = {
  usage: '[--kubeconfig FILE] [--extender-address HOST:PORT] …',
  maxWords: 0,
  flags: EXTENDER_FLAGS,
  details: ['Serves on loopback without TLS: /scheduler/filter, /scheduler/prioritize, /scheduler/preempt.'],
  run: async (args, io) => {
    const options = serviceOptions(args, io, EXTENDER_DEFAULTS);
    const { runExtender } = await import('../../service/run-extender.js');
    await runExtender(options, context(io));
    return EXIT_OK;
  },
};

function serviceOptions(args: Arguments, { env }: CliIo, defaults: OwnDefaults = {}): ServiceOptions {
  const options = readServiceOptions(args, env, defaults);
  if (options.identity !== '') return options;
  return { ...options, identity: `${hostname()}-${String(process.pid)}` };
}

/** Set by the bundler from package.json. */
declare const BERTH_VERSION: string | undefined;

function context({ program }: CliIo): ServiceContext {
  return {
    version: typeof BERTH_VERSION === 'string' ? BERTH_VERSION : 'development',
    signal: stopSignal(process),
    entry: program,
  };
}
