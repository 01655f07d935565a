import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { caller } from '../support/caller.ts';
import { openEach, type TestConsole } from '../support/console.ts';
import { type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';

describe('tiers and quotas in the console', function () {
  this.timeout(60_000);
  let service: Identity;
  let desk: TestConsole;
  let page: Page;
  let operator: TestAdmin;
  openEach(
    () => startIdentity({ THROTTLE_SCALE: '1' }, false),
    async (opened) => {
      ({ service, desk, page } = opened);
      operator = await desk.logIn();
    },
  );

  const press = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  const tier = async () => {
    const { body } = await operator.ask('GET', '/v2/admin/tiers');
    return body.find(({ tier_id }: { tier_id: string }) => tier_id === 'tier_desk');
  };

  it('makes a tier, changes its price and its size, and takes it off sale', async () => {
    await desk.show('tiers');
    await page.getByRole('button', { name: 'Make a tier' }).click();
    await page.getByLabel('Id', { exact: true }).fill('tier_desk');
    await page.getByLabel('Account size in USD').fill('5000');
    await page.getByLabel('Price in the smallest unit').fill('49');
    await press('Make');
    const reported = await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'INVALID' }).innerText();
    await page.getByLabel('Price in the smallest unit').fill('4900');
    await press('Make');
    await desk.waitForText('tier_desk is saved.');
    const made = await tier();
    await page.getByRole('button', { name: 'Change: tier_desk' }).click();
    await page.getByLabel('Price in the smallest unit').fill('5900');
    await page.getByLabel('Account size in USD').fill('6000');
    await press('Change');
    await page.getByRole('cell', { name: '$59.00' }).waitFor();
    await page.getByRole('button', { name: 'Take off sale: tier_desk' }).click();
    await press('Take off sale');
    await desk.waitForText('tier_desk is not on sale.');

    const base = { tier_id: 'tier_desk', market: 'crypto', asset_class: 'crypto', currency: 'usd' };
    expect(reported).to.include('must be 0, or an integer of at least 50');
    expect(made).to.deep.equal({ ...base, account_size: 5_000, amount_cents: 4_900, active: true });
    expect(await tier()).to.deep.equal({ ...base, account_size: 6_000, amount_cents: 5_900, active: false });
  });

  it('shows prices, and the amount to type before a refund, with the decimals that the processor counts in', async () => {
    const prices = { jpy: '¥19,900', huf: 'HUF 199.00', kwd: 'KWD 19.900', usd: '$199.00' };
    const terms = { market: 'crypto', asset_class: 'crypto', account_size: 5_000, amount_cents: 19_900, active: true };
    for (const currency of Object.keys(prices))
      await operator.ask('PUT', `/v2/admin/tiers/tier_${currency}`, { json: { ...terms, currency } });
    await desk.show('tiers');
    const shown = await page.getByRole('row').filter({ hasText: 'tier_' }).getByRole('cell').allInnerTexts();
    const json = Object.keys(prices).map(paidIn);
    await page.route('**/v2/admin/payments/unfulfilled*', (route) => route.fulfill({ json }));
    await desk.show('unfulfilled');
    const words: string[] = [];
    for (const currency of Object.keys(prices)) {
      await page.getByRole('button', { name: `Refund: pay_${currency}` }).click();
      await page.getByLabel('Reason').fill('the customer wrote');
      await press('Give it back');
      words.push(await page.locator('.twice label').innerText());
      await page.keyboard.press('Escape');
    }

    expect(shown.map((text) => text.replaceAll('\u00a0', ' '))).to.include.members(Object.values(prices));
    expect(words).to.deep.equal(['19900', '199.00', '19.900', '199.00'].map((amount) => `Type ${amount} to go on`));
  });

  const paidIn = (currency: string) => ({
    ...{ payment_id: `pay_${currency}`, owner: 'app_x', user_id: 'usr_x', prop_account_id: null, account_status: null },
    ...{ amount_cents: 19_900, currency, held_cents: 19_900, held_currency: currency },
    ...{ failure_reason: null, safe_action: 'refund', paid_at: '2026-01-01T00:00:00Z' },
  });

  it('shows what a partner uses of its quota, and changes the quota', async () => {
    const { body } = await operator.ask('POST', '/v2/admin/partners', { json: { name: 'Busy partner' } });
    const path = `/v2/admin/partners/${body.partner_id}`;
    await operator.ask('PATCH', path, { json: { requests_per_minute: 2 } });
    for (let n = 0; n < 3; n += 1) await caller(service.url, body.key).get('/v1/sessions');

    await desk.show('partners');
    const row = await page.getByRole('row').filter({ hasText: 'Busy partner' }).innerText();
    await page.getByRole('link', { name: 'Busy partner' }).click();
    await page.getByRole('button', { name: 'Change the partner' }).click();
    await page.getByLabel('Quota: requests a minute').fill('1200');
    await press('Change');
    await desk.waitForText('Busy partner is changed.');
    const shown = await page.getByRole('main').innerText();

    expect(row).to.include('2 of 2 a minute').and.include('exceeded').and.include('1 rejected');
    expect(shown).to.match(/of 1,200 a minute/);
    expect((await operator.ask('GET', path)).body.requests_per_minute).to.equal(1_200);
  });

  it('does not say that the contact address of a partner is removed: it can only be replaced', async () => {
    const { body } = await operator.ask('POST', '/v2/admin/partners', { json: { name: 'Known partner' } });
    const path = `/v2/admin/partners/${body.partner_id}`;
    await operator.ask('PATCH', path, { json: { contact_email: 'ops@example.com' } });
    await desk.show(`partners/${body.partner_id}`);

    await page.getByRole('button', { name: 'Change the partner' }).click();
    await page.getByLabel('Contact address').fill('');
    await press('Change');

    const isInvalid = await page.evaluate('document.querySelector("[name=contact_email]:invalid") !== null');
    expect(isInvalid).to.equal(true);
  });
});
