import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import { market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const REGISTER = '/v1/register/netvenue';
const CREATE = '/miner/api/create-';
const PAYOUT = '0x00000000000000000000000000000000000000Bb';

let sizes = 1_000;
/** A size no other test requests: creations of one size and class are interchangeable while they are in doubt. */
const uniqueSize = () => ++sizes;
const address = () => `0xAb${String(uniqueSize()).padStart(38, '0')}`;

describe('registerNetvenueTrader', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' } });
  });
  after(() => service.stop());

  const scriptFault = (kind: FaultKind, times: number) =>
    service.miner.faults.add({ kind, route: CREATE, times, delayMs: 600 });
  const createdOf = (size: number) =>
    service.miner.ledger.entries().filter(({ kind, detail }) => kind === 'subaccount' && detail.account_size === size);

  it('creates a standard subaccount that can trade', async () => {
    const partner = await service.partner();
    const account_size = uniqueSize();

    const reply = await partner.post(REGISTER, { asset_class: 'forex', account_size });
    const headers = { 'Trader-ID': String(reply.body.subaccount.subaccount_id) };
    const order = await partner.post('/v1/orders/netvenue', market({ trade_pair: 'EURUSD' }), { headers });

    expect(reply.status).to.equal(200);
    expect(reply.body.subaccount).to.include({ asset_class: 'forex', account_size });
    expect(reply.body.message).to.be.a('string');
    expect(reply.headers['intent-id']).to.match(/^[0-9a-f-]{36}$/);
    expect(createdOf(account_size)).to.have.length(1);
    expect(order.status).to.equal(200);
  });

  it('creates a subaccount linked to a wallet, of 10,000 when no size is given', async () => {
    const partner = await service.wallet();
    const ex_address = partner.wallet;

    const reply = await partner.post(REGISTER, { ex_address, payout_address: PAYOUT });

    const linked = service.miner.ledger
      .entries()
      .filter(({ detail }) => detail.hl_address === ex_address.toLowerCase());
    expect(reply.status).to.equal(200);
    expect(reply.body.subaccount).to.include({ account_size: 10_000 });
    expect(linked).to.have.length(1);
  });

  it('rejects a wallet that already has a subaccount, for every caller', async () => {
    const [partner, other] = await Promise.all([service.partner(), service.partner()]);
    const ex_address = address();
    await partner.post(REGISTER, { ex_address });

    const replies = await Promise.all([
      partner.post(REGISTER, { ex_address }),
      other.post(REGISTER, { ex_address: ex_address.toLowerCase() }),
    ]);

    for (const reply of replies) {
      expectProblem(reply, 'VENUE_REJECTED', { reason: 'already_registered', effect: 'none' });
    }
  });

  it('reports why the venue rejected it', async () => {
    const partner = await service.partner();
    scriptFault('reject', 1);

    const reply = await partner.post(REGISTER, { asset_class: 'crypto', account_size: uniqueSize() });

    expectProblem(reply, 'VENUE_REJECTED', { reason: 'insufficient_collateral', effect: 'none' });
  });

  it('responds with 202 and a poll address when the caller does not wait', async () => {
    const partner = await service.partner();
    scriptFault('late', 1);

    const reply = await partner.post(
      REGISTER,
      { asset_class: 'crypto', account_size: uniqueSize() },
      { prefer: 'respond-async' },
    );
    const intent = await partner.poll(reply);

    expect(reply.status).to.equal(202);
    expect(reply.body).to.deep.include({ status: 'pending', subaccount: null });
    expect(reply.headers).to.include({ 'retry-after': '1', 'preference-applied': 'respond-async' });
    expect(intent).to.include({ kind: 'accounts/provision', state: 'succeeded', effect: 'done' });
    expect(intent.result.subaccount).to.have.property('subaccount_id');
  });

  for (const kind of ['accept_then_drop', 'cut_json', 'late'] as const) {
    it(`finds the subaccount whose response was lost and creates no second one: ${kind}`, async () => {
      const partner = await service.partner();
      const account_size = uniqueSize();
      scriptFault(kind, 1);

      const reply = await partner.post(REGISTER, { asset_class: 'crypto', account_size });

      expect(reply.status).to.equal(200);
      expect(createdOf(account_size).map(({ subaccount_id }) => subaccount_id)).to.deep.equal([
        reply.body.subaccount.subaccount_id,
      ]);
    });
  }

  it('finds the linked subaccount whose response was lost', async () => {
    const partner = await service.partner();
    const ex_address = address();
    scriptFault('accept_then_drop', 1);

    const reply = await partner.post(REGISTER, { ex_address });
    const again = await partner.post(REGISTER, { ex_address });

    expect(reply.status).to.equal(200);
    expectProblem(again, 'VENUE_REJECTED', { reason: 'already_registered' });
  });

  it('gives two identical creations with lost responses one subaccount each', async () => {
    const partners = await Promise.all([service.partner(), service.partner()]);
    const account_size = uniqueSize();
    scriptFault('accept_then_drop', 2);

    const replies = await Promise.all(
      partners.map((partner) => partner.post(REGISTER, { asset_class: 'crypto', account_size })),
    );

    const ids = replies.map(({ body }) => body.subaccount?.subaccount_id);
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(ids).to.have.members(createdOf(account_size).map(({ subaccount_id }) => subaccount_id));
    expect(new Set(ids)).to.have.property('size', 2);
  });

  it('does not take subaccounts of other owners', async () => {
    const partner = await service.partner();
    const account_size = uniqueSize();
    await partner.post(REGISTER, { asset_class: 'crypto', account_size });
    scriptFault('reset', 1);

    const reply = await partner.post(REGISTER, { asset_class: 'crypto', account_size });

    expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none', retryable: true });
    expect(createdOf(account_size)).to.have.length(1);
  });

  it('does not take an equal subaccount that was created before by somebody else', async () => {
    const partner = await service.partner();
    const account_size = uniqueSize();
    service.miner.addSubaccounts(1, { size: account_size });
    scriptFault('reset', 1);

    const reply = await partner.post(REGISTER, { asset_class: 'crypto', account_size });

    expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none', retryable: true });
  });

  it('does not guess when more were created than requested', async () => {
    const partner = await service.partner();
    const account_size = uniqueSize();
    scriptFault('accept_then_drop', 1);
    const pending = await partner.post(REGISTER, { asset_class: 'crypto', account_size }, { prefer: 'wait=0' });
    await until(async () => createdOf(account_size).length > 0);
    service.miner.addSubaccounts(1, { size: account_size });

    const intent = await partner.poll(pending);
    const reply = await partner.get(String(pending.headers.location));

    expect(intent).to.include({ state: 'failed', effect: 'unknown' });
    expect(reply.body.problem).to.include({ code: 'SUBACCOUNT_AMBIGUOUS', retryable: false });
  });

  for (const kind of ['reset', 'status_500', 'html_200', 'hang'] as const) {
    it(`ends without effect when nothing was created: ${kind}`, async () => {
      const partner = await service.partner();
      const account_size = uniqueSize();
      scriptFault(kind, 1);

      const reply = await partner.post(REGISTER, { asset_class: 'crypto', account_size });

      expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none' });
      expect(createdOf(account_size)).to.deep.equal([]);
    });
  }
});

