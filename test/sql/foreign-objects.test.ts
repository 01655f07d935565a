import { expect } from 'chai';
import { findPaymentOfIntent } from '../../src/capabilities/payments/queries.ts';
import { mintApiKey } from '../../src/capabilities/trading/keys/commands.ts';
import { newIntentId, type OwnerId } from '../../src/kernel/ids.ts';
import { findOrderByHandle, findOrderPair, listResting } from '../../src/venues/network/orders/queries.ts';
import { listHandles } from '../../src/venues/queries.ts';
import { openPeople, type People } from '../support/people.ts';

/** Objects of ann at app a, of bob there, and of ann’s namesake at app b: nobody reaches those of another. */
describe('objects that are named by their id', () => {
  let people: People;
  before(async () => {
    people = await openPeople();
    await people.renew();
  });
  after(() => people.close());
  const run: People['run'] = (...args) => people.run(...args);
  const ask: People['ask'] = (...args) => people.ask(...args);

  it('network orders, for their trader and owner', async () => {
    const ids = { ann: newIntentId(), bob: newIntentId() };
    for (const [name, id] of Object.entries(ids))
      await run(
        `insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle)
         values ($1::uuid, 'netvenue', 'a', $2, 'BTCUSD', 'same', '{}', 'resting')`,
        ...[id, name],
      );

    expect((await listResting(people.db, 'ann')).map(({ id }) => id)).to.deep.equal([ids.ann]);
    expect(await findOrderByHandle(people.db, 'ann', 'same')).to.include({ id: ids.ann });
    expect(await findOrderByHandle(people.db, 'bob', 'same')).to.include({ id: ids.bob });
    const handles = async (owner: string, trader: string) =>
      (await listHandles(people.db, { owner, trader }, Object.values(ids))).size;
    expect([await handles('a', 'ann'), await handles('b', 'ann'), await handles('a', 'nobody')]).to.deep.equal([
      1, 0, 0,
    ]);
    expect(await findOrderPair(people.db, 'a', 'ann', ids.ann)).to.equal('BTCUSD');
    expect(await findOrderPair(people.db, 'b', 'ann', ids.ann), 'another app').to.equal(null);
    expect(await findOrderPair(people.db, 'a', 'bob', ids.ann), 'another trader').to.equal(null);
  });

  it('prop accounts, for orders of their app and user', async () => {
    const verdict = async (account: string, owner: string, user: string | null) => {
      const item = {
        n: 1,
        id: newIntentId(),
        prop_account_id: account,
        owner,
        user_id: user,
        trader: 'x',
        kind: 'network/place',
      };
      return ask(`(select a.verdict from accept_trading_orders($1::jsonb) a)`, JSON.stringify([item]));
    };

    expect(await verdict('ann@a', 'a', 'ann@a')).to.equal('subaccount_missing');
    expect(await verdict('ann@a', 'a', 'bob@a')).to.equal('account_unknown');
    expect(await verdict('ann@a', 'b', null)).to.equal('account_unknown');
  });

  it('prop accounts, for orders of the subaccount that they have at that moment', async () => {
    const verdict = (status: string, trader: string) =>
      ask(
        `trading_verdict(jsonb_populate_record(null::prop_accounts, $1::jsonb), $2)`,
        ...[JSON.stringify({ id: 'ann@a', synthetic_hotkey: 'hk', status }), trader],
      );

    expect(await verdict('funded', 'hk')).to.equal(null);
    expect(await verdict('funded', 'hk of before')).to.equal('subaccount_missing');
    expect(await verdict('subaccount_failed', 'hk')).to.equal('subaccount_missing');
    expect(await verdict('eliminated', 'hk')).to.equal('not_tradeable');
  });

  it('payments, for their user', async () => {
    const intent = newIntentId();
    await run(
      `insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id)
       values ('pay', 'a', 'ann@a', 'tier_x', 'm', 'crypto', 1, 100, 'usd', $1)`,
      intent,
    );

    expect((await findPaymentOfIntent(people.db, 'a' as OwnerId, 'ann@a', intent))?.id).to.equal('pay');
    expect(await findPaymentOfIntent(people.db, 'a' as OwnerId, 'bob@a', intent)).to.equal(null);
  });

  it('payouts, for their app and user, by that user’s own verification and payout account', async () => {
    await run(`update prop_accounts set status = 'eliminated'`);
    for (const [id, app] of [
      ['ann@a', 'a'],
      ['bob@a', 'a'],
    ] as const)
      await run(
        `insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
         values ($1, $2, $1, $1, true, true, true)`,
        ...[id, app],
      );
    await run(
      `insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency)
       values ('out', 'a', 'ann@a', 'ann@a', 'ann@a', 100, 'usd')`,
    );
    const submit = (app: string, user: string) =>
      ask(`(select s.verdict from submit_payout('out', $1, $2, '{}', 100) s)`, app, user);
    const obstacle = (to: string) => ask(`payout_obstacle('ann@a', $1, 1, 101)`, to);

    expect(await submit('a', 'ann@a')).to.equal('V2_ACCOUNT_NOT_FUNDED');
    expect(await submit('a', 'bob@a')).to.equal('unknown');
    expect(await submit('b', 'ann@a')).to.equal('unknown');
    await run(`insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      values ('hk', 'hk', 1, 'a', gen_random_uuid(), 'crypto', 1, 'active')`);
    await run(`update prop_accounts set status = 'funded', synthetic_hotkey = 'hk' where id = 'ann@a'`);
    const verified = (id: string) =>
      run(
        `insert into kyc_cases (user_id, owner, provider, session_id, status, verified_at) values ($1, 'a', 'p', $1, 'verified', now())`,
        id,
      );
    await verified('bob@a');
    expect(await obstacle('ann@a'), 'verified is another').to.equal('V2_KYC_REQUIRED');
    await verified('ann@a');
    expect(await obstacle('bob@a'), 'to another').to.equal('V2_PAYOUT_ACCOUNT_NOT_READY');
    expect(await obstacle('ann@a')).to.equal(null);
  });

  describe('webhook endpoints', () => {
    before(async () => {
      for (const app of ['a', 'b']) {
        await run(
          `insert into webhook_endpoints (id, owner, url, events, created_at) values ($1, $1, 'https://x', '{*}', now() - interval '1 hour')`,
          app,
        );
        await run(`insert into webhook_secrets (id, endpoint_id, sealed) values ($1, $1, 'sealed')`, app);
        await run(
          `insert into events (id, owner, type, position, data, created_at) values ($1, $1, 'x.y', -1, '', now())`,
          app,
        );
        await run(
          `insert into webhook_deliveries (id, owner, endpoint_id, event_id, state, ended_at) values ($1, $1, $1, $1, 'failed', now())`,
          app,
        );
      }
    });
    const recover = (app: string, endpoint: string) =>
      ask(
        `(select array[r.verdict, r.queued::text] from recover_endpoint($1, $2, now() - interval '1 hour', 10, 10, 0) r)`,
        app,
        endpoint,
      );

    it('are tested, and their deliveries sent again, for their app alone', async () => {
      expect(await ask(`test_endpoint('a', 'b')`)).to.equal(null);
      expect(await ask(`redeliver('a', 'b')`)).to.equal('unknown');
      expect(await recover('a', 'b')).to.deep.equal(['unknown', '0']);
      expect(await run(`select from webhook_deliveries where state = 'pending'`)).to.equal(0);
      const ofA = await ask(`(select count(*)::text from events where owner = 'a')`);
      expect(await recover('a', 'a')).to.deep.equal(['queued', ofA]);
      expect(await ask(`redeliver('b', 'b')`)).to.equal('queued');
      expect(await ask(`test_endpoint('b', 'b')`)).to.be.a('string');
    });

    it('get new secrets for their app alone, and secrets that have ended do not count among the three that still sign', async () => {
      const rotate = (app: string, id: string) =>
        ask(`rotate_webhook_secret($1, 'b', $2, 'sealed', 3600, '{}')::text`, app, id);
      await run(`insert into webhook_secrets (id, endpoint_id, sealed, created_at, expires_at)
        select 'ended ' || n, 'b', 'sealed', now() + interval '1 second', now() from generate_series(1, 3) n`);

      expect(await rotate('a', 'new')).to.equal(null);
      expect(await rotate('b', 'new')).to.be.a('string');
      expect(
        await run(`select from webhook_secrets where id = 'b' and expires_at > now() + interval '59 minutes'`),
      ).to.equal(1);
      expect(await run(`select from webhook_secrets where endpoint_id = 'b' and expires_at is null`)).to.equal(1);
    });
  });

  it('keys, made in a session that lives', async () => {
    const mint = (sessionId: string) => mintApiKey(people.db, { owner: 'b', userId: 'ann@b', sessionId }, 'ann@b', '');
    await run(`update user_sessions set revoked_at = now() where id = 't ann@b'`);

    expect(await mint('s ann@b')).to.have.property('api_key');
    expect(await mint('t ann@b').catch((fault) => fault.code)).to.equal('V2_SESSION_INVALID');
  });
});
