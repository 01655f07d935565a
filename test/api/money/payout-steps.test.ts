import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Earner, earner, payingApp } from '../../support/earning.ts';
import type { TestAdmin, TestApp } from '../../support/identity.ts';
import { eventually, type Money, startMoney } from '../../support/money.ts';
import { nextOf } from '../../support/pages.ts';
import { expectRejected } from '../../support/rejected.ts';
import { twice } from '../../support/twice.ts';

const REASON = { json: { reason: 'the bank account is closed' } };

describe('the steps of a payout', () => {
  let service: Money;
  let operator: TestAdmin;
  let app: TestApp;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0', CHECKOUT_DEADLINE_MS: '60000' } });
    operator = await service.admin();
    app = await payingApp(service);
  });
  after(() => service.stop());
  afterEach(() => service.processor.faults.clear());

  const made = (kind: string, of: string) =>
    service.processor.ledger
      .entries()
      .filter((entry) => entry.kind === kind)
      .map(({ detail }) => detail as Record<string, string | number>)
      .filter((detail) => [detail.destination, detail.account].includes(of));
  const emitted = (type: string, payout: string) =>
    service.db.any(sql.type(z.object({ status: z.string(), reversed_cents: z.number() }))`
      select event_body(e)::jsonb -> 'data' ->> 'status' as status, (event_body(e)::jsonb -> 'data' ->> 'reversed_cents')::integer as reversed_cents
      from events e
      where e.type = ${type} and event_body(e)::jsonb -> 'data' ->> 'payout_id' = ${payout}
      order by e.position`);
  const stranded = async (payout: string) => {
    const { body } = await operator.ask('GET', '/v2/admin/payouts/stranded');
    return body.find((each: { payout_id: string }) => each.payout_id === payout);
  };
  const reverse = (payout: string) => operator.ask('POST', `/v2/admin/payouts/${payout}/reverse`, REASON);

  /** A payout whose payout to the bank the processor has rejected. */
  async function failedAtTheBank(trader: Earner): Promise<string> {
    const id = await trader.request(50_000);
    service.processor.faults.add({ kind: 'reject', route: '/v1/payouts', times: 1 });
    await trader.submit(id);
    await trader.payoutIs(id, 'failed');
    return id;
  }

  it('are submitted again from where they failed: the trader is paid once', async () => {
    const trader = await earner(service, app, 500);
    const id = await failedAtTheBank(trader);

    expect(await stranded(id)).to.include({ safe_action: 'submit again, or reverse', transferred_cents: 50_000 });
    expect(await emitted('payout.failed', id)).to.deep.equal([{ status: 'failed', reversed_cents: 0 }]);
    expect(await trader.estimate()).to.equal(0);
    expectRejected(
      await trader.ask('POST', '/v2/payouts/request', { json: { amount_cents: 100 } }),
      'V2_PAYOUT_EXCEEDS_EARNINGS',
    );
    expect((await trader.submit(id)).status).to.equal(200);
    await service.control('payout', { id: made('payout', trader.connected)[0]?.id, to: 'paid' });
    await trader.payoutIs(id, 'completed');

    expect(made('transfer', trader.connected)).to.have.length(1);
    expect(made('payout', trader.connected)).to.have.length(1);
    expect(await stranded(id)).to.equal(undefined);
  });

  it('are listed in pages, which continue after one that was sent meanwhile, whether it failed again or not', async () => {
    const traders = [await earner(service, app, 500), await earner(service, app, 500)];
    const ids: string[] = [];
    for (const trader of traders) ids.push(await failedAtTheBank(trader));
    const [first, second] = ids as [string, string];
    const list = '/v2/admin/payouts/stranded';
    const page = await operator.ask('GET', `${list}?limit=1`);
    const { since } = await stranded(first);
    service.processor.faults.add({ kind: 'reject', route: '/v1/payouts', times: 1 });
    await traders[0]?.submit(first);
    await eventually(
      async () => (await stranded(first)).step_state === 'failed' && (await stranded(first)).since > since,
    );

    const idsOf = ({ body }: { body: { payout_id: string }[] }) => body.map(({ payout_id }) => payout_id);
    const again = await operator.ask('GET', list);
    const next = await operator.ask('GET', nextOf(page).replace('limit=1', 'limit=5'));
    const last = nextOf(await operator.ask('GET', nextOf(page)));
    await traders[1]?.submit(second);
    await eventually(async () => (await stranded(second)) === undefined);
    const behind = await operator.ask('GET', last);

    expect([page, again, next].map(idsOf)).to.deep.equal([[first], [second, first], [second, first]]);
    expect([behind.status, idsOf(behind)]).to.deep.equal([200, [first]]);
  });

  it('are reversed by an operator once, although the response is lost, and only then free the earnings', async () => {
    const trader = await earner(service, app, 500);
    const id = await failedAtTheBank(trader);
    service.processor.faults.add({ kind: 'accept_then_drop', route: '/reversals', times: 1 });

    const path = `/v2/admin/payouts/${id}/reverse`;
    const replies = await Promise.all([reverse(id), twice(operator.ask, 'POST', path, REASON)]);

    for (const { status } of replies) expect(status).to.equal(200);
    await trader.payoutIs(id, 'reversed');
    expect(await trader.estimate()).to.equal(50_000);
    expect(service.processor.ledger.entries().filter(({ kind }) => kind === 'reversal')).to.have.length(1);
    expect(await stranded(id)).to.equal(undefined);
    expectRejected(await reverse(id), 'V2_PAYOUT_NOT_STRANDED');
    expect((await emitted('payout.failed', id)).at(-1)).to.deep.equal({ status: 'reversed', reversed_cents: 50_000 });
  });

  it('count reversals by their cumulative amount, repeated and out of order', async () => {
    const trader = await earner(service, app, 500);
    const id = await trader.request(50_000);
    await trader.submit(id);
    await eventually(async () => made('payout', trader.connected).length === 1);
    const transfer = made('transfer', trader.connected)[0]?.id;
    service.processor.notifications.travel.hold = true;
    await service.control('transfer', { id: transfer, amount: 100 });
    await service.control('transfer', { id: transfer, amount: 200 });
    service.processor.notifications.travel.hold = false;
    const [first, second] = service.processor.events.filter(({ type }) => type === 'transfer.reversed').slice(-2);

    for (const event of [second, first, second]) {
      await service.notify(event ?? {});
      await eventually(() =>
        service.db.exists(
          sql.unsafe`select from processor_events e where e.id = ${event?.id ?? ''} and e.acted_at is not null`,
        ),
      );
    }

    await eventually(async () => (await trader.estimate()) === 300);
    expect(await trader.payoutIs(id, 'transferred')).to.include({ transferred_cents: 50_000, reversed_cents: 300 });
    expect(await emitted('payout.failed', id)).to.deep.equal([]);
    expect(await emitted('payout.updated', id)).to.deep.equal([{ status: 'transferred', reversed_cents: 300 }]);
    await service.control('transfer', { id: transfer, amount: 50 });
    await eventually(async () => (await trader.estimate()) > 300);
    expect(await trader.estimate()).to.equal(350);
  });

  it('are not moved by objects of others that copy the payout’s metadata', async () => {
    const trader = await earner(service, app, 500);
    const id = await trader.request(50_000);
    await trader.submit(id);
    await eventually(async () => made('payout', trader.connected).length === 1);
    const ours = made('payout', trader.connected)[0]?.id;
    const metadata = { payout_id: id };
    const payout = { id: ours, object: 'payout', amount: 50_000, currency: 'usd', status: 'paid', metadata };
    const transfer = {
      id: 'tr_strange',
      object: 'transfer',
      amount: 50_000,
      amount_reversed: 50_000,
      currency: 'usd',
      destination: trader.connected,
      metadata,
    };
    const event = (n: number, type: string, object: object, more: object = {}) => ({
      id: `evt_strange_${id}_${n}`,
      object: 'event',
      type,
      created: 1,
      livemode: false,
      data: { object },
      ...more,
    });

    const strange = [
      event(1, 'payout.paid', { ...payout, id: 'po_strange' }, { account: trader.connected }),
      event(2, 'payout.paid', payout, { account: 'acct_strange' }),
      event(3, 'payout.paid', payout, { account: trader.connected, livemode: true }),
      event(4, 'payout.paid', payout),
      event(5, 'payout.paid', { ...payout, amount: 1 }, { account: trader.connected }),
      event(6, 'payout.paid', { ...payout, currency: 'jpy' }, { account: trader.connected }),
      event(7, 'transfer.reversed', transfer),
      event(8, 'transfer.reversed', {
        ...transfer,
        id: made('transfer', trader.connected)[0]?.id,
        amount_reversed: 50_001,
      }),
      event(9, 'transfer.reversed', {
        ...transfer,
        id: made('transfer', trader.connected)[0]?.id,
        destination: 'acct_x',
      }),
    ];
    for (const each of strange) expect((await service.notify(each)).status).to.equal(200);

    const outcomes = await eventually(async () => {
      const rows = await service.db.any(sql.type(z.object({ outcome: z.string().nullable() }))`
        select e.outcome from processor_events e where e.id like ${`evt_strange_${id}%`} order by e.id`);
      return rows.every(({ outcome }) => outcome !== null) && rows.map(({ outcome }) => outcome);
    });
    const none = 'not_ours';
    expect(outcomes).to.deep.equal([none, none, none, none, 'unreadable', 'unreadable', none, 'unreadable', none]);
    expect(await trader.payoutIs(id, 'transferred')).to.include({ reversed_cents: 0 });
  });

  it('pay an account abroad under the recipient agreement, in its currency, once its money is available there', async () => {
    const trader = await earner(service, app, 500, 'DE');
    const id = await trader.request(50_000);
    await trader.submit(id);
    await trader.payoutIs(id, 'transferred');
    await service.runTask('payouts/reconcile');
    const arrival = [...service.processor.arrivals.values()].find(({ account }) => account === trader.connected);
    expect(made('payout', trader.connected)).to.deep.equal([]);

    await service.control('arrival', { id: arrival?.id });
    await service.db.query(sql.type(z.object({}))`update payouts set pay_after = now() where id = ${id}`);
    await eventually(async () => {
      await service.runTask('payouts/reconcile');
      return made('payout', trader.connected).length === 1;
    });

    expect(made('payout', trader.connected)[0]).to.include({ amount: 45_000 });
    await service.control('payout', { id: made('payout', trader.connected)[0]?.id, to: 'paid' });
    await trader.payoutIs(id, 'completed');
  });

  it('are rejected for a country that cannot be paid, before an account is created', async () => {
    const { ask } = await service.user(app);
    const accounts = service.processor.ledger.entries().filter(({ kind }) => kind === 'account').length;

    for (const country of ['KP', 'BR', 'ZZ'])
      expectRejected(await ask('POST', '/v2/connect/accounts', { json: { country } }), 'V2_COUNTRY_UNSUPPORTED');

    expect(service.processor.ledger.entries().filter(({ kind }) => kind === 'account')).to.have.length(accounts);
  });
});
