/** The scale bench: the real program beside a synthetic cluster of thousands of nodes, on this host. */
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { runLoad, type LoadRequest } from './load/extender-load.js';
import { readScaleOptions, USAGE } from './options.js';
import { containerLimits } from './process/container.js';
import { CASE, LOAD, WORLD } from './roles.js';
import { runCase, type CaseOrder } from './run-case.js';
import { runCases } from './run-cases.js';
import { runWorld, type WorldRequest } from './world/world-process.js';

const [role, request = ''] = process.argv.slice(2);

// Without its parent a process of the bench has no purpose; a case takes what it started with it.
process.once('disconnect', () => {
  if (role === CASE) process.kill(-process.pid, 'SIGKILL');
  process.exit(1);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

if (role === CASE) {
  await runCase(JSON.parse(request) as CaseOrder);
  process.removeAllListeners('disconnect');
  process.disconnect();
} else if (role === WORLD) await runWorld(JSON.parse(request) as WorldRequest);
else if (role === LOAD) runLoad(JSON.parse(request) as LoadRequest);
else {
  try {
    const program = fileURLToPath(import.meta.url);
    const root = join(program, '../..');
    const limits = containerLimits({
      manifest: join(root, 'manifests/base/controller.yaml'),
      dockerfile: join(root, 'Dockerfile'),
    });
    const options = readScaleOptions(process.argv.slice(2), limits.memoryMiB);
    if (options === 'help') process.stdout.write(USAGE);
    else process.exitCode = await runCases({ root, program, limits, ...options });
  } catch (error) {
    process.stderr.write(`bench-scale: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
