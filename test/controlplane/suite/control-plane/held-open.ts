/** For interrupted.cluster.ts: a run that starts a control plane, says so, and then waits to be interrupted. */
import { startControlPlane } from '../../fixture/control-plane.js';

test('waits', async () => {
  const { pids, folder } = await startControlPlane({ controllers: [] });
  process.stdout.write(`${JSON.stringify({ pids, folder })}\n`);
  expect(pids).toHaveLength(3);
  await new Promise(() => undefined);
});
