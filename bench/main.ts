/** The benchmark: asks every solver the same questions, and prints and writes down what comes of it. */
import { isPlannerWorker, startPlannerWorker } from '../src/adapters/planner/index.js';
import { systemClock } from '../src/runtime/time/system-clock.js';
import { runController, type ControllerRequest } from './controller/controller-process.js';
import { runLoad, type LoadRequest } from './controller/load-generator.js';
import { CONTROLLER, LOAD } from './controller/measure-controller.js';
import { readOptions, USAGE } from './options.js';
import { runAll } from './run-all.js';
import { answer, MEASURE } from './solvers/berth.js';

const [first, request = ''] = process.argv.slice(2);

if (isPlannerWorker()) startPlannerWorker(systemClock);
else if (first === CONTROLLER) await runController(JSON.parse(request) as ControllerRequest);
else if (first === LOAD) runLoad(JSON.parse(request) as LoadRequest);
else if (first === MEASURE) {
  // Plans are large: the channel may close only when all of it is through.
  process.send?.(answer(request), () => {
    process.disconnect();
  });
} else {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options === 'help') process.stdout.write(USAGE);
    else process.exitCode = await runAll(options);
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
