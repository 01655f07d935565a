import { existsSync } from 'node:fs';
import type { Context } from 'mocha';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The shell without windows costs a quarter of the browser's start and of each new profile. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = BROWSERS.find((path) => existsSync(path));
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Skips the test or the hook, with the reason, when there is no browser. */
export function needsBrowser(test: Context): void {
  if (CHROMIUM) return;
  console.log(`    skipped: there is no ${BROWSERS.join(' or ')}`);
  test.skip();
}

/**
 * A browser profile of its own with one page; `complaints` are the errors of its console, including those of scripts and
 * policies.
 */
export type TestBrowser = { context: BrowserContext; page: Page; complaints: string[]; close(): Promise<void> };

/** The browser of this process. It ends with the process: a start costs more than most tests in it. */
let browser: Promise<Browser> | undefined;

/** Opens a profile. A 4xx response is not counted as a complaint: Chromium logs each in the console. */
export async function openBrowser(options: BrowserContextOptions = {}): Promise<TestBrowser> {
  browser ??= chromium.launch({ ...(CHROMIUM && { executablePath: CHROMIUM }), args: FLAGS });
  const context = await (await browser).newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    const isApiError = /^Failed to load resource: .* status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isApiError) complaints.push(message.text());
  });
  return {
    context,
    page,
    complaints,
    close: () => context.close(),
  };
}

const FOCUSED = `(() => {
  const { activeElement: it } = document;
  const text = it.getAttribute('aria-label') ?? it.labels?.[0]?.innerText ?? it.innerText ?? '';
  return { name: text.trim(), isVisible: it === document.body || getComputedStyle(it).outlineStyle !== 'none' };
})()`;

/** The name of the focused element, and whether its focus is visible. */
export const focused = (page: Page) => page.evaluate<{ name: string; isVisible: boolean }>(FOCUSED);

/**
 * Presses Tab until the element with that name has the focus, which must always be visible. Throws when it is never
 * reached.
 */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    const held = await focused(page);
    if (!held.isVisible) throw new Error(`The focus on ${held.name} cannot be seen`);
    if (typeof name === 'string' ? held.name === name : name.test(held.name)) return;
  }
  throw new Error(`No Tab leads to ${name}`);
}

const NAMELESS =
  /^\s*- (?:button|link|textbox|combobox|checkbox|spinbutton|table|navigation|searchbox|search|dialog|group|img)\b(?! ")/;

const TWICE = `[...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, n, all) => all.indexOf(id) !== n)`;

/**
 * What a screen reader would miss: controls, tables and landmarks without a name, any number of first headings but one,
 * and ids that two elements have: the focus goes to the first.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const lines = (await page.locator('body').ariaSnapshot()).split('\n');
  const first = lines.filter((line) => /heading .*\[level=1\]/.test(line));
  const mains = lines.filter((line) => /- main/.test(line));
  return [
    ...lines.filter((line) => NAMELESS.test(line)),
    ...(first.length === 1 ? [] : [`${first.length} first headings`]),
    ...(mains.length > 1 ? ['more than one main'] : []),
    ...(await page.evaluate<string[]>(TWICE)).map((id) => `two of #${id}`),
  ];
}

const LOW_CONTRAST = `(() => {
  const parts = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return { rgb: [r, g, b], a }; };
  const over = (top, below) => top.rgb.map((part, n) => part * top.a + below[n] * (1 - top.a));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) =>
    element ? over(parts(getComputedStyle(element).backgroundColor), ground(element.parentElement)) : [255, 255, 255];
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((m, n) => n - m); return (x + 0.05) / (y + 0.05); };
  const faint = [];
  for (const element of document.querySelectorAll('body *')) {
    const isWritten = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) || element.matches('input, select, textarea');
    if (!isWritten || !element.checkVisibility() || element.closest(':disabled, svg')) continue;
    const below = ground(element);
    const found = ratio(over(parts(getComputedStyle(element).color), below), below);
    if (found < 4.5) faint.push(element.tagName + ' ' + element.textContent.slice(0, 40) + ': ' + found.toFixed(2));
    if (!element.matches('button, input, select, textarea')) continue;
    const edge = ratio(parts(getComputedStyle(element).borderTopColor).rgb, ground(element.parentElement));
    if (edge < 3) faint.push('the edge of ' + element.tagName + ' ' + element.id + ': ' + edge.toFixed(2));
  }
  return faint;
})()`;

/** Texts with a contrast below 4.5:1, and controls whose edge is below 3:1 (WCAG 2.2, 1.4.3 and 1.4.11). */
export const lowContrast = (page: Page) => page.evaluate<string[]>(LOW_CONTRAST);

/** By how many pixels the page is wider than its window. */
export const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
