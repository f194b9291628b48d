/** `berth demo` before it loads the simulated world, which is a bundle of its own. */
import { runBerth } from '../support/run-berth.js';

test('berth demo says what is missing where the simulated world is not beside the program', async () => {
  const { code, stdout, stderr } = await runBerth(['demo', '--once']);
  expect(stderr).toMatch(
    /^berth demo: \/world\.js does not exist: the simulated cluster and cloud are a file of their own.*`make build`\n$/,
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test('berth demo refuses a speed that the world cannot keep', async () => {
  const { code, stderr } = await runBerth(['demo', '--speed', '31']);
  expect(stderr).toContain('--speed 31: expected a whole number from 1 to 30');
  expect(code).toBe(2);
});
