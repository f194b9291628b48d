/** The benchmark: asks every solver the same questions, and prints and writes down what comes of it. */
import { readOptions, USAGE } from './options.js';
import { runAll } from './run-all.js';
import { answer, MEASURE } from './solvers/berth.js';

const [first, request = ''] = process.argv.slice(2);

if (first === MEASURE) {
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
