#!/usr/bin/env node
/** The entry of the program `berth`: the command line, and in a worker thread what the thread is for. */
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { COMMANDS } from './cli/commands.js';
import { runCli } from './cli/run-cli.js';
import { processIo } from './process-io.js';

/** Set by the bundler from package.json. */
declare const BERTH_VERSION: string | undefined;

const version = typeof BERTH_VERSION === 'string' ? BERTH_VERSION : 'development';

// The SDK would warn, in raw text on stderr, of Node versions that its releases of next year need; ours is pinned.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

if (isMainThread) {
  // The image's flag is for this thread: it would count for others, too, whatever their own limits say. It is not read again here.
  setFlagsFromString('--max-semi-space-size=0');
  // Most plans are done before code that V8 optimizes in the background has paid for it: it waits 4.5 times as long as usual.
  if (process.argv[2] === 'plan') setFlagsFromString('--interrupt-budget=600000');
  const io = processIo(process, new URL(import.meta.url));
  // exitCode rather than exit(): what is still on its way to a pipe must arrive.
  process.exitCode = await runCli({ commands: COMMANDS, version }, process.argv.slice(2), io);
} else {
  const { startThread } = await import('./start-thread.js');
  startThread();
}
