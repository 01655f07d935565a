import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { overflow } from './browser.ts';

const AXE = new URL(import.meta.resolve('axe-core/axe.min.js'));
const VIEWS = [
  { width: 320, colorScheme: 'light' },
  { width: 768, colorScheme: null },
  { width: 961, colorScheme: null },
  { width: 1_280, colorScheme: null },
  { width: 1600, colorScheme: 'dark' },
] as const;

/** Puts axe into every page that a browser opens from now on. */
export async function addAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: await readFile(AXE, 'utf8') });
}

/** Removes rows that are alike from long tables and lists: a few of them stand for all. */
const SHORTEN = `document.querySelectorAll('tbody tr:nth-child(n+9), details:nth-of-type(n+4), section ~ section details:nth-of-type(n+2)')
  .forEach((row) => row.remove())`;

/** What axe finds on a page, by rule and element. */
async function violations(page: Page): Promise<string[]> {
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run({ resultTypes: ['violations'] })`,
  );
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}

/**
 * The faults of a page: at widths from 320 to 1600 pixels whether it is wider than its window, and what axe finds at 320 in
 * light and at 1600 in dark. All that a scheme changes are colours, and they do not depend on the width.
 */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(SHORTEN);
  for (const { width, colorScheme } of VIEWS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    if ((await overflow(page)) > 0) found.push(`${width}: wider than the window`);
    if (colorScheme) found.push(...(await violations(page)).map((fault) => `${width} ${colorScheme}: ${fault}`));
  }
  return found.map((fault) => `${name} at ${fault}`);
}
