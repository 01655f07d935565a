import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { digest } from '../../../src/kernel/ids.ts';
import { atOnce, statuses } from '../../support/identity.ts';
import { accountIn, checkOut } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../../support/trading.ts';

const KEYS = '/v2/api-keys';
const POSITIONS = `${TRADING}/positions`;

describe('trader API keys', () => {
  let service: Trading;
  let trader: TestTrader;
  let other: TestTrader;
  before(async () => {
    service = await startTrading();
    [trader, other] = [await service.propTrader(), await service.propTrader()];
  });
  after(() => service.stop());

  it('createApiKey shows the secret once, and stores only its digest', async () => {
    const json = { label: 'my bot', prop_account_id: trader.account.id };
    const { status, body, headers } = await trader.ask('POST', KEYS, { json });
    const listed = (await trader.ask('GET', KEYS)).body.find(({ id }: { id: string }) => id === body.id);
    const rows = await service.db.any(sql.type(z.object({ row: z.string(), digest: z.instanceof(Buffer) }))`
      select to_jsonb(k)::text as row, k.digest from trader_keys k where k.id = ${body.id}`);

    expect(status).to.equal(200);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(body).to.include({ label: 'my bot', prop_account_id: trader.account.id });
    expect(body.id).to.match(/^key_/);
    expect(body.api_key).to.equal(`${body.key_id}.${body.key_secret}`);
    expect(listed).to.include({ id: body.id, key_id: body.key_id, last_used_at: null, revoked_at: null });
    expect(listed).not.to.have.any.keys('key_secret', 'api_key');
    expect(rows[0]?.row).not.to.include(body.key_secret);
    expect(rows[0]?.digest.equals(digest(body.api_key))).to.equal(true);
  });

  it('binds a key to the most recent account by default, and never to an account of another user', async () => {
    const { body } = await trader.ask('POST', KEYS, { json: { label: 'bot' } });

    expect(body).to.include({ prop_account_id: trader.account.id });
    const foreign = { json: { label: 'bot', prop_account_id: other.account.id } };
    expectRejected(await trader.ask('POST', KEYS, foreign), 'V2_PROP_ACCOUNT_UNKNOWN');
  });

  it('binds a key to the newest account that may trade, not to a newer one that failed', async () => {
    const buyer = await service.propTrader();
    service.miner.faults.add({ kind: 'reject', route: '/miner/api/create-subaccount', times: 1 });
    const { processor_payment_intent_id: id } = await checkOut(buyer.ask);
    await service.control('payment', { id, to: 'succeeded' });
    await accountIn(buyer.ask, 'subaccount_failed');

    const { body } = await buyer.ask('POST', KEYS, { json: { label: 'bot' } });

    expect(body).to.include({ prop_account_id: buyer.account.id });
  });

  it('returns the same key again under one Idempotency-Key', async () => {
    const request = { json: { label: 'once' }, headers: { 'Idempotency-Key': 'mint' } };

    const [first, again] = [await trader.ask('POST', KEYS, request), await trader.ask('POST', KEYS, request)];

    expect(again.body).to.deep.equal(first.body);
  });

  it('grants access to its own account and no other, whether the account is named or not', async () => {
    const key = await trader.key();
    const named = (id: string) => key.ask('GET', POSITIONS, { headers: { 'X-Prop-Account': id } });

    expect((await key.ask('GET', POSITIONS)).status).to.equal(200);
    expect((await named(trader.account.id)).status).to.equal(200);
    expectRejected(await named(other.account.id), 'V2_API_KEY_ACCOUNT_MISMATCH');
    expectRejected(await named('prop_nobody'), 'V2_API_KEY_ACCOUNT_MISMATCH');
  });

  it('records its use at most once a minute', async () => {
    const key = await trader.key();
    const used = async () =>
      (await trader.ask('GET', KEYS)).body.find(({ id }: { id: string }) => id === key.id).last_used_at;

    await key.ask('GET', POSITIONS);
    const first = await used();
    await key.ask('GET', POSITIONS);
    const second = await used();
    await service.db.query(sql.unsafe`
      update trader_keys set last_used_at = now() - interval '61 seconds' where id = ${key.id}`);
    await key.ask('GET', POSITIONS);

    expect(first).to.be.a('string');
    expect(second).to.equal(first);
    expect(Date.parse(await used())).to.be.above(Date.parse(first));
  });

  it('makes nobody wait for a transaction that has locked one of them', async () => {
    const [locked, free] = [await trader.key(), await other.key()];
    const read = async () =>
      (await Promise.all([locked, free].map(({ ask }) => ask('GET', POSITIONS)))).map(({ status }) => status);

    const replies = await service.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select from trader_keys where id = ${locked.id} for update`);
      return Promise.race([read(), sleep(1_500, 'none')]);
    });

    expect(replies).to.deep.equal([200, 200]);
  });

  it('revokeApiKey revokes it permanently, for its own user only', async () => {
    const key = await trader.key();

    expectRejected(await other.ask('DELETE', `${KEYS}/${key.id}`), 'V2_API_KEY_UNKNOWN');
    expect((await key.ask('GET', POSITIONS)).status).to.equal(200);
    for (const _ of [1, 2])
      expect((await trader.ask('DELETE', `${KEYS}/${key.id}`)).body).to.deep.equal({ revoked: true });

    const reply = await key.ask('GET', POSITIONS);
    expectRejected(reply, 'V2_API_KEY_INVALID');
    expect(reply.headers.get('www-authenticate')).to.match(/^ApiKey /);
    expectRejected(await trader.ask('DELETE', `${KEYS}/key_nobody`), 'V2_API_KEY_UNKNOWN');
  });

  it('grants nothing once its app may not trade any more, or is disabled', async () => {
    const key = await other.key();
    await service.db.query(sql.unsafe`update apps set allowed_scopes = '{reads}' where id = ${service.tenant.appId}`);
    const without = await key.ask('GET', POSITIONS);
    await service.db.query(sql.unsafe`
      update apps set allowed_scopes = '{api}', disabled_at = now() where id = ${service.tenant.appId}`);
    const disabled = await key.ask('GET', POSITIONS);
    await service.db.query(sql.unsafe`update apps set disabled_at = null where id = ${service.tenant.appId}`);

    expectRejected(without, 'V2_API_KEY_INVALID');
    expectRejected(disabled, 'V2_API_KEY_INVALID');
    expect((await key.ask('GET', POSITIONS)).status).to.equal(200);
  });

  it('is limited in number per account', async () => {
    const busy = await service.propTrader();

    const replies = await atOnce(25, () => busy.ask('POST', KEYS, { json: { label: 'bot' } }));

    expect(statuses(replies)).to.deep.equal({ 200: 20, 409: 5 });
    for (const rejected of replies.filter(({ status }) => status === 409))
      expectRejected(rejected, 'V2_API_KEY_TOO_MANY');
    const minted = replies.find(({ status }) => status === 200);
    await busy.ask('DELETE', `${KEYS}/${minted?.body.id}`);
    expect((await busy.ask('POST', KEYS, { json: { label: 'instead' } })).status).to.equal(200);
  });

  it('app and user have access to their own accounts only; the app alone has to name one', async () => {
    const outsider = await service.app(['api']);
    const user = await service.user(outsider);
    const readForeign = (ask: typeof trader.ask) =>
      ask('GET', POSITIONS, { headers: { 'X-Prop-Account': trader.account.id } });

    expect((await readForeign(trader.ask)).status).to.equal(200);
    expect((await trader.ask('GET', POSITIONS)).status).to.equal(200);
    expect((await readForeign(service.tenant.ask)).status).to.equal(200);
    expectRejected(await service.tenant.ask('GET', POSITIONS), 'INVALID_REQUEST');
    for (const ask of [other.ask, user.ask, outsider.ask])
      expectRejected(await readForeign(ask), 'V2_PROP_ACCOUNT_UNKNOWN');
    expectRejected(await user.ask('GET', POSITIONS), 'V2_PROP_ACCOUNT_UNKNOWN');
    const order = { json: { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1 } };
    const headers = { 'X-Prop-Account': trader.account.id };
    expectRejected(await other.ask('POST', `${TRADING}/orders`, { ...order, headers }), 'V2_PROP_ACCOUNT_UNKNOWN');
  });

  it('hides orders and intents of one account from another', async () => {
    const json = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1 };
    const { body } = await trader.ask('POST', `${TRADING}/orders`, { json });
    const key = await other.key();

    expectRejected(await key.ask('GET', `${TRADING}/orders/${body.order_uuid}`), 'V2_ORDER_UNKNOWN');
    expectRejected(await key.ask('GET', `${TRADING}/intents/${body.order_uuid}`), 'INTENT_UNKNOWN');
    expectRejected(
      await key.ask('DELETE', `${TRADING}/orders/${body.order_uuid}?trade_pair=BTCUSDC`),
      'V2_ORDER_UNKNOWN',
    );
    expect((await key.ask('GET', `${TRADING}/orders`)).body).to.deep.equal([]);
  });
});
