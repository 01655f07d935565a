import { expect } from 'chai';
import { type DbSession, type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

describe('a payment', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query('delete from payment_losses');
  });
  afterEach(() => intentDb.close());

  const first = async (text: string, values: unknown[] = [], session: DbSession = intentDb) =>
    (await session.query<Record<string, unknown>>(text, values))[0];
  const succeeds = (cents: number, differs = false) =>
    intentDb.query(`select write_payment('pay_1', 'succeeded', now(), $1, 'usd', $2, not $2, now())`, [cents, differs]);
  const loses = (loss: object, atMs: number, payment = 'pay_1') =>
    first('select note_loss($1, $2, $3) as verdict', [payment, { currency: 'usd', ...loss }, atMs]);
  const losses = () => first(`select withdrawn::integer, open_disputes::integer from losses_of('pay_1')`);

  it('that clears after a report of another amount has received its price, once', async () => {
    await succeeds(4_900, true);
    await succeeds(5_000);

    const read = `select p.amount_differs, m.received_cents from payments p, payment_money(p) m`;
    expect(await first(read)).to.deep.equal({ amount_differs: false, received_cents: 5_000 });
  });

  it('stops its account, and pays for no other one, while nothing proves the effect of its refund', async () => {
    await succeeds(5_000);
    await intentDb.query(`
      update intents set outcome = '{"problem": {"code": "PROCESSOR_SILENT", "effect": "unknown"}}' where state = 'failed';
      update payments set refund_intent_id = intent_id`);
    expect(await first(`select has_its_money('pay_1') as ok`)).to.deep.equal({ ok: false });

    await intentDb.query(`select settle_money('pay_1')`);

    expect(await first('select stopped_for from payments')).to.deep.equal({ stopped_for: 'refunded' });
  });

  it('loses nothing by an inquiry, which stops its account like a dispute', async () => {
    await succeeds(5_000);

    await loses({ kind: 'dispute', id: 'dp_1', cents: 5_000, status: 'warning_needs_response' }, 1_000);

    expect(await losses()).to.deep.equal({ withdrawn: 0, open_disputes: 5_000 });
  });

  it('follows the newest report of a dispute, and of two of one second the later state, in its own currency only', async () => {
    await succeeds(5_000);
    const dispute = (status: string, atMs: number) =>
      loses({ kind: 'dispute', id: 'dp_1', cents: 5_000, status }, atMs);
    const verdicts = [
      await dispute('needs_response', 1_000),
      await dispute('won', 3_000),
      await dispute('under_review', 2_000),
      await dispute('under_review', 3_000),
      await loses({ kind: 'dispute', id: 'dp_1', cents: 5_000, status: 'lost', currency: 'eur' }, 4_000),
    ];

    expect(verdicts.map((each) => each?.verdict)).to.deep.equal(['applied', 'applied', 'stale', 'stale', 'unreadable']);
    expect(await losses()).to.deep.equal({ withdrawn: 0, open_disputes: 0 });
  });

  it('is disputed again, whatever an operator accepted, if the bank appeals after the dispute was won', async () => {
    await succeeds(5_000);
    const dispute = { kind: 'dispute', id: 'dp_1', cents: 5_000 };
    await loses({ ...dispute, status: 'lost' }, 1_000);
    await intentDb.query('update payment_losses set accepted_cents = amount_cents');

    await loses({ ...dispute, status: 'won' }, 2_000);
    expect(await losses()).to.deep.equal({ withdrawn: 0, open_disputes: 0 });
    await loses({ ...dispute, status: 'appeal_needs_response' }, 3_000);

    expect(await losses()).to.deep.equal({ withdrawn: 5_000, open_disputes: 5_000 });
  });

  it('is reinstated with its own open unreadable events closed, and nobody else’s, nor who closed one before', async () => {
    await succeeds(5_000);
    await intentDb.query(`
      update prop_accounts set status = 'provisioning';
      insert into payments select (jsonb_populate_record(p, '{"id": "pay_2", "intent_id": "00000000-0000-7000-8000-0000000000ff"}')).* from payments p;
      delete from processor_events;
      insert into processor_events (id, type, said_at, fact, source, payment_id, outcome, closed_at, closed_by, closed_why)
      values ('closed', 'charge.refunded', now(), '{}', 'listed', 'pay_1', 'unreadable', now(), 'ada', 'seen'),
        ('open', 'charge.refunded', now(), '{}', 'listed', 'pay_1', 'unreadable', null, null, null),
        ('read', 'charge.refunded', now(), '{}', 'listed', 'pay_1', 'applied', null, null, null),
        ('of another', 'charge.refunded', now(), '{}', 'listed', 'pay_2', 'unreadable', null, null, null);
      select settle_money('pay_1')`);
    expect(await first('select status from prop_accounts')).to.deep.equal({ status: 'eliminated' });
    const reinstate = () => first(`select reinstate_account('prop_1', 'op', 'all is there') as verdict`);
    for (const outcome of [null, '{"problem": {"code": "PROCESSOR_SILENT", "effect": "unknown"}}']) {
      await intentDb.query(
        `update intents set settled_at = case when $1::jsonb is not null then now() end, outcome = $1, state = case when $1::jsonb is null then 'in_doubt' else 'failed' end
         where kind = 'payments/checkout'`,
        [outcome],
      );
      await intentDb.query(`update payments set refund_intent_id = intent_id where id = 'pay_1'`);
      expect(await reinstate(), 'while a refund may take its money').to.deep.equal({ verdict: 'refunding' });
    }
    await intentDb.query('update payments set refund_intent_id = null');

    expect(await reinstate()).to.deep.equal({ verdict: 'done' });

    expect(await intentDb.query('select id, closed_by, closed_why from processor_events order by id')).to.deep.equal([
      { id: 'closed', closed_by: 'ada', closed_why: 'seen' },
      { id: 'of another', closed_by: null, closed_why: null },
      { id: 'open', closed_by: 'op', closed_why: 'all is there' },
      { id: 'read', closed_by: null, closed_why: null },
    ]);
    expect(await first('select status from prop_accounts')).to.deep.equal({ status: 'provisioning' });
    expect(await reinstate(), 'again').to.deep.equal({ verdict: 'not_stopped' });
  });

  it('stops its account at an appeal of the bank, although an operator reinstated the account after another loss', async () => {
    await succeeds(5_000);
    await intentDb.query(`update prop_accounts set status = 'provisioning'`);
    const dispute = { kind: 'dispute', id: 'dp_1', cents: 5_000 };
    await loses({ ...dispute, status: 'won' }, 1_000);
    await loses({ kind: 'refund', id: 're_1', cents: 100, status: 'succeeded' }, 2_000);
    const reinstated = await first(`select reinstate_account('prop_1', 'op', 'it was a courtesy') as verdict`);
    expect(reinstated).to.deep.equal({ verdict: 'done' });
    expect(await first('select status from prop_accounts')).to.deep.equal({ status: 'provisioning' });

    await loses({ ...dispute, status: 'appeal_needs_response' }, 3_000);

    expect(await first('select status, failure_reason from prop_accounts')).to.deep.equal({
      status: 'eliminated',
      failure_reason: 'disputed',
    });
  });

  it('is not changed by a report that names the loss of another one', async () => {
    const dispute = { kind: 'dispute', id: 'dp_1', cents: 5_000, status: 'lost' };
    await loses(dispute, 1_000);
    await intentDb.query(`
      insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id)
      select 'pay_2', owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, gen_random_uuid() from payments`);

    const other = await loses({ ...dispute, status: 'won' }, 2_000, 'pay_2');

    expect(other).to.deep.equal({ verdict: 'unreadable' });
    expect(await losses()).to.deep.equal({ withdrawn: 5_000, open_disputes: 5_000 });
  });

  /** Records the checkout of the payment with this status of the processor. */
  async function recordCheckout(status: string) {
    const checkout = item({ kind: 'payments/checkout' });
    await intentDb.accept(checkout);
    const { fence = 0 } = (await intentDb.claim(checkout.id)) ?? {};
    await intentDb.query(`select record_checkout($1, $2, '{}', 'pay_1', 'pi_1', $3, '\\x01')`, [
      checkout.id,
      fence,
      status,
    ]);
  }

  it('that has succeeded before its checkout is recorded keeps its state, and no secret', async () => {
    await succeeds(5_000);

    await recordCheckout('requires_payment_method');

    expect(await first('select status, sealed_client_secret from payments')).to.deep.equal({
      status: 'succeeded',
      sealed_client_secret: null,
    });
  });

  it('that was canceled before its checkout is recorded keeps no secret, and its app is notified once', async () => {
    await intentDb.query(`update payments set status = 'pending'`);

    await recordCheckout('canceled');
    expect(await first('select sealed_client_secret from payments')).to.deep.equal({ sealed_client_secret: null });
    await recordCheckout('canceled');

    expect(await first('select status, sealed_client_secret from payments')).to.deep.equal({
      status: 'canceled',
      sealed_client_secret: null,
    });
    const told = await intentDb.query(
      `select data::jsonb ->> 'status' as status from events where type = 'payment.failed'`,
    );
    expect(told).to.deep.equal([{ status: 'canceled' }]);
  });

  it('is refunded once: while a refund is under way, the next request returns it', async () => {
    await succeeds(5_000);
    const refund = () =>
      first(`select intent_id from refund_payment('pay_1', 'admin:adn_1', 'asked', gen_random_uuid(), 60, 'req_1')`);

    const asked = await refund();

    expect(await refund()).to.deep.equal(asked);
    expect(await intentDb.query(`select from intents where kind = 'payments/refund'`)).to.have.length(1);
  });

  it('is the answer to its checkout again, although its tier is no longer sold', async () => {
    const checkout = (n: number) => ({
      ...item({ kind: 'payments/checkout', owner: 'app_1', idempotency_key: 'k' }),
      ...{
        n: 0,
        payment_id: `pay_new_${n}`,
        user_id: 'usr_1',
        tier_id: 'tier_a',
        market: 'crypto',
        asset_class: 'crypto',
      },
      ...{ account_size: 1000, amount_cents: 5000, currency: 'usd' },
    });
    const ask = (n: number) => first('select verdict from accept_checkouts($1)', [JSON.stringify([checkout(n)])]);

    expect(await ask(1)).to.deep.equal({ verdict: 'accepted' });
    await intentDb.query('update tiers set active = false');

    expect(await ask(2)).to.deep.equal({ verdict: 'replayed' });
  });
});
