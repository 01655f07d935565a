import { expect } from 'chai';
import { findOwnRecords } from '../../src/capabilities/search/queries.ts';
import { nodeAt } from '../../src/contract/document.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import type { OwnerId } from '../../src/kernel/ids.ts';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

const ID = (digit: number) => `01890a5d-ac96-774b-bcce-b302099a805${digit}`;
const WALLET = `0x${'c'.repeat(40)}`;

type Found = {
  kind: string;
  id: string;
  title: string;
  state: string;
  owner: string;
  relatives: Record<string, unknown>;
  is_more: boolean;
};

describe('ops.find', () => {
  let intentDb: IntentDatabase;
  let operator: DbSession;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 1, () => {});
    operator = await intentDb.session();
    await intentDb.query(`
      insert into partners (id, name) values ('ptn_f', 'A partner');
      insert into apps (id, slug, name, allowed_scopes) values ('app_f', 'an-app', 'An app', '{api}'), ('app_g', 'other', 'Other', '{api}');
      insert into admins (id, email, password_hash) values ('adm_f', 'op@example.com', 'hash');
      insert into users (id, app_id, email, verified_at)
      values ('usr_f', 'app_f', 'ada@example.com', now()), ('usr_g', 'app_g', 'ada@example.com', null);
      insert into intents (id, kind, owner, state, request, outcome, digest, request_id, deadline_at, settled_at)
      values
        ('${ID(1)}', 'network/place', 'ptn_f', 'succeeded', '{"trader": "e_1"}', '{"result": {}}', 'd', 'req-77', now(), now()),
        ('${ID(2)}', 'payments/checkout', 'app_f', 'succeeded', '{"secret": "canary"}', '{"result": {}}', 'd', null, now(), now()),
        ('${ID(3)}', 'accounts/provision', 'ptn_f', 'succeeded', '{}', '{"result": {}}', 'd', null, now(), now());
      insert into orders (id, venue, owner, trader, pair, handle, terms, executed)
      values ('${ID(1)}', 'exvenue', 'ptn_f', '${WALLET}', 'BTC/USD', 'h', '{}', '{"ex_order_id": "987654321"}');
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, ex_address, status)
      values ('e_1', 'e', 12, 'ptn_f', '${ID(3)}', 'crypto', 10000, '${WALLET}', 'active');
      insert into enrollments (owner, ex_wallet) values ('ptn_f', '${WALLET}');
      insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_f', 'crypto', 'crypto', 1000, 5000);
      insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id, processor_payment_intent_id)
      values ('pay_f', 'app_f', 'usr_f', 'tier_f', 'crypto', 'crypto', 1000, 5000, 'usd', '${ID(2)}', 'pi_f');
      insert into prop_accounts (id, owner, user_id, tier_id, payment_id, market, asset_class, account_size, status)
      values ('prop_f', 'app_f', 'usr_f', 'tier_f', 'pay_f', 'crypto', 'crypto', 1000, 'subaccount_failed');
      insert into kyc_cases (user_id, owner, provider, session_id) values ('usr_f', 'app_f', 'processor', 'vs_f');
      update prop_accounts set upstream_status = 'active', upstream_bucket = 'CHALLENGE';
      insert into connect_accounts (id, owner, user_id, processor_account_id, country, is_abroad, payouts_enabled, charges_enabled, details_submitted)
      values ('con_f', 'app_f', 'usr_f', 'acct_f', 'DE', true, true, true, true);
      insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency, processor_transfer_id, arrival_id)
      values ('po_f', 'app_f', 'usr_f', 'prop_f', 'con_f', 100, 'usd', 'tr_f', 'py_f');
      insert into payment_losses (processor_id, payment_id, kind, amount_cents, status, is_live, rank, said_at)
      values ('du_f', 'pay_f', 'dispute', 5000, 'needs_response', true, 1, now()), ('ch_f', 'pay_f', 'charge', 100, null, true, 1, now());
      insert into processor_events (id, type, said_at, fact, source, payment_id, outcome)
      values ('evt_3Qk2', 'charge.dispute.created', now(), '{"secret": "canary"}', 'notified', 'pay_f', 'applied');
      insert into partner_keys (id, partner_id, digest, hint) values ('pky_f', 'ptn_f', 'd', 'tpk_Ab3x');
      insert into trader_keys (id, key_id, digest, label, owner, user_id, prop_account_id)
      values ('tky_f', 'tdk_f', 'd', 'a bot', 'app_f', 'usr_f', 'prop_f');
      insert into api_requests (owner, at, operation, method, status, code, request_id, intent_id, caller, ms)
      values ('ptn_f', now(), 'submitNetvenueOrder', 'POST', 422, 'VALIDATION_FAILED', 'req-77', null, 'partner', 3);
      insert into webhook_endpoints (id, owner, url, events) values ('whe_f', 'app_f', 'https://example.com/hook?token=canary', '{*}');
      insert into events (id, owner, type, position, data, created_at)
      values ('evt_f', 'app_f', 'payment.succeeded', 1000, '{"data": {"payment_id": "pay_f"}}', now());
      insert into webhook_deliveries (id, owner, endpoint_id, event_id) values ('whd_f', 'app_f', 'whe_f', 'evt_f');
      insert into registrations (id, owner, ex_address, miner_slug, account_size, payer) values ('${ID(6)}', 'ptn_f', '${WALLET}', 'slug', 1000, '0xdd');
      insert into mails (id, template, user_id, recipient, data, secret, expires_at)
      values ('${ID(7)}', 'verify_email', 'usr_f', 'ada@example.com', '{}', 'canary', now());`);
    await operator.query('set role trading_operator');
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  const find = (name: string) => operator.query<Found>('select * from ops.find($1)', [name]);

  for (const [name, ...kinds] of [
    [ID(1), 'intent', 'order'],
    ['req-77', 'intent', 'request'],
    ['987654321', 'order'],
    ['ADA@example.com', 'user', 'user'],
    ['usr_f', 'user'],
    ['pay_f', 'payment'],
    ['pi_f', 'payment'],
    ['prop_f', 'prop_account'],
    ['po_f', 'payout'],
    ['tr_f', 'payout'],
    ['py_f', 'payout'],
    ['e_1', 'subaccount'],
    [WALLET.toUpperCase().replace('X', 'x'), 'subaccount', 'enrollment', 'registration'],
    ['whd_f', 'delivery'],
    ['evt_f', 'delivery', 'event'],
    ['whe_f', 'endpoint'],
    [ID(6), 'registration'],
    [ID(7), 'mail'],
    ['vs_f', 'identity_verification'],
    ['acct_f', 'payout_account'],
    ['du_f', 'dispute'],
    ['ch_f', 'charge'],
    ['evt_3Qk2', 'processor_event'],
    ['trader 12', 'subaccount'],
    ['12', 'subaccount'],
    ['app_f', 'app'],
    ['an-app', 'app'],
    ['an APP', 'app'],
    ['ptn_f', 'partner'],
    ['A part', 'partner'],
    ['tpk_Ab3x', 'partner_key'],
    ['tdk_f', 'trader_key'],
    ['op@example.com', 'operator'],
    ['adm_f', 'operator'],
  ] as const)
    it(`finds by ${name}: ${kinds.join(', ')}`, async () => {
      const found = await find(name);

      expect(found.map(({ kind }) => kind)).to.have.members([...kinds]);
      expect(JSON.stringify(found)).not.to.include('canary');
    });

  it('shows what the network says of an account, and why money of an account abroad waits', async () => {
    const titles = await Promise.all(['prop_f', 'acct_f'].map(async (name) => (await find(name))[0]?.title));

    expect(titles).to.deep.equal([
      'tier_f, at the network challenge active',
      'DE, abroad: in its own currency, available a day later',
    ]);
  });

  it('names a record by what people know it by', async () => {
    const own = ['app_f', 'ptn_f', 'usr_f', 'pay_f', 'prop_f', 'po_f', 'whe_f', 'whd_f'];
    const ids = [...own, ID(1), 'tier_f', 'usr_x', ID(9)];
    const named = await operator.query<{ name: string | null }>(
      'select ops.name_of(id) as name from unnest($1::text[]) id',
      [ids],
    );

    const ada = 'ada@example.com';
    const found = [
      'An app',
      'A partner',
      ada,
      ada,
      ada,
      ada,
      'https://example.com/hook',
      'payment.succeeded',
      'network/place',
    ];
    expect(named.map(({ name }) => name)).to.deep.equal([...found, null, null, null]);
  });

  it('finds a job by its number', async () => {
    const [job] = await intentDb.query<{ id: string }>(
      `select (graphile_worker.add_job('mail/send', '{"mail_id": "m"}', run_at => now() + interval '1 hour')).id::text`,
    );

    const found = await find(String(job?.id));

    expect(found.map(({ kind, title, state }) => [kind, title, state])).to.deep.equal([['job', 'mail/send', 'queued']]);
  });

  it('finds nothing by a part of an id, by a pattern and by an id that nothing has', async () => {
    for (const name of ['usr_', 'usr_%', '%', "' or true --", '99999999999999999999', ID(9), ''])
      expect(await find(name), name).to.deep.equal([]);
  });

  it('finds for an owner only kinds that the contract has', async () => {
    const { enum: kinds } = nodeAt('/components/schemas/OwnRecord/properties/kind');
    const seen = new Set<string>();
    const names = `req-77 ${ID(1)} ${ID(6)} ${WALLET} e_1 usr_f pay_f po_f whe_f evt_f ch_f du_f tdk_f tpk_Ab3x vs_f acct_f evt_3Qk2`;
    for (const name of names.split(' '))
      for (const owner of ['ptn_f', 'app_f'])
        for (const { kind } of await findOwnRecords(db, owner as OwnerId, name)) seen.add(kind);

    expect(kinds).to.include.members([...seen]);
    expect(seen).to.include('request').and.include('dispute').and.include('partner_key');
  });

  it('finds a user who has replaced the payout account, with both', async () => {
    await intentDb.query(`
      insert into users (id, app_id, email, verified_at) values ('usr_r', 'app_f', 'bob@example.com', now());
      insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted, detached_at,
        detached_because, created_at)
      values ('con_r1', 'app_f', 'usr_r', 'acct_r1', true, true, true, now(), 'user', now() - interval '1 day'),
        ('con_r2', 'app_f', 'usr_r', 'acct_r2', true, true, true, null, null, now())`);

    for (const [found] of [await find('bob@example.com'), await findOwnRecords(db, 'app_f' as OwnerId, 'usr_r')])
      expect(found?.relatives).to.deep.equal({ payout_accounts: ['acct_r2', 'acct_r1'] });
  });

  it('finds a trader of an owner once by its number', async () => {
    const found = await findOwnRecords(db, 'ptn_f' as OwnerId, '12');

    expect(found.map(({ kind, id }) => [kind, id])).to.deep.equal([['subaccount', 'e_1']]);
  });

  it('says of which kinds there are more than the newest 20', async () => {
    await intentDb.query(`
      insert into apps (id, slug, name, allowed_scopes, created_at)
      select 'app_many' || n, 'many-' || n, 'Many ' || n, '{api}', now() - n * interval '1 hour' from generate_series(1, 21) n;
      insert into partners (id, name) select 'ptn_many' || n, 'Many ' || n from generate_series(1, 20) n`);

    const found = await find('many');
    const of = (kind: string) => found.filter((record) => record.kind === kind);

    expect(of('app')).to.have.length(20);
    expect(of('app').map(({ id }) => id)).not.to.include('app_many21'); // the oldest
    expect(of('app').every(({ is_more }) => is_more)).to.equal(true);
    expect(of('partner')).to.have.length(20);
    expect(of('partner').some(({ is_more }) => is_more)).to.equal(false);
  });

  it('finds the records of one owner however many others have records of the same name', async () => {
    await intentDb.query(`
      insert into api_requests (owner, at, operation, method, status, request_id, caller, ms)
      select 'app_g', now(), 'listTiers', 'GET', 200, 'req-77', 'app', 1 from generate_series(1, 150)`);

    const own = await operator.query<Found>(`select * from ops.find('req-77', 'ptn_f')`);

    expect(own.map(({ kind, owner, is_more }) => [kind, owner, is_more])).to.have.deep.members([
      ['intent', 'ptn_f', false],
      ['request', 'ptn_f', false],
    ]);
  });

  it('leads from each record to others, by ids that it finds in turn', async () => {
    const seen = new Set<string>();
    const waiting = ['usr_f'];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
      for (const { kind, id, relatives, owner } of await find(name)) {
        if (seen.has(`${kind} ${id}`)) continue;
        seen.add(`${kind} ${id}`);
        waiting.push(owner, ...Object.values(relatives).flat().map(String));
      }

    expect([...seen]).to.have.members([
      ...['user usr_f', 'payment pay_f', 'prop_account prop_f', 'payout po_f', 'app app_f'],
      ...['identity_verification vs_f', 'payout_account acct_f', `intent ${ID(2)}`],
    ]);
  });
});
