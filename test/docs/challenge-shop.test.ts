import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { sql } from 'slonik';
import { connect } from '../../src/client/index.ts';
import { withInstalledClient } from '../support/client.ts';
import { asking, codeIn, fresh, PASSWORD } from '../support/identity.ts';
import { eventually, type Money, startMoney } from '../support/money.ts';

const EXAMPLE = new URL('../../src/docs/examples/challenge-shop.ts', import.meta.url);
const MOST_LINES = 200;

describe('the example of a shop', function () {
  this.timeout(60_000);
  let service: Money;
  let text: string;
  before(async () => {
    service = await startMoney();
    text = await readFile(EXAMPLE, 'utf8');
  });
  after(() => service.stop());

  /** Runs the shop with the installed client until `use` has ended; resolves to its exit code. */
  const open = (use: (url: string) => Promise<void>): Promise<number | null> =>
    withInstalledClient(text, async (program) => {
      const app = await service.app(['api', 'webhooks']);
      const env = { ...process.env, SERVICE_URL: service.url, CLIENT_ID: app.appId, CLIENT_SECRET: app.secret };
      const shop: ChildProcess = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(shop, 'exit');
      try {
        const lines = createInterface(shop.stdout as NodeJS.ReadableStream); // as: it is piped
        const [line] = await once(lines, 'line');
        await use(String(line).split(' at ')[1] ?? '');
        const { api, settled } = connect({
          baseUrl: service.url,
          credentials: { clientId: app.appId, clientSecret: app.secret },
        });
        shop.kill('SIGTERM');
        const [code] = await ended;
        const endpoints = await settled(api.GET('/v2/webhook-endpoints'));
        expect(endpoints.map(({ active }) => active)).to.deep.equal([false]);
        return code;
      } finally {
        shop.kill('SIGKILL');
      }
    });

  it('sells an account from the sign-up to the funded account, once however often a click is sent, and receives its events', async () => {
    const code = await open(async (url) => {
      const shop = asking(url);
      const email = `${fresh('visitor')}@example.com`;
      await shop('POST', '/sign-up', { json: { email, password: PASSWORD } });
      const mailed = codeIn((await service.mailTo(email)).text);
      const wrong = await shop('POST', '/verify', { json: { email, code: mailed === '000000' ? '111111' : '000000' } });
      const verified = await shop('POST', '/verify', { json: { email, code: mailed } });
      const visitor = asking(url, { Cookie: verified.headers.getSetCookie()[0]?.split(';')[0] ?? '' });
      const { body: tiers } = await visitor('GET', '/tiers');
      const buy = () =>
        visitor('POST', '/buy', { json: { tier_id: 'tier_25k' }, headers: { 'Idempotency-Key': 'click-1' } });
      const [bought, again] = await Promise.all([buy(), buy()]);
      const unknownCaller = await shop('POST', '/buy', { json: { tier_id: 'tier_25k' } });
      await service.control('payment', { id: String(bought.body.client_secret).split('_secret')[0], to: 'succeeded' });
      const paid = await eventually(async () => {
        const { body } = await visitor('POST', '/payment', { json: { payment_id: bought.body.payment_id } });
        return body.reported && body;
      });
      const accountIn = (status: string) =>
        eventually(async () => {
          const { body } = await visitor('GET', '/accounts');
          return body.length === 1 && body[0].status === status && body[0];
        });
      const account = await accountIn('evaluation');
      const subaccount_id = await service.db.oneFirst(sql.unsafe`
        select s.subaccount_id
        from subaccounts s
        join prop_accounts a on a.synthetic_hotkey = s.synthetic_hotkey
        where a.id = ${account.id}`);
      await service.network({ subaccount_id, bucket: 'SUBACCOUNT_FUNDED' });
      await service.runTask('accounts/sync', { prop_account_id: account.id });
      const funded = await accountIn('funded');
      const forged = await shop('POST', '/hooks', { json: { id: 'evt_forged', type: 'payment.succeeded' } });

      expect(wrong.body).to.include({ code: 'V2_OTP_INVALID', effect: 'none' });
      expect(tiers.map(({ tier_id }: { tier_id: string }) => tier_id)).to.include('tier_25k');
      expect(again.body).to.deep.equal(bought.body);
      expect(unknownCaller.status).to.equal(401);
      expect(paid).to.deep.include({ status: 'succeeded' });
      expect(paid.reported.event).to.equal('payment.succeeded');
      expect(funded.account_size).to.equal(25_000);
      expect(forged.status).to.equal(400);
    });

    expect(code).to.equal(0);
  });

  it('is short', () => {
    expect(text.split('\n').length).to.be.below(MOST_LINES);
  });
});
