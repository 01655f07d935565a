import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { overflow } from './browser.ts';

const AXE = new URL(import.meta.resolve('axe-core/axe.min.js'));
const WIDTHS = [320, 768, 1600];

/** Puts axe into every page that a browser opens from now on. */
export async function addAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: await readFile(AXE, 'utf8') });
}

/** Removes rows that are alike from long tables and lists: a few of them stand for all. */
const SHORTEN = `document.querySelectorAll('tbody tr:nth-child(n+9), details:nth-of-type(n+4), section ~ section details:nth-of-type(n+2)')
  .forEach((row) => row.remove())`;

/** What axe finds on a page, by rule and element. */
async function violations(page: Page, options = '{}'): Promise<string[]> {
  const run = `axe.run({ resultTypes: ['violations'], ...${options} })`;
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(run);
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}

/**
 * The faults of a page at 320, 768 and 1600 pixels: what axe finds in light and, as to colours, in dark, and a page that is
 * wider than its window.
 */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(SHORTEN);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    if ((await overflow(page)) > 0) found.push(`${width}: wider than the window`);
    await page.emulateMedia({ colorScheme: 'light' });
    found.push(...(await violations(page)).map((fault) => `${width} light: ${fault}`));
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await violations(page, "{ runOnly: ['color-contrast'] }"); // all that a scheme changes
    found.push(...dark.map((fault) => `${width} dark: ${fault}`));
  }
  return found.map((fault) => `${name} at ${fault}`);
}
