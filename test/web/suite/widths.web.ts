/** The page's layout with the longest texts that a cluster can hold, on screens of every width. */
import type { Browser, Page } from 'playwright-core';
import { openBrowser, openPage, type WatchedPage } from '../fixture/browser.js';
import { longTexts } from '../fixture/long-texts.js';
import { PageWorld } from '../fixture/page-world.js';

const WIDTHS = [320, 375, 390, 414, 600, 768, 900, 901, 1024, 1180, 1280, 1400, 1920, 2560] as const;

/**
 * What is wider than it may be: the document, anything that scrolls, and every element that ends beyond the window without
 * being inside something that scrolls or cuts; costs that are cut, since a part of a number is a wrong number.
 */
const TOO_WIDE = `(() => {
  const root = document.documentElement;
  const found = [];
  const said = (element, why) => found.push([element.tagName, element.id, element.className, why].join(' '));
  if (root.scrollWidth > root.clientWidth) said(root, root.scrollWidth + ' > ' + root.clientWidth);
  const limitOf = (element) => {
    for (let at = element.parentElement; at !== null; at = at.parentElement) {
      if (getComputedStyle(at).overflowX !== 'visible') return undefined;
    }
    return root.clientWidth;
  };
  for (const element of document.querySelectorAll('body *')) {
    if (element.getClientRects().length === 0) continue;
    const { overflowX } = getComputedStyle(element);
    const scrolls = overflowX === 'auto' || overflowX === 'scroll';
    if (scrolls && element.scrollWidth > element.clientWidth) said(element, 'scrolls sideways');
    const limit = limitOf(element);
    const { right } = element.getBoundingClientRect();
    if (limit !== undefined && right > limit + 0.5) said(element, 'ends at ' + right);
  }
  for (const list of document.querySelectorAll('.costs')) {
    const { right } = list.getBoundingClientRect();
    for (const cost of list.querySelectorAll('b')) {
      const end = cost.getBoundingClientRect().right;
      if (end > right + 0.5 || cost.scrollWidth > cost.clientWidth + 1) said(cost, 'the cost is cut');
    }
  }
  return found;
})()`;

let browser: Browser;
let world: PageWorld;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser();
  world = new PageWorld();
  longTexts(world);
  watched = await openPage(browser, await world.serve());
  ({ page } = watched);
  await page.locator('.status.live').waitFor();
  await page.locator('#decision-list').getByText('Drain: TerminationGracePeriodExpiring').waitFor();
  await page.locator('#failures').waitFor();
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

async function tooWide(width: number): Promise<unknown> {
  await page.setViewportSize({ width, height: 900 });
  // Sizes are observed after the layout, and drawn a frame later.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return page.evaluate(TOO_WIDE);
}

test.each(WIDTHS)('with the longest texts nothing is wider than a window of %i px', async (width) => {
  expect(await tooWide(width)).toEqual([]);
});

test.each([
  ['a pod that no node takes', '#pending-list a'],
  ['a node', '.box.ready'],
  ['a NodePool', '.pool h3 a'],
  ['a Decision', '#decision-list a'],
])('the story of %s is never wider than its window', async (_what, link) => {
  const target = await page.locator(link).first().getAttribute('href');
  await page.evaluate(`location.hash = ${JSON.stringify(target)}`);
  await page.locator('#story .facts').waitFor();
  for (const width of WIDTHS) expect([width, await tooWide(width)]).toEqual([width, []]);
});

test('the page has no complaint', () => {
  expect(watched.complaints).toEqual([]);
});
