import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Event } from '../../../src/sandbox/processor/world.ts';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestAdmin, TestApp } from '../../support/identity.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';

const CENTS = 10_000;
const sum = z.object({ held: z.number(), bank: z.number() });

describe('a payout that another one took back from the bank, which the bank refused afterwards', () => {
  let service: Money;
  let operator: TestAdmin;
  let app: TestApp;
  let trader: Earner;
  let payout: string;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '3600000', CHECKOUT_DEADLINE_MS: '60000' } });
    operator = await service.admin();
    app = await payingApp(service);
  });
  after(() => service.stop());
  beforeEach(async () => {
    trader = await earner(service, app, 300);
    payout = await trader.request(CENTS);
    await trader.submit(payout);
    await service.control('payout', { id: await eventually(async () => newest()?.id), to: 'paid' });
    await trader.payoutIs(payout, 'completed');
  });
  afterEach(() => service.control('notifications', { hold: false }));

  const ours = () =>
    service.processor.events
      .filter(({ type, account }) => type.startsWith('payout.') && account === trader.connected)
      .map((event) => ({ event, ...(event.data.object as { id: string; original_payout: string | null }) })); // as: payouts
  const newest = () => ours().at(-1);
  const money = () =>
    service.db.one(sql.type(sum)`
      select coalesce(sum(l.amount) filter (where l.account in ('held', 'overdrawn')), 0)::integer as held,
        coalesce(sum(l.amount) filter (where l.account = 'bank'), 0)::integer as bank
      from ledger_lines l
      where l.subject = ${payout}`);
  const stranded = async () => {
    const { body } = await operator.ask('GET', '/v2/admin/payouts/stranded');
    return body.find((each: { payout_id: string }) => each.payout_id === payout);
  };
  /** How often money was sent to the bank. */
  const sent = () =>
    service.processor.ledger
      .entries()
      .filter(({ kind, detail }) => kind === 'payout' && detail.account === trader.connected).length;
  const stepIs = (step: string, state: string) =>
    service.db.exists(sql.unsafe`
      select
      from payout_steps s
      join intents i on i.id = s.intent_id
      where s.payout_id = ${payout} and s.step = ${step} and ${state} in (s.state, i.state)`);
  const takeBack = () => service.control('payout', { id: newest()?.id, to: 'reversed' });
  const refuse = () => service.control('payout', { id: newest()?.id, to: 'failed' });

  it('is completed again: the trader has the money', async () => {
    await takeBack();
    await trader.payoutIs(payout, 'failed');
    expect(await money()).to.deep.equal({ held: CENTS, bank: 0 });

    await refuse();

    expect(await trader.payoutIs(payout, 'completed')).to.include({ failure_reason: null });
    expect(await money()).to.deep.equal({ held: 0, bank: CENTS });
    expect(await stranded()).to.equal(undefined);
  });

  it('stays completed where the refusal is heard of first', async () => {
    await service.control('notifications', { hold: true });
    await takeBack();
    await refuse();
    const told: Event[] = ours().flatMap(({ event, original_payout }) => (original_payout === null ? [] : [event]));

    for (const event of told.toReversed()) {
      await service.notify(event);
      await eventually(() =>
        service.db.exists(
          sql.unsafe`select from processor_events e where e.id = ${event.id} and e.acted_at is not null`,
        ),
      );
    }

    expect(await trader.payoutIs(payout, 'completed')).to.include({ failure_reason: null });
    expect(await money()).to.deep.equal({ held: 0, bank: CENTS });
  });

  /** The account holds the money of another payout too, when this one has come back from the bank. */
  async function beside(): Promise<void> {
    const other = await trader.request(CENTS);
    await trader.submit(other);
    await service.control('payout', { id: await eventually(async () => sent() === 2 && newest()?.id), to: 'failed' });
    await trader.payoutIs(other, 'failed');
    await service.control('payout', { id: ours()[0]?.id, to: 'reversed' });
    await trader.payoutIs(payout, 'failed');
  }

  it('is not sent a second time in doubt: the account would send the money of another payout', async () => {
    await beside();
    service.processor.faults.add({ kind: 'status_500', route: 'POST /v1/payouts' });
    await trader.ask('POST', `/v2/payouts/${payout}/submit`, { headers: { Prefer: 'respond-async' } });
    await eventually(() => stepIs('payout', 'in_doubt'));

    await refuse();
    await trader.payoutIs(payout, 'completed');
    service.processor.faults.clear();

    await eventually(() => stepIs('payout', 'unknown'));
    expect(sent()).to.equal(2);
  });

  for (const [what, fault, state, ending] of [
    ['that waits', 'status_429', 'queued', 'failed'],
    ['in doubt', 'status_500', 'in_doubt', 'unknown'],
  ] as const)
    it(`is not taken back by a reversal ${what}: that would take the money of another payout`, async () => {
      await beside();
      service.processor.faults.add({ kind: fault, route: '/reversals' });
      const reason = { reason: 'the trader asked for it' };
      await operator.ask('POST', `/v2/admin/payouts/${payout}/reverse`, {
        json: reason,
        headers: { Prefer: 'respond-async' },
      });
      await eventually(() => stepIs('reversal', state));

      await refuse();
      await trader.payoutIs(payout, 'completed');
      service.processor.faults.clear();

      await eventually(() => stepIs('reversal', ending));
      expect(await trader.payoutIs(payout, 'completed')).to.include({ reversed_cents: 0 });
    });
});
