import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { nowS } from '../../../src/sandbox/processor/world.ts';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestAdmin, TestApp } from '../../support/identity.ts';
import { ledgerDifferences } from '../../support/ledger.ts';
import { checkOut, eventually, type Money, startMoney, tier25k } from '../../support/money.ts';

type Balance = { account: string; payout_account: string | null; currency: string; balance: number };
const PRICE = tier25k.amount_cents;
const monthOf = ({ said_at }: { said_at: string }) => said_at.slice(0, 7);

describe('the ledger, for finance', () => {
  let service: Money;
  let operator: TestAdmin;
  let app: TestApp;
  let home: Earner;
  let abroad: Earner;
  let payout: string;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0', CHECKOUT_DEADLINE_MS: '60000' } });
    operator = await service.admin();
    app = await payingApp(service);
    [home, abroad] = [await earner(service, app, 300), await earner(service, app, 300, 'DE')];
    const paidS = nowS();
    await eventually(async () => nowS() > paidS); // the processor's clock counts seconds: payments come before the first transfer
    payout = await paid(home, 10_000);
    await paid(abroad, 20_000);
    await service.control('payment', { id: home.paymentIntent, to: 'refunded', amount: 1_000 });
    await eventually(async () => (await balanceOf('refunds', 'usd')) === 1_000);
  });
  after(() => service.stop());

  /** A payout of this amount, once the bank has it. */
  async function paid(trader: Earner, cents: number): Promise<string> {
    const id = await trader.request(cents);
    await trader.submit(id);
    const bankPayout = await eventually(async () => {
      const arrival = [...service.processor.arrivals.values()].find(({ account }) => account === trader.connected);
      if (arrival && !arrival.isCredited) await service.control('arrival', { id: arrival.id });
      await service.db.query(
        sql.type(z.object({}))`update payouts set pay_after = now() where id = ${id} and pay_after is not null`,
      );
      await service.runTask('payouts/reconcile');
      return service.processor.ledger
        .entries()
        .find(({ kind, detail }) => kind === 'payout' && detail.account === trader.connected);
    });
    await service.control('payout', { id: bankPayout.detail.id, to: 'paid' });
    await trader.payoutIs(id, 'completed');
    return id;
  }

  const read = async (path: string) => {
    const { status, body } = await operator.ask('GET', path);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const balances = (query = ''): Promise<Balance[]> => read(`/v2/admin/ledger/balances${query}`);
  const balanceOf = async (account: string, currency: string, holder: string | null = null, query = '') => {
    const all = await balances(query);
    return (
      all.find((each) => each.account === account && each.currency === currency && each.payout_account === holder)
        ?.balance ?? 0
    );
  };

  it('shows what was received, refunded, transferred, held and paid, at home and abroad', async () => {
    expect(await balanceOf('receipts', 'usd')).to.equal(-2 * PRICE);
    expect(await balanceOf('platform', 'usd')).to.equal(2 * PRICE - 1_000 - 30_000);
    expect(await balanceOf('earned', 'usd')).to.equal(30_000);
    expect(await balanceOf('exchange', 'usd')).to.equal(20_000);
    expect(await balanceOf('exchange', 'eur')).to.equal(-18_000);
    expect(await balanceOf('bank', 'usd', home.connected)).to.equal(10_000);
    expect(await balanceOf('bank', 'eur', abroad.connected)).to.equal(18_000);
    expect(await balanceOf('held', 'eur', abroad.connected)).to.equal(0);
  });

  it('equals the processor’s own records, and every currency adds up to zero', async () => {
    expect(
      await ledgerDifferences(service.db, service.processor.balance, { atS: Math.ceil(Date.now() / 1_000) }),
    ).to.deep.equal([]);
    const sums = Map.groupBy(await balances(), ({ currency }) => currency);
    for (const [currency, of] of sums)
      expect(
        of.reduce((sum, { balance }) => sum + balance, 0),
        currency,
      ).to.equal(0);
  });

  it('shows each balance as of a time by the processor’s clock, and as it was known at a time by ours', async () => {
    const entries = await read(`/v2/admin/ledger/entries?subject=${payout}`);
    const transfer = entries.find(({ kind }: { kind: string }) => kind === 'transfer');

    const before = `?as_of=${transfer.said_at}&app_id=${app.appId}`;
    expect(await balanceOf('exchange', 'usd', null, before)).to.equal(0);
    expect(await balanceOf('receipts', 'usd', null, before)).to.equal(-2 * PRICE);
    const knownAt = (ms: number) => `?known_at=${new Date(Date.parse(transfer.recorded_at) + ms).toISOString()}`;
    expect(await balanceOf('platform', 'usd', null, knownAt(-1))).to.equal(2 * PRICE);
    expect(await balanceOf('platform', 'usd', null, knownAt(0)), 'at the time shown').to.equal(2 * PRICE - 10_000);
  });

  it('shows the balances, entries and month of one app without those of others', async () => {
    const other = await payingApp(service);
    const { payment_id, processor_payment_intent_id } = await checkOut((await service.user(other)).ask, tier25k);
    await service.control('payment', { id: processor_payment_intent_id, to: 'succeeded' });
    const of = `app_id=${other.appId}`;
    const entries = await eventually(async () => {
      const listed = await read(`/v2/admin/ledger/entries?${of}`);
      return listed.length > 0 ? listed : null;
    });

    expect(entries.map(({ app_id, subject }: Record<string, string>) => [app_id, subject])).to.deep.equal([
      [other.appId, payment_id],
    ]);
    const shown = { payout_account: null, currency: 'usd' };
    expect(await balances(`?${of}`)).to.deep.equal([
      { ...shown, account: 'platform', balance: PRICE },
      { ...shown, account: 'receipts', balance: -PRICE },
    ]);
    const month = String((await operator.ask('GET', `/v2/admin/ledger/months/${monthOf(entries[0])}?${of}`)).body);
    expect(month.match(/^closing,usd,(\w+),.*,(-?\d+)\r$/gm)).to.have.length(2);
    expect(month.match(/^movement,/gm)).to.have.length(2);
  });

  it('lists entries of a payout by leg, with the processor’s objects, in pages', async () => {
    const all = await read(`/v2/admin/ledger/entries?subject=${payout}`);
    const moves = all.map(
      ({ kind, credit, debit, amount }: Record<string, unknown>) => `${kind}: ${amount} ${credit} > ${debit}`,
    );

    expect(moves.toReversed()).to.deep.equal([
      'reservation: 10000 owed > earned',
      'transfer: 10000 platform > exchange',
      'arrival: 10000 exchange > held',
      'bank: 10000 held > in_transit',
      'bank: 10000 in_transit > bank',
    ]);
    expect(
      all.map(({ processor_object }: { processor_object: string }) => processor_object?.slice(0, 3)),
    ).to.deep.equal(['po_', 'po_', 'py_', 'tr_', undefined]);
    const first = await operator.ask('GET', `/v2/admin/ledger/entries?subject=${payout}&limit=2`);
    const next = /<([^>]+)>/.exec(first.headers.get('Link') ?? '')?.[1] ?? '';
    expect([...first.body, ...(await read(next))].map(({ entry_id }) => entry_id)).to.deep.equal(
      all.slice(0, 4).map(({ entry_id }: { entry_id: string }) => entry_id),
    );
  });

  it('closes a month as a file whose opening balances and totals add up to the closing ones', async () => {
    const months = [...new Set((await read('/v2/admin/ledger/entries?limit=500')).map(monthOf))].sort(); // two, if a run passes into another
    const files = await Promise.all(
      months.map((month) =>
        operator.ask('GET', `/v2/admin/ledger/months/${month}`, { headers: { Accept: 'text/csv' } }),
      ),
    );

    for (const { status, headers } of files)
      expect([status, headers.get('content-type')?.split(';')[0]]).to.deep.equal([200, 'text/csv']);
    const lines = files.map(({ body }) =>
      String(body)
        .trimEnd()
        .split('\r\n')
        .map((line) => line.split(',')),
    );
    const [head = []] = lines[0] ?? [];
    const isOf = (row: string[], n: number) =>
      (row[0] !== 'opening' || n === 0) && (row[0] !== 'closing' || n === lines.length - 1);
    const rows = lines.flatMap(([, ...all], n) => all.filter((row) => isOf(row, n)));
    const cell = (row: string[], name: string) => row[head.indexOf(name)] ?? '';
    const sumOf = (of: string) => {
      const sums: Record<string, number> = {};
      for (const row of rows.filter((each) => cell(each, 'row') === of)) {
        const key = ['currency', 'account', 'payout_account'].map((name) => cell(row, name)).join(' ');
        sums[key] = (sums[key] ?? 0) + Number(cell(row, 'smallest_units'));
      }
      return sums;
    };
    expect(sumOf('opening')).to.deep.equal({});
    expect(sumOf('total')).to.deep.equal(sumOf('closing'));
    expect(sumOf('movement')).to.deep.equal(sumOf('closing'));
    expect(sumOf('closing')).to.include({
      [`usd bank ${home.connected}`]: 10_000,
      [`eur bank ${abroad.connected}`]: 18_000,
    });
    const later = String((await operator.ask('GET', '/v2/admin/ledger/months/2090-01')).body);
    expect(later.match(/^opening,/gm)).to.have.length(later.match(/^closing,/gm)?.length ?? 0);
  });

  it('rejects a month that is none', async () => {
    expect((await operator.ask('GET', '/v2/admin/ledger/months/2026-13')).status).to.equal(422);
  });
});
