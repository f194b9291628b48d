/** The page in a browser: it follows what happens, tells why, and stays readable on every screen. */
import type { Browser, Page } from 'playwright-core';
import { openBrowser, openPage, type WatchedPage } from '../fixture/browser.js';
import { observation } from '../../support/builders/observation.js';
import { nodeName, PageWorld, type Instance } from '../fixture/page-world.js';

const INSTANCE: Instance = { name: 'general-1', type: 'm7g.large', cpu: '2', memory: '8Gi', price: 0.2 };

let browser: Browser;
let world: PageWorld;
let url: string;
const opened: WatchedPage[] = [];

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});
beforeEach(async () => {
  world = new PageWorld();
  url = await world.serve();
});
afterEach(async () => {
  const complaints = opened.splice(0).flatMap((each) => each.complaints);
  for (const context of browser.contexts()) await context.close();
  await world.close();
  if (complaints.length > 0) throw new Error(`the page complained: ${complaints.join('; ')}`);
});

async function open(options: Parameters<typeof openPage>[2] = {}, path = ''): Promise<Page> {
  const watched = await openPage(browser, url, options);
  opened.push(watched);
  if (path !== '') await watched.page.goto(url + path);
  await watched.page.locator('.status.live').waitFor();
  return watched.page;
}

/** Waits until the element says it. */
async function expectText(page: Page, selector: string, text: string | RegExp): Promise<void> {
  const found = page.locator(selector).filter({ hasText: text }).first();
  await found.waitFor({ timeout: 5000 });
  expect(await found.textContent()).toMatch(text);
}

test('what is observed beside another system is shown, and nothing of it where nothing is observed', async () => {
  const unobserved = await open();
  expect(await unobserved.locator('#observation').isVisible()).toBe(false);
  world.cluster.put('Observation', observation({ updatedAt: world.clock.now() }));
  const page = await open();
  await expectText(page, '#observation h2', 'Observed beside Karpenter');
  await expectText(page, '#observed-saving', 'Karpenter: 8.00 USD/h, 20 nodes · Berth: 5.00 USD/h, 14 nodes');
  await expectText(page, '#observed-saving', 'saved since 2026-01-01 00:00 UTC: 4.00 USD (25 %)');
  const chart = page.locator('#observed-chart svg');
  expect(await chart.getAttribute('aria-label')).toContain('highest 8.00');
  expect(await chart.locator('path').count()).toBe(2);
});

test('a pod is followed from pending to its node, and the Decision that launched the node is opened', async () => {
  const page = await open();
  await expectText(page, '#pending-list', 'No pod is pending.');
  const pod = world.pod('shop/web-1', { cpu: '500m', memory: '1Gi' });
  await expectText(page, '#pending-list', 'shop/web-1');
  await expectText(page, '#pending', '1');

  const claim = world.plan(INSTANCE, [pod]);
  await expectText(page, '#pending-list', 'planned on');
  await page.locator('.box.launching .tile.planned[data-pod="shop/web-1"]').click();
  await expectText(page, '#story h2', 'shop/web-1');
  await expectText(page, '#story .headline.waiting', 'Its node is starting');

  await world.clock.advance(2000);
  const ready = world.register(world.launch(claim));
  world.bind(pod, ready);
  await page.locator('.box.ready .tile[data-pod="shop/web-1"]:not(.planned)').waitFor();
  await expectText(page, '#story .headline.good', `It runs on ${nodeName(claim)}`);
  await expectText(page, '#pending', '0');
  await expectText(page, '#cost-list', /shop.*0\.0500/);

  await page.locator('#story .steps a', { hasText: 'Launch: Launched' }).click();
  await expectText(page, '#story h2', 'Decision');
  await expectText(page, '#story', 'm7g.large, spot in eu-west-3a');
  expect(new URL(page.url()).hash).toBe('#/Decision/decision-2');
  await page.goBack();
  await expectText(page, '#story h2', 'shop/web-1');
});

