import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestApp } from '../../support/identity.ts';
import { accountIn, eventually, type Money, startMoney, tierDemo } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

const nothing = z.object({});
const WEEK_MS = 7 * 86_400_000;
const FIRST_MONDAY_MS = 4 * 86_400_000;
const SETTLES_WITHIN_MS = 36 * 3_600_000;
const mondayBefore = (ms: number) => ms - ((ms - FIRST_MONDAY_MS) % WEEK_MS);

describe('the submission of a payout', () => {
  let service: Money;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { CHECKOUT_DEADLINE_MS: '20000' } });
    app = await payingApp(service);
  });
  after(() => service.stop());

  const transfers = (trader: Earner) =>
    service.processor.ledger
      .entries()
      .filter(({ kind, detail }) => kind === 'transfer' && Object(detail).destination === trader.connected);
  const dispute = async (trader: Earner) => {
    await service.control('payment', { id: trader.paymentIntent, to: 'disputed' });
    await accountIn(trader.ask, 'eliminated');
  };
  const eliminate = async (trader: Earner) => {
    await service.network({ subaccount_id: trader.account.subaccount_id, elimination: 'LIQUIDATED' });
    await eventually(async () => {
      const { body } = await trader.ask('POST', `/v2/lifecycle/sync/${trader.account.id}`);
      return body.status === 'eliminated';
    });
  };
  const forget = (trader: Earner) =>
    service.db.query(sql.type(nothing)`
      update kyc_cases set status = 'needs_input', verified_at = null where user_id = ${trader.userId}`);
  const isStatus = (trader: Earner, status: string) =>
    eventually(async () => (await trader.ask('GET', '/v2/connect/accounts')).body[0].status === status);
  const disable = async (trader: Earner) => {
    await service.control('account', { id: trader.connected, to: 'restricted' });
    await isStatus(trader, 'restricted');
  };
  const told = ({ connected }: Earner) =>
    service.db.manyFirst(sql.type(z.object({ said: z.string() }))`
      select concat_ws(' ', d ->> 'status', d ->> 'payouts_enabled') as said
      from events v
      cross join lateral (select v.data::jsonb as d) e
      where v.type = 'payout_account.updated' and d ->> 'processor_account_id' = ${connected}`);
  const stopTransfers = async (trader: Earner) => {
    await service.control('account', { id: trader.connected, to: 'untransferable' });
    await isStatus(trader, 'restricted');
  };
  const correct = async (trader: Earner) => {
    const settlements = [{ start_ms: Date.parse('2026-01-05T00:00:00Z'), end_ms: 1, payout: 1 }];
    await service.network({ subaccount_id: trader.account.subaccount_id, settlements });
  };
  const obstacles = [
    ['the purchase was charged back', dispute, 'V2_PAYMENT_RETURNED'],
    ['the network has eliminated the account', eliminate, 'V2_ACCOUNT_NOT_FUNDED'],
    ['the identity is no longer verified', forget, 'V2_KYC_REQUIRED'],
    ['the payout account was disabled', disable, 'V2_PAYOUT_ACCOUNT_NOT_READY'],
    ['nothing may be transferred to the payout account', stopTransfers, 'V2_PAYOUT_ACCOUNT_NOT_READY'],
  ] as const;

  const all = [
    ...obstacles,
    ['the network has corrected the earnings', correct, 'V2_PAYOUT_EXCEEDS_EARNINGS'],
  ] as const;

  it('pays nothing of a week that has not ended: a loss may still take it', async () => {
    const trader = await earner(service, app, 0);
    const [monday, settled] = [mondayBefore(Date.now()), mondayBefore(Date.now() - SETTLES_WITHIN_MS)];
    await service.network({
      subaccount_id: trader.account.subaccount_id,
      settlements: [
        { start_ms: settled - WEEK_MS, end_ms: settled, payout: 100 },
        { start_ms: monday, end_ms: monday + WEEK_MS, payout: 400 },
      ],
    });

    const asked = await trader.ask('POST', '/v2/payouts/request', { json: { amount_cents: 10_001 } });

    expectRejected(asked, 'V2_PAYOUT_EXCEEDS_EARNINGS');
    expect(await trader.estimate()).to.equal(10_000);
    await trader.request(10_000);
  });

  it('is estimated for what each account can pay, although another was paid more than its corrected earnings', async () => {
    const trader = await earner(service, app, 1);
    // requested when the network showed 500
    await service.db.query(sql.type(nothing)`
      select request_payout('po_corrected', ${trader.account.id}, c.id, 50000, 'usd', 50000)
      from connect_accounts c
      where c.user_id = ${trader.userId}`);
    await trader.ask('POST', '/v2/payments/free', { json: tierDemo });
    const { id, subaccount_id } = await accountIn(trader.ask, 'evaluation');
    const settlements = [{ start_ms: Date.parse('2026-01-05T00:00:00Z'), end_ms: 1, payout: 200 }];
    await service.network({ subaccount_id, bucket: 'SUBACCOUNT_FUNDED', settlements });
    await trader.ask('POST', `/v2/lifecycle/sync/${id}`);

    const estimated = await trader.estimate();
    const json = { amount_cents: 20_000, prop_account_id: id };
    const requested = await trader.ask('POST', '/v2/payouts/request', { json });

    expect([estimated, requested.status]).to.deep.equal([20_000, 200]);
  });

  it('is rejected for each obstacle that came up since the request', async () => {
    await Promise.all(
      obstacles.map(async ([what, hinder, code]) => {
        const trader = await earner(service, app, 500);
        const id = await trader.request(50_000);
        await hinder(trader);

        expectRejected(await trader.submit(id), code, { effect: 'none' });

        expect(transfers(trader), what).to.deep.equal([]);
        expect(await trader.payoutIs(id, 'pending')).to.include({ transferred_cents: 0 });
      }),
    );
  });

  it('sends nothing for each obstacle that came up since it was accepted, and frees the earnings', async () => {
    const traders = await Promise.all(all.map(() => earner(service, app, 500)));
    const ids = await Promise.all(traders.map((trader) => trader.request(50_000)));
    service.miner.faults.add({ kind: 'status_500', route: '/entity/subaccount/payout' }); // the worker waits before its check

    await Promise.all(traders.map((trader, n) => accept(trader, String(ids[n]))));
    for (const [n, [, hinder]] of all.entries()) await hinder(traders[n] as Earner);
    service.miner.faults.clear();

    for (const [n, [what, , code]] of all.entries()) {
      const trader = traders[n] as Earner;
      const payout = await trader.payoutIs(String(ids[n]), 'failed');
      expect(payout, what).to.include({ failure_reason: code.toLowerCase(), transferred_cents: 0 });
      expect(transfers(trader), what).to.deep.equal([]);
    }
    expect(await reserved(ids)).to.equal(0);
  });

  it('pays out to the bank what is at an account that can receive no more transfers', async () => {
    const trader = await earner(service, app, 300);
    const id = await trader.request(10_000);
    service.processor.faults.add({ kind: 'reject', route: 'POST /v1/payouts', times: 1 });
    await trader.submit(id);
    await trader.payoutIs(id, 'failed');
    await stopTransfers(trader);

    const asked = await trader.ask('POST', '/v2/payouts/request', { json: { amount_cents: 1_000 } });
    await trader.submit(id);

    expectRejected(asked, 'V2_PAYOUT_ACCOUNT_NOT_READY');
    expect(await trader.payoutIs(id, 'transferred')).to.include({ bank_amount_cents: 10_000 });
    expect(await told(trader)).to.include.members(['restricted false']);
    await service.control('account', { id: trader.connected });
    await isStatus(trader, 'active');
  });

  const accept = (trader: Earner, id: string) =>
    service.db.query(sql.type(nothing)`
      select submit_payout(${id}, ${app.appId}, ${trader.userId},
        jsonb_build_object('id', gen_random_uuid(), 'deadline_s', 60), 50000)`);
  const reserved = (ids: string[]) =>
    service.db.oneFirst(sql.type(z.object({ cents: z.number() }))`
      select sum(m.reserved_cents)::integer as cents from payouts p cross join lateral payout_money(p) m where p.id = any(${sql.array(ids, 'text')})`);
});