describe('registerNetvenueTrader at an entity where others create subaccounts too', () => {
  let service: TestService;
  before(async () => {
    const settings = { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350', NETVENUE_ENTITY_USE: 'shared' };
    service = await startService({ settings });
  });
  after(() => service.stop());

  for (const [what, kind] of [
    ['its own had no effect', 'hang'],
    ['its own response was lost', 'accept_then_drop'],
  ] as const)
    it(`leaves it to an operator whose an equal subaccount is when ${what}`, async () => {
      const partner = await service.partner();
      const account_size = uniqueSize();
      service.miner.faults.add({ kind, route: CREATE, times: 1 });
      const pending = await partner.post(REGISTER, { asset_class: 'crypto', account_size }, { prefer: 'wait=0' });
      if (kind === 'hang') {
        await until(() => isSent(service, account_size));
        service.miner.addSubaccounts(1, { size: account_size });
      }

      const intent = await partner.poll(pending);

      expect(intent).to.include({ state: 'failed', effect: 'unknown' });
      expect(intent.problem).to.include({ code: 'SUBACCOUNT_AMBIGUOUS' });
    });

  it('still gives what the network says it has created', async () => {
    const partner = await service.partner();

    const reply = await partner.post(REGISTER, { asset_class: 'crypto', account_size: uniqueSize() });

    expect(reply.status).to.equal(200);
  });
});

const isSent = ({ db }: TestService, size: number): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`
    select
    from intents
    where sending_at is not null and (sent_payload -> 'subaccount' ->> 'accountSize')::numeric = ${size}`);

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(10);
}
