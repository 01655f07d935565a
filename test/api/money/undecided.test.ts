import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { processor as openProcessor } from '../../../src/adapters/processor/index.ts';
import { askProcessor } from '../../../src/capabilities/admin/reruns/ask-processor.ts';
import { type Earner, earner, endWithoutProof, payingApp } from '../../support/earning.ts';
import type { Data, TestAdmin, TestApp } from '../../support/identity.ts';
import { eventually, type Money, startMoney, tier25k } from '../../support/money.ts';
import { PROCESSOR } from '../../support/processor-keys.ts';
import { expectRejected } from '../../support/rejected.ts';
import { twice } from '../../support/twice.ts';

const REASON = { json: { reason: 'the processor was away for a day' } };
const sentRow = z.object({
  id: z.string(),
  kind: z.string(),
  sending_at: z.string(),
  sent_payload: z.record(z.string(), z.unknown()),
});
const LATER = { headers: { Prefer: 'respond-async' } };

describe('a write whose effect nothing proves', () => {
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

  const act = (path: string) => operator.ask('POST', path, REASON);
  const forgotten = (kind: string) => endWithoutProof(service, kind);
  const undecided = async (id: string) => {
    const { body } = await operator.ask('GET', '/v2/admin/intents?state=undecided');
    return body.find((each: { intent_id: string }) => each.intent_id === id);
  };
  const stranded = async (payout: string) => {
    const { body } = await operator.ask('GET', '/v2/admin/payouts/stranded');
    return body.find((each: { payout_id: string }) => each.payout_id === payout);
  };
  const recorded = (payout: string) =>
    service.db.anyFirst(sql.type(z.object({ did: z.string() }))`
      select a.action || ' ' || (a.detail ->> 'verdict') as did
      from ops.actions a
      where a.subject = ${payout} and a.action = 'resolve_payout'
      order by a.at`);
  const made = (kind: string, of: string) =>
    service.processor.ledger
      .entries()
      .filter(({ kind: each, detail }) => each === kind && [detail.destination, detail.account].includes(of));

  for (const [kind, route, ask] of [
    [
      'payments/checkout',
      'payment_intents',
      (u) => u.ask('POST', '/v2/payments/checkout', { json: tier25k, ...LATER }),
    ],
    [
      'payouts/link',
      'account_links',
      (u) => u.ask('POST', '/v2/connect/accounts', { json: { country: 'US' }, ...LATER }),
    ],
  ] satisfies [string, string, (trader: Earner) => Promise<Data>][])
    it(`ends with an unknown effect and is listed: ${kind}`, async () => {
      const trader = await earner(service, app, 500);
      service.processor.faults.add({ kind: 'accept_then_drop', route: `POST /v1/${route}` });
      service.processor.faults.add({ kind: 'status_500', route: `GET /v1/${route}` });
      await ask(trader);

      const id = await forgotten(kind);

      const { body } = await app.ask('GET', `/v2/intents/${id}`);
      expect(body).to.include({ state: 'failed', effect: 'unknown' });
      expect(body.problem).to.include({ code: 'PROCESSOR_SILENT', retryable: false });
      expect(await undecided(id)).to.include({ kind, effect: 'unknown', problem_code: 'PROCESSOR_SILENT' });
    });

  /** A payout of which a step, sent to this route, stays unknown, whether or not it was made. */
  async function unknownPayout(trader: Earner, kind: string, route: string, fault: 'accept_then_drop' | 'status_500') {
    const id = await trader.request(50_000);
    service.processor.faults.add({ kind: fault, route: `POST /v1/${route}` });
    service.processor.faults.add({ kind: 'status_500', route: `GET /v1/${route}` });
    await trader.ask('POST', `/v2/payouts/${id}/submit`, LATER);
    const intent = await forgotten(kind);
    service.processor.faults.clear();
    return { id, intent };
  }

  for (const [step, kind, route, status] of [
    ['transfer', 'payouts/submit', 'transfers', 'submitted'],
    ['payout', 'payouts/pay', 'payouts', 'transferred'],
  ] as const) {
    it(`is looked up by an operator, and found: the ${step} of a payout goes on where it is, once`, async () => {
      const trader = await earner(service, app, 500);
      const { id, intent } = await unknownPayout(trader, kind, route, 'accept_then_drop');

      expect(await trader.payoutIs(id, status)).to.include({ failure_reason: null });
      expect(await stranded(id)).to.include({ step, step_state: 'unknown' });
      expect(await trader.estimate()).to.equal(0);
      expectRejected(await act(`/v2/admin/payouts/${id}/reverse`), 'V2_PAYOUT_NOT_STRANDED');
      expectRejected(await trader.submit(id), 'PROCESSOR_SILENT', { effect: 'unknown', retryable: false });
      const resolved = await act(`/v2/admin/payouts/${id}/resolve`);

      expect(resolved.body).to.include({ payout_id: id, step, status: 'found' });
      await eventually(async () => made('payout', trader.connected).length === 1);
      await service.control('payout', { id: made('payout', trader.connected)[0]?.detail.id, to: 'paid' });
      await trader.payoutIs(id, 'completed');
      expect(made('transfer', trader.connected)).to.have.length(1);
      expect(await undecided(intent)).to.equal(undefined);
      expect((await app.ask('GET', `/v2/intents/${intent}`)).body).to.include({ effect: 'done' });
      expect(await stranded(id)).to.equal(undefined);
      expectRejected(await act(`/v2/admin/payouts/${id}/resolve`), 'V2_PAYOUT_NOT_UNKNOWN');
      expect(await recorded(id)).to.deep.equal(['resolve_payout done']);
    });

    it(`is looked up by an operator, and absent: the ${step} of a payout may be made again`, async () => {
      const trader = await earner(service, app, 500);
      const { id, intent } = await unknownPayout(trader, kind, route, 'status_500');
      service.processor.faults.add({ kind: 'status_500', route: 'GET /v1/', times: 1 });

      expectRejected(await act(`/v2/admin/payouts/${id}/resolve`), 'PROCESSOR_UNREADABLE', { effect: 'none' });
      expect(await stranded(id)).to.include({ step_state: 'unknown' });
      const resolved = await twice(operator.ask, 'POST', `/v2/admin/payouts/${id}/resolve`, REASON);

      expect(resolved.body).to.deep.equal({ payout_id: id, step, status: 'absent', processor_id: null });
      expect((await app.ask('GET', `/v2/intents/${intent}`)).body).to.include({ effect: 'none' });
      expect((await trader.submit(id)).status).to.equal(200);
      await eventually(async () => made('payout', trader.connected).length === 1);
      expect(made('transfer', trader.connected)).to.have.length(1);
    });
  }

  it('is looked up by an operator: a reversal of a payout', async () => {
    const trader = await earner(service, app, 500);
    const id = await trader.request(50_000);
    service.processor.faults.add({ kind: 'reject', route: 'POST /v1/payouts', times: 1 });
    await trader.submit(id);
    await trader.payoutIs(id, 'failed');
    await service.control('notifications', { hold: true });
    service.processor.faults.add({ kind: 'accept_then_drop', route: '/reversals' });
    await operator.ask('POST', `/v2/admin/payouts/${id}/reverse`, { ...REASON, ...LATER });
    await forgotten('payouts/reverse');
    service.processor.faults.clear();

    expect(await stranded(id)).to.include({ step: 'reversal', step_state: 'unknown', reversed_cents: 0 });
    expect(await trader.estimate()).to.equal(0);
    expect((await act(`/v2/admin/payouts/${id}/resolve`)).body).to.include({ step: 'reversal', status: 'found' });

    await trader.payoutIs(id, 'reversed');
    await service.control('notifications', { hold: false });
    expect(await trader.estimate()).to.equal(50_000);
  });

  it('is recorded from psql, as the operator found it', async () => {
    const trader = await earner(service, app, 500);
    const { id } = await unknownPayout(trader, 'payouts/submit', 'transfers', 'accept_then_drop');
    const resolve = (found: string | null, why = 'seen in the dashboard') =>
      service.db.oneFirst(sql.type(z.object({ verdict: z.string() }))`
        select ops.resolve_payout(${id}, ${found}, 'ada', ${why}) as verdict`);
    const [transfer] = made('transfer', trader.connected);

    expect(await resolve(null)).to.equal('malformed');
    expect(await resolve('po_1')).to.equal('malformed');
    expect(await resolve(String(transfer?.detail.id))).to.equal('done');
    expect(await resolve('nothing')).to.equal('not_open');

    await eventually(async () => made('payout', trader.connected).length === 1);
    expect(await recorded(id)).to.deep.equal(
      ['malformed', 'malformed', 'done', 'not_open'].map((verdict) => `resolve_payout ${verdict}`),
    );
  });

  it('is found in the lists of a processor that has forgotten its key, and not made twice', async () => {
    const trader = await earner(service, app, 500);
    const id = await trader.request(50_000);
    service.processor.faults.add({ kind: 'accept_then_drop', route: 'POST /v1/transfers' });
    service.processor.faults.add({ kind: 'status_500', route: 'GET /v1/transfers' });
    await trader.ask('POST', `/v2/payouts/${id}/submit`, LATER);
    await eventually(async () => made('transfer', trader.connected).length === 1);
    await service.control('forget-keys', {});
    service.processor.faults.clear();

    await eventually(async () => made('payout', trader.connected).length === 1);

    expect(made('transfer', trader.connected)).to.have.length(1);
  });

  it('shows operators what the processor has of it now, and what a re-run would do', async () => {
    const trader = await earner(service, app, 500);
    const payout = await trader.request(50_000);
    service.processor.faults.add({ kind: 'status_500', route: 'POST /v1/transfers' });
    await trader.ask('POST', `/v2/payouts/${payout}/submit`, LATER);
    const { id } = await eventually(() =>
      service.db.maybeOne(sql.type(z.object({ id: z.string() }))`
        select s.intent_id as id
        from payout_steps s
        join intents i on i.id = s.intent_id
        where s.payout_id = ${payout} and i.state = 'in_doubt'`),
    );
    const story = async () => (await operator.ask('GET', `/v2/admin/intents/${id}`)).body;
    const assessed = async () => (await story()).rerun;

    const absent = await eventually(async () => {
      const rerun = await assessed();
      return rerun.verdict === 'send_again' && rerun; // or a worker is at it
    });
    service.processor.faults.add({ kind: 'status_500', route: 'GET /v1/transfers' });
    const unread = await assessed();
    expect((await story()).intent.unknown_because).to.match(/^status /);

    expect(absent).to.include({ venue_says: 'it has no record of it', is_safe: true });
    expect(absent.would_do).to.match(/sent again under the same key and acts now/);
    expect(unread.venue_says).to.match(/^its lists cannot be read/);
    service.processor.faults.clear();
    await eventually(async () => made('payout', trader.connected).length === 1);
    expect(made('transfer', trader.connected)).to.have.length(1);
    const adapter = openProcessor({ url: service.processor.url, ...PROCESSOR });
    const sent = await service.db.one(sql.type(sentRow)`
      select i.id, i.kind, i.sending_at, i.sent_payload
      from intents i
      where i.id = ${id}`);
    expect(await askProcessor(absent, sent, adapter)).to.include({ verdict: 'reconcile_again', venue_says: 'yes' });
    const unsafe = { ...absent, verdict: 'would_act_twice', is_safe: false };
    expect(await askProcessor(unsafe, sent, adapter)).to.deep.equal({ ...unsafe, venue_says: 'yes' });
  });

  it('says that the account was opened, when only its link failed', async () => {
    const { ask } = await service.user(app);
    service.processor.faults.add({ kind: 'reject', route: 'POST /v1/account_links', times: 1 });

    const reply = await ask('POST', '/v2/connect/accounts', { json: { country: 'US' } });

    expectRejected(reply, 'PROCESSOR_REJECTED', { effect: 'done' });
    expect((await ask('GET', '/v2/connect/accounts')).body).to.have.length(1);
  });
});
