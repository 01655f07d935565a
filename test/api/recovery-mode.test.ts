import { expect } from 'chai';
import { sql } from 'slonik';
import { type Caller, caller } from '../support/caller.ts';
import { asking, bearer, type Identity, PASSWORD, startIdentity } from '../support/identity.ts';
import { market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { type Running, startWebProcess } from '../support/processes.ts';

const ORDERS = '/v1/orders/netvenue';

describe('web in RECOVERY_MODE', function () {
  this.timeout(60_000);
  let service: Identity;
  let web: Running & { url: string };
  let trader: Caller;
  before(async () => {
    service = await startIdentity({ READY_QUEUE_AGE_S: '1' });
    const { key, traderId } = await service.trader();
    web = await startWebProcess({ ...service.settings, RECOVERY_MODE: 'true', PORT: '0' });
    trader = caller(web.url, key, { 'Trader-ID': traderId });
  });
  after(async () => {
    web.kill('SIGKILL');
    await web.exited;
    await service.stop();
  });

  it('accepts no write: it is to be retried, and its effect is unknown under an id or a key of the caller', async () => {
    const intents = () => service.db.oneFirst(sql.unsafe`select count(*) from intents`);
    const before_ = await intents();
    const { order_uuid: _, ...unnamed } = { order_uuid: undefined, ...market() };

    const plain = await trader.post(ORDERS, unnamed);
    const named = await trader.post(ORDERS, { ...unnamed, order_uuid: '01890a5d-ac96-774b-bcce-b302099a8057' });
    const keyed = await trader.post(
      '/v1/register/netvenue',
      { asset_class: 'crypto', account_size: 10_000 },
      { key: 'one' },
    );
    const cancelled = await trader.delete(`${ORDERS}/01890a5d-ac96-774b-bcce-b302099a8057?trade_pair=BTCUSDC`);

    for (const [reply, effect] of [
      [plain, 'none'],
      [named, 'unknown'],
      [keyed, 'unknown'],
      [cancelled, 'none'],
    ] as const) {
      expectProblem(reply, 'SERVICE_UNAVAILABLE', { retryable: true, effect, reason: 'recovery' });
      expect(reply.headers['retry-after']).to.equal('60');
    }
    expect(await intents()).to.equal(before_);
  });

  it('reads, and is ready although no job runs', async () => {
    await service.db.query(
      sql.unsafe`select graphile_worker.add_job('network/place', run_at => now() - interval '1 minute', job_key => 'late')`,
    );

    const [listed, ready] = [await trader.get(ORDERS), await trader.get('/readyz')];

    expect([listed.status, ready.status]).to.deep.equal([200, 200]);
  });

  it('lets users and operators in, who do all but what moves money or creates accounts', async () => {
    const app = await service.app();
    const user = await service.user(app);
    const ask = asking(web.url, bearer(app.token));
    const operator = await service.admin();
    const askAdmin = asking(web.url, bearer(operator.token));

    const token = await asking(web.url)('POST', '/v2/oauth/token', {
      form: { grant_type: 'client_credentials', client_id: app.appId, client_secret: app.secret },
    });
    const login = await ask('POST', '/v2/auth/login', { json: { email: user.email, password: PASSWORD } });
    const reset = await ask('POST', '/v2/auth/password-reset/request', { json: { email: user.email } });
    const queue = await askAdmin('GET', '/v2/admin/queue');
    const rerun = await askAdmin('POST', '/v2/admin/intents/01890a5d-ac96-774b-bcce-b302099a8057/rerun', {
      json: { reason: 'to see' },
    });
    const moved = [];
    for (const path of ['payments/pay_none/refund', 'payouts/po_none/reverse', 'prop-accounts/prop_none/provision'])
      moved.push(await askAdmin('POST', `/v2/admin/${path}`, { json: { reason: 'to see' } }));

    expect([token, login, queue].map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(rerun.status).to.equal(404);
    for (const { status, body } of [reset, ...moved]) {
      expect(status).to.equal(503);
      expect(body.error.reason).to.equal('recovery');
    }
  });
});
