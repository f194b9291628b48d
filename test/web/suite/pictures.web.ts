/** The pictures of the documentation: the page in the light, in the dark, and on a phone. With SCREENSHOTS=1 they are written anew. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser, openPage } from '../fixture/browser.js';
import { harbour } from '../fixture/harbour.js';
import { PageWorld } from '../fixture/page-world.js';

const PICTURES = join(import.meta.dirname, '../../../docs/pictures');
const MOST_BYTES = 200 * 1024;

let browser: Browser;
let world: PageWorld;
let url: string;

beforeAll(async () => {
  browser = await openBrowser();
  world = new PageWorld(Date.UTC(2026, 0, 12, 9, 0));
  const claims = await harbour(world);
  const stuck = world.pod('batch/train-0', { cpu: '8', memory: '16Gi', 'nvidia.com/gpu': '1' });
  world.refuse(
    stuck,
    ['batch', 'no type of the pool offers nvidia.com/gpu (the pod needs 1)', 'allow more types in the pool'],
    ['memory', 'taint dedicated=memory:NoSchedule is not tolerated', 'add a toleration for key dedicated'],
  );
  const burst = [1, 2, 3, 4].map((n) =>
    world.pod(`shop/checkout-7d9f-${String(n)}`, { cpu: '900m', memory: '2Gi' }),
  );
  await world.clock.advance(4000);
  const type = { type: 'm7g.xlarge', cpu: '3920m', memory: '14400Mi', price: 0.0856 };
  world.launch(world.plan({ name: 'general-k3v8q', ...type }, burst));
  const [, , drifted, going, cordoned] = claims;
  if (going !== undefined) world.disrupt(going, 'Underutilized');
  if (drifted !== undefined) world.drift(drifted, 'amiFamily was AL2 and is AL2023');
  if (cordoned !== undefined) world.cordon(cordoned);
  await world.clock.advance(9000);
  url = await world.serve();
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

const RUNNING = '/#/Pod/shop/checkout-7d9f-1';

test.each<[string, string, BrowserContextOptions]>([
  ['page-light', '', { colorScheme: 'light' }],
  ['page-dark', RUNNING, { colorScheme: 'dark' }],
  ['page-phone', '', { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }],
  [
    'page-phone-story',
    '/#/Pod/batch/train-0',
    { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, colorScheme: 'dark' },
  ],
])('%s', async (name, path, options) => {
  const { page, complaints } = await openPage(browser, url, options);
  await page.goto(url + path);
  await settled(page, path !== '');
  const picture = await page.screenshot({ animations: 'disabled' });
  if (process.env['SCREENSHOTS'] !== undefined) {
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(join(PICTURES, `${name}.png`), picture);
  }
  expect(picture.length).toBeLessThan(MOST_BYTES);
  expect(complaints).toEqual([]);
});

async function settled(page: Page, hasStory: boolean): Promise<void> {
  await page.locator('.status.live').waitFor();
  await page.locator('.tile').nth(50).waitFor();
  await page.locator('#decision-list li').first().waitFor({ state: 'attached' });
  if (hasStory) await page.locator('#story .facts').waitFor();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 900))');
}
