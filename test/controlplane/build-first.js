// Builds the control plane of this run before any test starts, since building takes longer than a test may.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Jest's global setup; what the build script says goes to standard error. */
export default function buildFirst() {
  const minor = process.env.KUBERNETES ?? '1.36';
  execFileSync(join(import.meta.dirname, 'server', 'build.sh'), [minor], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
