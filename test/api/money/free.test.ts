import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { saveTier } from '../../../src/capabilities/payments/commands.ts';
import { sandboxTiers } from '../../../src/sandbox/tiers.ts';
import { atOnce } from '../../support/identity.ts';
import { accountIn, eventually, type Money, startMoney, tier25k, tierDemo } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

const FREE = '/v2/payments/free';
const CREATE = '/miner/api/create-subaccount';

describe('openFreeAccount', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ settings: { ACCOUNT_DEADLINE_MS: '1500' } });
  });
  after(() => service.stop());
  afterEach(() => service.miner.faults.clear());

  const made = () => service.miner.ledger.entries().filter(({ kind }) => kind === 'subaccount').length;

  it('opens one account, tradeable at once, however often it is called', async () => {
    const before = made();

    const replies = await atOnce(20, () => service.buyer.ask('POST', FREE, { json: tierDemo }));
    const later = await service.buyer.ask('POST', FREE, { json: tierDemo });

    for (const { status, body } of [...replies, later]) {
      expect(status).to.equal(200);
      expect(body).to.include({ status: 'evaluation', processor_payment_intent_id: null });
      expect(body).to.have.property('id', later.body.id);
    }
    expect(made()).to.equal(before + 1);
  });

  it('is provisioning, never 202, while the network creates the account', async () => {
    const user = await service.user(service.tenant);
    service.miner.faults.add({ kind: 'late', route: CREATE, times: 1, delayMs: 500 });

    const { status, body } = await user.ask('POST', FREE, { json: tierDemo, headers: { Prefer: 'wait=0' } });

    expect(status).to.equal(200);
    expect(body).to.include({ status: 'provisioning', subaccount_id: null, synthetic_hotkey: null });
    expect(await accountIn(user.ask, 'evaluation')).to.have.property('id', body.id);
  });

  it('is 200 with subaccount_failed when the network rejects it, with an alert, and stays listed for operators', async () => {
    const user = await service.user(service.tenant);
    service.miner.faults.add({ kind: 'reject', route: CREATE, times: 1 });

    const { status, body } = await user.ask('POST', FREE, { json: tierDemo });
    const again = await user.ask('POST', FREE, { json: tierDemo });

    expect(status).to.equal(200);
    expect(body).to.include({
      status: 'subaccount_failed',
      failure_reason: 'insufficient_collateral',
      subaccount_id: null,
      subaccount_uuid: null,
      synthetic_hotkey: null,
    });
    expect(again.body).to.deep.equal(body);
    expect(service.log.lines).to.deep.include.members(
      service.log.lines.filter(
        ({ alert, reason }) => alert === 'network_rejects_subaccounts' && reason === 'insufficient_collateral',
      ),
    );
    expect(service.log.lines.some(({ alert }) => alert === 'network_rejects_subaccounts')).to.equal(true);
    const operator = await service.app(['*']);
    const admin = await service.admin();
    expectRejected(await service.tenant.ask('GET', '/v2/payments/prop-accounts/failed'), 'V2_SCOPE_MISSING');
    expect((await operator.ask('GET', '/v2/payments/prop-accounts/failed')).body).to.deep.equal([]);
    const listed = await admin.ask('GET', '/v2/payments/prop-accounts/failed');
    expect(listed.body.map(({ id }: { id: string }) => id)).to.include(body.id);
  });

  it('fails unsent at its deadline when the network cannot be reached', async () => {
    const user = await service.user(service.tenant);
    service.miner.faults.add({ kind: 'reset', route: CREATE });

    const { body } = await user.ask('POST', FREE, { json: tierDemo, headers: { Prefer: 'wait=10' } });

    expect(body).to.include({ status: 'subaccount_failed', failure_reason: 'not_carried_out' });
  });

  it('accepts free tiers exactly as defined, and no others', async () => {
    const user = await service.user(service.tenant);
    const ask = (json: object) => user.ask('POST', FREE, { json });
    const { market: _, amount_cents: __, ...paid } = tier25k;

    expectRejected(await ask(paid), 'V2_TIER_NOT_FREE', { effect: 'none' });
    expectRejected(await ask({ ...tierDemo, tier_id: 'tier_unheard_of' }), 'V2_TIER_UNKNOWN', { effect: 'none' });
    expectRejected(await ask({ ...tierDemo, account_size: 20_000 }), 'V2_TIER_MISMATCH', { effect: 'none' });
    expect((await user.ask('GET', '/v2/payments/prop-accounts')).body).to.deep.equal([]);
    expect((await user.ask('HEAD', '/v2/payments/prop-accounts')).status).to.equal(200);
  });

  it('returns the account that a user has also once its tier is off sale, and opens none for others', async () => {
    const [owner, late] = [await service.user(service.tenant), await service.user(service.tenant)];
    const tier = sandboxTiers.find(({ tier_id }) => tier_id === tierDemo.tier_id);
    if (!tier) throw new Error('The sandbox has no such tier');
    const headers = { 'Idempotency-Key': 'free' };
    const first = await owner.ask('POST', FREE, { json: tierDemo, headers });
    await saveTier(service.db, { ...tier, active: false });

    const repeats = [
      await owner.ask('POST', FREE, { json: tierDemo, headers }),
      await owner.ask('POST', FREE, { json: tierDemo }),
    ];
    const resized = await owner.ask('POST', FREE, { json: { ...tierDemo, account_size: 20_000 } });
    const refused = await late.ask('POST', FREE, { json: tierDemo });
    await saveTier(service.db, tier);

    for (const { status, body } of repeats) expect([status, body]).to.deep.equal([200, first.body]);
    expectRejected(resized, 'V2_TIER_UNKNOWN', { effect: 'none' });
    expectRejected(refused, 'V2_TIER_UNKNOWN', { effect: 'none' });
  });

  it('rejects the key of another request, also for a tier of which the user has an account', async () => {
    const user = await service.user(service.tenant);
    const tier = sandboxTiers.find(({ tier_id }) => tier_id === tierDemo.tier_id);
    if (!tier) throw new Error('The sandbox has no such tier');
    await saveTier(service.db, { ...tier, tier_id: 'tier_demo_other' });
    const other = { ...tierDemo, tier_id: 'tier_demo_other' };
    const headers = { 'Idempotency-Key': 'first' };
    const [first, second] = [
      await user.ask('POST', FREE, { json: tierDemo, headers }),
      await user.ask('POST', FREE, { json: other, headers: { 'Idempotency-Key': 'second' } }),
    ];

    const reused = await user.ask('POST', FREE, { json: other, headers });
    const repeats = [
      await user.ask('POST', FREE, { json: tierDemo, headers }),
      await user.ask('POST', FREE, { json: other }),
    ];

    expectRejected(reused, 'IDEMPOTENCY_KEY_REUSED', { effect: 'none' });
    expect(repeats.map(({ body }) => body.id)).to.deep.equal([first.body.id, second.body.id]);
  });

  it('rejects a key of the user whose response is stored, and the other way round, also for a tier of which the user has an account', async () => {
    const user = await service.user(service.tenant);
    const sign = (key: string) =>
      user.ask('POST', '/v2/agreements/sign', {
        json: { agreement_version: '1', signature_name: 'Ada' },
        headers: { 'Idempotency-Key': key },
      });
    const open = (key: string) => user.ask('POST', FREE, { json: tierDemo, headers: { 'Idempotency-Key': key } });
    const signed = await sign('signature');

    const [early, opened, late] = [await open('signature'), await open('account'), await open('signature')];
    const unsigned = await sign('account');

    for (const reused of [early, late, unsigned]) expectRejected(reused, 'IDEMPOTENCY_KEY_REUSED', { effect: 'none' });
    expect([await sign('signature'), await open('account')].map(({ body }) => body)).to.deep.equal([
      signed.body,
      opened.body,
    ]);
    expect((await user.ask('GET', '/v2/agreements/audits')).body).to.have.length(1);
  });

  it('returns the account to a repeat under its key, although a response is stored under that key too, as by two requests at once', async () => {
    const user = await service.user(service.tenant);
    const open = () => user.ask('POST', FREE, { json: tierDemo, headers: { 'Idempotency-Key': 'both' } });
    const opened = await open();
    await service.db.query(sql.type(z.object({}))`
      insert into idempotent_responses (caller, key, digest)
      select p.user_id, k.key, '\\x00'
      from idempotency_keys k
      join prop_accounts p on p.intent_id = k.intent_id
      where k.key like '%both'`);

    expect((await open()).body).to.deep.equal(opened.body);
  });

  it('returns no account for a rejected request, which has opened none', async () => {
    const user = await service.user(service.tenant);
    const tier = sandboxTiers.find(({ tier_id }) => tier_id === tierDemo.tier_id);
    if (!tier) throw new Error('The sandbox has no such tier');
    await saveTier(service.db, { ...tier, tier_id: 'tier_demo_third' });
    const headers = { 'Idempotency-Key': 'of-another-request' };
    await user.ask('POST', FREE, { json: tierDemo, headers });

    const reused = await user.ask('POST', FREE, { json: { ...tierDemo, tier_id: 'tier_demo_third' }, headers });
    const log = await service.tenant.ask('GET', '/v2/events?type=account.updated&limit=200');

    expectRejected(reused, 'IDEMPOTENCY_KEY_REUSED', { effect: 'none' });
    const told = log.body.filter(({ data }: { data: { user_id: string } }) => data.user_id === user.userId);
    expect(told.map(({ data }: { data: { tier_id: string } }) => data.tier_id)).to.deep.equal([
      'tier_demo',
      'tier_demo',
    ]);
  });

  it('shows and syncs an account for its user only', async () => {
    const [account] = (await service.buyer.ask('GET', '/v2/payments/prop-accounts')).body;
    const sibling = await service.user(service.tenant);
    const outsider = await service.user(await service.app(['api']));

    for (const { ask } of [sibling, outsider]) {
      expectRejected(await ask('GET', `/v2/payments/prop-accounts/${account.id}`), 'V2_PROP_ACCOUNT_UNKNOWN');
      expectRejected(await ask('POST', `/v2/lifecycle/sync/${account.id}`), 'V2_PROP_ACCOUNT_UNKNOWN');
    }
    expect((await service.buyer.ask('GET', `/v2/payments/prop-accounts/${account.id}`)).body).to.deep.equal(account);
  });
});

describe('openFreeAccount at a slow network', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ upstream: { activationMs: 700 } });
  });
  after(() => service.stop());

  it('is provisioning until the network accepts orders for it', async () => {
    const early = await service.buyer.ask('POST', FREE, { json: tierDemo, headers: { Prefer: 'wait=0' } });
    const settled = await service.buyer.ask('POST', FREE, { json: tierDemo });

    expect(early.body.status).to.equal('provisioning');
    expect(settled.body.status).to.equal('evaluation');
  });
});

describe('openFreeAccount at a network that fails it later', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ upstream: { activationMs: 600_000 } });
  });
  after(() => service.stop());

  it('fails the account, and shows nothing of its subaccount', async () => {
    const user = await service.user(service.tenant);
    await user.ask('POST', FREE, { json: tierDemo, headers: { Prefer: 'wait=0' } });
    const pending = await accountIn(user.ask, 'provisioning');
    const made = await eventually(async () => service.miner.ledger.entries().at(-1));
    await service.network({ subaccount_id: made.subaccount_id, status: 'failed' });

    const failed = await accountIn(user.ask, 'subaccount_failed');

    expect(failed).to.include({ id: pending.id, failure_reason: 'failed_at_network', synthetic_hotkey: null });
  });
});