test('a pod without a place shows the reason, and what would have to change', async () => {
  const pod = world.pod('batch/train-0', { cpu: '8', 'nvidia.com/gpu': '1' });
  world.refuse(pod, ['general', 'no type of the pool offers nvidia.com/gpu', 'allow more types in the pool']);
  const page = await open();
  await expectText(
    page,
    '#pending-list .refused',
    'NodePool general: no type of the pool offers nvidia.com/gpu',
  );
  await page.locator('#pending-list a').click();
  await expectText(page, '#story .headline.bad', 'It cannot be placed');
  await expectText(page, '#story', 'NodePool general: allow more types in the pool');
});

test('a story can be linked to, and closed by Escape', async () => {
  world.running(INSTANCE, [['shop/web-1', '500m', '1Gi']]);
  const page = await open({}, '/#/Pod/shop/web-1');
  await expectText(page, '#story h2', 'shop/web-1');
  await page.keyboard.press('Escape');
  await page.locator('#story').waitFor({ state: 'hidden' });
  expect(new URL(page.url()).hash).toBe('');
});

test('the nodes are walked through by keyboard', async () => {
  world.running(INSTANCE, [['shop/web-1', '500m', '1Gi']]);
  await world.clock.advance(1000);
  world.running({ ...INSTANCE, name: 'general-2' }, []);
  const page = await open();
  await page.locator('.box').nth(1).waitFor();
  expect(await page.locator('.box[tabindex="0"]').count()).toBe(1);
  await page.locator('.box').first().focus();
  await page.keyboard.press('ArrowRight');
  const name = await page.evaluate('document.activeElement.getAttribute("aria-label")');
  expect(name).toMatch(/general-2.*Ready · m7g\.large spot eu-west-3a · 0\.2000 USD\/h · 0 pods$/);
  await page.keyboard.press('Enter');
  await expectText(page, '#story h2', 'general-2');
  const focused = await page.evaluate('document.activeElement.id');
  expect(focused).toBe('story-title');
});

test('a node that is removed fades, shows the reason, and is gone', async () => {
  const claim = world.running(INSTANCE, [['shop/web-1', '500m', '1Gi']]);
  const page = await open();
  world.disrupt(claim, 'Underutilized');
  await page.locator('.box.leaving').click({ position: { x: 55, y: 10 } });
  await expectText(page, '#story .headline.leaving', 'It is being terminated: Underutilized');
  await expectText(page, '#decision-list', 'Disrupt: Underutilized');
  world.cluster.delete('Pod', 'shop/web-1');
  world.cluster.delete('Node', nodeName(claim));
  world.cluster.delete('NodeClaim', claim.name);
  await page.locator('.box').waitFor({ state: 'detached' });
});

test('a drifted node and a cordoned one are marked, say so to screen readers, and the legend explains the marks', async () => {
  const drifted = world.running(INSTANCE, [['shop/web-1', '500m', '1Gi']]);
  const cordoned = world.running({ ...INSTANCE, name: 'general-2', capacityType: 'on-demand' }, []);
  const page = await open();
  await page.locator('.box').nth(1).waitFor();
  expect(await page.locator('.mark').count()).toBe(0);
  world.drift(drifted, 'amiFamily was AL2 and is AL2023');
  world.cordon(cordoned);
  const [first, second] = [drifted, cordoned].map((claim) =>
    page.locator(`.box[data-box="NodeClaim/${claim.name}"]`),
  );
  await first?.locator('.mark.drifted').waitFor();
  await second?.locator('.mark.cordoned').waitFor();
  expect(await first?.getAttribute('aria-label')).toMatch(
    /spot eu-west-3a .* · drifted: amiFamily was AL2 and is AL2023$/,
  );
  expect(await second?.getAttribute('title')).toMatch(/on-demand eu-west-3a .* · cordoned$/);
  expect(await second?.locator('.where').textContent()).toBe('on-demand 3a');
  await expectText(page, '#legend', 'drifted');
  await expectText(page, '#legend', 'cordoned');
});

