/** `berth ui`, as far as it ends by itself. */
import { runBerth } from '../support/run-berth.js';

test('berth ui ends with the cause when it cannot reach the cluster to begin with', async () => {
  const { code, stdout, stderr } = await runBerth(['ui', '--kubeconfig', '/nowhere/config']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^berth ui: .*\/nowhere\/config/m);
});
