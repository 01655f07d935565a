import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from './browser.ts';
import type { TestApp } from './identity.ts';

/** The workbench in a browser of its own. */
export type Workbench = {
  browser: TestBrowser;
  page: Page;
  enter(credential: string, secret?: string): Promise<void>;
  /** Enters, and waits for the first view. */
  enterAs(caller: string | Pick<TestApp, 'appId' | 'secret'>): Promise<void>;
  show(view: string): Promise<void>;
};

/** Opens a browser for the workbench of a service; by default in the window of a desktop. */
export async function openWorkbench(url: string, viewport = { width: 1280, height: 900 }): Promise<Workbench> {
  const browser = await openBrowser({ reducedMotion: 'reduce', viewport, bypassCSP: true });
  const { page } = browser;
  const enter = async (credential: string, secret = '') => {
    await page.goto(`${url}/workbench`);
    await page.getByLabel('Partner key, or client id').fill(credential);
    await page.getByLabel('Client secret').fill(secret);
    await page.getByRole('button', { name: 'Open' }).click();
  };
  return {
    ...{ browser, page, enter },
    async enterAs(caller) {
      await (typeof caller === 'string' ? enter(caller) : enter(caller.appId, caller.secret));
      await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    },
    async show(view) {
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: view }).waitFor();
      await page.locator('#content > [aria-busy]').waitFor({ state: 'detached' });
    },
  };
}
