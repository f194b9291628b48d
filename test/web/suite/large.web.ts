/** The page over a large cluster: 1,000 nodes with 10,000 pods, and it does not freeze. */
import type { Browser } from 'playwright-core';
import { openBrowser, openPage } from '../fixture/browser.js';
import { PageWorld } from '../fixture/page-world.js';

const NODES = 1000;
const PODS = 10;
/** What a slow host with other work on it may take; a page that lays out 10,000 elements at once takes many times that. */
const FIRST_MILLIS = 15_000;
const LONGEST_TASK_MILLIS = 2000;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

test('1,000 nodes with 10,000 pods are drawn and kept up without a freeze', async () => {
  const world = new PageWorld();
  for (let node = 0; node < NODES; node++) {
    const pods = Array.from({ length: PODS }, (_, pod): [string, string, string] => [
      `ns-${String(pod % 6)}/pod-${String(node)}x${String(pod)}`,
      '700m',
      '1Gi',
    ]);
    const name = `general-${String(node)}`;
    world.running({ name, type: 'm7g.2xlarge', cpu: '8', memory: '30Gi', price: 0.32 }, pods);
  }
  const url = await world.serve();
  const started = performance.now();
  const { page, complaints } = await openPage(browser, url);
  await page.evaluate(`
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask', buffered: true });
  `);
  await page
    .locator('.box')
    .nth(NODES - 1)
    .waitFor({ state: 'attached', timeout: 30_000 });
  await page.locator('.tile').first().waitFor();
  const first = performance.now() - started;
  const tiles = await page.locator('.tile').count();
  for (let round = 0; round < 10; round++) {
    const pod = world.pod(`shop/new-${String(round)}`, { cpu: '1' });
    world.plan({ name: `new-${String(round)}`, type: 'm7g.large', cpu: '2', memory: '8Gi', price: 0.1 }, [
      pod,
    ]);
    await page
      .locator('#pending-list')
      .getByText(`shop/new-${String(round)}`)
      .waitFor();
  }
  await page.mouse.wheel(0, 4000);
  const longest = Number(await page.evaluate('window.longest'));
  process.stdout.write(
    `large page: drawn in ${first.toFixed(0)} ms, longest task ${longest.toFixed(0)} ms, ${String(tiles)} of ${String(NODES * PODS)} tiles in the document\n`,
  );
  expect(first).toBeLessThan(FIRST_MILLIS);
  expect(longest).toBeLessThan(LONGEST_TASK_MILLIS);
  expect(tiles).toBeLessThan(NODES * PODS);
  expect(complaints).toEqual([]);
  await world.close();
});
