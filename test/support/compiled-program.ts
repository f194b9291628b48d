/** A program for a thread, compiled into a module that needs no file. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** CommonJS packages inside an ES module still call require() for Node's own modules. */
const BANNER =
  "import { createRequire } from 'node:module'; const require = createRequire('file:///program.js');";

/** The program and all that it imports, as a data: URL. */
export function compiledProgram(program: URL): URL {
  const options = ['--bundle', '--format=esm', '--platform=node', '--log-level=warning', '--minify'];
  const args = [fileURLToPath(program), ...options, `--banner:js=${BANNER}`];
  const code = execFileSync('node_modules/.bin/esbuild', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
