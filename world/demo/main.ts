/** The entry of the bundle `world.js`, which `berth demo` loads. */
import process from 'node:process';
import type { CliIo } from '../../src/app/command/cli-io.js';
import type { DemoRequest } from '../../src/app/cli/commands/demo.js';
import { EXIT_ERROR, EXIT_OK } from '../../src/app/command/exit-codes.js';
import { terminalOf } from '../../src/app/cli/render/text/terminal.js';
import { clusterInput, demandOf } from '../../src/app/input/cluster-input.js';
import { readManifests } from '../../src/app/input/read-manifests.js';
import { readSources } from '../../src/app/input/read-sources.js';
import { stopSignal } from '../../src/app/service/stop-signal.js';
import { catalogueFor } from '../../src/clouds/aws/catalogue/index.js';
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import type { Plan } from '../../src/planning/plan.js';
import { plan } from '../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import { pinoLogger } from '../../src/runtime/process/pino-logger.js';
import { systemClock } from '../../src/runtime/time/system-clock.js';
import { REGION } from './embedded/embedded-region.js';
import { exampleFolders, folderManifests, ownManifests } from './manifests/manifest-set.js';
import { Demo } from './run-demo.js';

/**
 * Runs the demo until its summary, or until a stop signal; answers the exit code of the process.
 * @throws UsageError where the manifests cannot be read.
 */
export async function runDemo(request: DemoRequest, io: CliIo): Promise<number> {
  const { speed, staysFast, seed, directory, program, manifests } = request;
  const folders = exampleFolders(manifests, io.files);
  const demo = new Demo({
    ...{ speed, staysFast, seed, directory, program },
    own: ownManifests(manifests, io.files),
    examples: folders.map((name) => ({ name, manifests: folderManifests(name, io.files) })),
    plan: planOf(folders, io),
    wall: systemClock,
    logger: pinoLogger({ threshold: { level: 'error' }, clock: systemClock }),
    style: terminalOf(io).style,
    version: 'demo',
    write: (line) => {
      io.stdout.write(`${line}\n`);
    },
  });
  const stopped = stopSignal(process);
  const isOver = new Promise<'stopped'>((resolve) => {
    stopped.addEventListener('abort', () => {
      resolve('stopped');
    });
  });
  try {
    const outcome = await Promise.race([demo.run(), isOver]);
    if (!request.once && outcome !== 'stopped') {
      io.stdout.write('\nThe simulation runs until Ctrl-C: use kubectl, or open the dashboard.\n');
      await Promise.race([demo.catchUp(), isOver]);
      await isOver;
    }
    return outcome === false ? EXIT_ERROR : EXIT_OK;
  } finally {
    await demo.close();
  }
}

function planOf(folders: readonly string[], io: CliIo): Plan {
  const manifests = readManifests(readSources(folders, io.files));
  const { pods } = demandOf(manifests.cluster.pods);
  return plan(buildSnapshot(clusterInput(manifests, pods, catalogueFor(REGION))), DEFAULT_PLAN_OPTIONS);
}