test('namespaces have the same colours after the page is loaded again, whichever pod comes first', async () => {
  const namespaces = ['shop', 'search', 'checkout', 'batch', 'observability', 'auth'];
  const coloursOf = (page: Page) =>
    page.evaluate(
      "[...document.querySelectorAll('.tile')].map((tile) => [tile.dataset.pod, tile.className]).sort().join()",
    );
  world.running({ ...INSTANCE, cpu: '8' }, [['search/pod', '500m', '1Gi']]);
  const first = await open();
  await first.locator('.tile').first().waitFor();
  const rest = namespaces.filter((name) => name !== 'search');
  world.running(
    { ...INSTANCE, cpu: '8', name: 'general-2' },
    rest.map((name) => [`${name}/pod`, '500m', '1Gi']),
  );
  await first
    .locator('.tile')
    .nth(namespaces.length - 1)
    .waitFor();
  const second = await open();
  await second
    .locator('.tile')
    .nth(namespaces.length - 1)
    .waitFor();
  expect(await coloursOf(second)).toBe(await coloursOf(first));
  expect(new Set(String(await coloursOf(second)).match(/hue-\d+/g)).size).toBe(namespaces.length);
});

test('a row of the costs shows the pods of its namespace alone, and all again', async () => {
  world.running(INSTANCE, [
    ['shop/web-1', '500m', '1Gi'],
    ['auth/web-1', '500m', '1Gi'],
  ]);
  const page = await open();
  const row = page.locator('#cost-list button', { hasText: 'shop' });
  await row.click();
  await page.locator('.tile.dimmed[data-pod="auth/web-1"]').waitFor();
  expect(await page.locator('.tile.dimmed').count()).toBe(1);
  expect(await row.getAttribute('aria-pressed')).toBe('true');
  expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^shop/);
  await page.keyboard.press('Enter');
  await page.locator('.tile.dimmed').waitFor({ state: 'detached' });
  expect(await page.locator('#cost-list button').count()).toBe(2);
});

test('when its last pod goes, a namespace that is shown alone no longer dims the others', async () => {
  world.running(INSTANCE, [
    ['shop/web-1', '500m', '1Gi'],
    ['auth/web-1', '500m', '1Gi'],
  ]);
  const page = await open();
  await page.locator('#cost-list button', { hasText: 'shop' }).click();
  await page.locator('.tile.dimmed').waitFor();
  world.cluster.delete('Pod', 'shop/web-1');
  await page.locator('.tile[data-pod="auth/web-1"]:not(.dimmed)').waitFor();
  expect(await page.locator('.tile.dimmed').count()).toBe(0);
});

test('colours can stand for pools', async () => {
  world.running(INSTANCE, [['shop/web-1', '500m', '1Gi']]);
  const page = await open();
  await expectText(page, '#legend', 'shop');
  await page.getByLabel('pool', { exact: true }).check();
  await expectText(page, '#legend', 'general');
});

test('what clusters call their things stays text', async () => {
  const markup = '<img src=x onerror=alert(1)>';
  const pod = world.pod('shop/web-1', { cpu: '1' }, { owner: { kind: 'Job', name: markup } });
  world.refuse(pod, [markup, markup, markup]);
  const page = await open({}, '/#/Pod/shop/web-1');
  await expectText(page, '#story', markup);
  expect(await page.locator('img').count()).toBe(0);
});

test('a failure that Berth has logged is shown, with its cause', async () => {
  const page = await open();
  expect(await page.locator('#failures').isVisible()).toBe(false);
  world.logger.error('planning failed', { error: new Error('no answer') });
  await expectText(
    page,
    '#failures',
    'Berth failed once in the last ten minutes. Latest: planning failed: no answer',
  );
});

test('the stream is taken up again when the server comes back', async () => {
  const page = await open();
  world.dashboard.close();
  await page.locator('.status.lost').waitFor();
  world.pod('shop/web-1', { cpu: '1' });
  await page.locator('.status.live').waitFor({ timeout: 10_000 });
  await expectText(page, '#pending-list', 'shop/web-1');
});
