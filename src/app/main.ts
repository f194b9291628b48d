/** The entry of the program `berth`. */
import process from 'node:process';
import { isPlannerWorker, startPlannerWorker } from '../adapters/planner/index.js';
import { isPolicyWorker, startPolicyWorker } from '../adapters/policies/index.js';
import { systemClock } from '../runtime/system-clock.js';
import { COMMANDS } from './cli/commands.js';
import { runCli } from './cli/run-cli.js';
import { processIo } from './process-io.js';

/** Set by the bundler from package.json. */
declare const BERTH_VERSION: string | undefined;

const version = typeof BERTH_VERSION === 'string' ? BERTH_VERSION : 'development';

// The SDK would warn, in raw text on stderr, of Node versions that its releases of next year need; ours is pinned.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

if (isPlannerWorker()) startPlannerWorker(systemClock);
else if (isPolicyWorker()) startPolicyWorker();
// exitCode rather than exit(): what is still on its way to a pipe must arrive.
else
  process.exitCode = await runCli({ commands: COMMANDS, version }, process.argv.slice(2), processIo(process));
