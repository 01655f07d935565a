import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Event } from '../../../src/sandbox/processor/world.ts';
import { type Money, startMoney, tier25k } from '../../support/money.ts';
import { atRest, manyUsers, payMany, piecesOf, shuffled } from '../../support/money-crowd.ts';

const outcomeRow = z.object({
  status: z.string(),
  accounts: z.number(),
  account_status: z.string().nullable(),
  reason: z.string().nullable(),
});

/** The outcome of each payment, by its buyer and in the order of the checkouts. */
const outcomes = ({ db }: Money) =>
  db.any(sql.type(outcomeRow)`
    select p.status, count(a.id)::integer as accounts, max(a.status) as account_status, max(a.failure_reason) as reason
    from payments p
    left join prop_accounts a on a.payment_id = p.id
    group by p.id
    order by split_part(p.user_id, '_', 2)::integer, p.created_at`);

const PAYMENTS = Number(process.env.R8_PAYMENTS ?? 60); // 1,000 for the figures of the promise; 60 have every way a payment goes
const REPEATS = 4;
const NEVER_SENT = 0.1;

describe('notifications, shuffled, repeated, and a tenth of them never sent', () => {
  it('end in one account per paid payment, as the ordered run does', async function () {
    this.timeout(600_000);
    const startedAt = Date.now();
    const ordered = await run((events) => events);
    let sent = 0;
    const disordered = await run((events) => {
      const kept = events.filter((_, n) => (n * 7919) % 1000 >= NEVER_SENT * 1000);
      const all = shuffled(Array.from({ length: REPEATS }, () => kept).flat());
      sent = all.length;
      return all;
    });

    console.log(`      ${sent} notifications of ${PAYMENTS} payments, both runs in ${Date.now() - startedAt} ms`);
    expect(sent).to.be.at.least(PAYMENTS * 10);
    expect(disordered.standings).to.deep.equal(ordered.standings);
    expect(disordered.standings.filter(({ accounts }) => accounts === 1)).to.have.length(disordered.paid);
    expect(disordered.standings.filter(({ accounts }) => accounts > 1)).to.deep.equal([]);
    expect(disordered.subaccounts).to.be.at.most(disordered.paid);
    expect(disordered.reported).to.equal(disordered.paid);
  });

  /**
   * One service over a set of payments: declined, paid, refunded or disputed; notified in this order, then reconciled.
   */
  async function run(order: (events: readonly Event[]) => readonly Event[]) {
    const service = await startMoney({
      notified: false,
      settings: { PAYMENT_RECONCILE_MS: '0', TRADING_CONCURRENCY: '20' },
    });
    try {
      const paid = await payMany(service, PAYMENTS, tier25k);
      for (const chunk of piecesOf(order(service.processor.events), 20)) {
        const replies = await Promise.all(chunk.map((event) => service.notify(event)));
        for (const { status } of replies) expect(status).to.equal(200);
      }
      await service.runTask('payments/reconcile');
      await atRest(service, 240_000);
      return {
        paid,
        standings: [...(await outcomes(service))],
        subaccounts: service.miner.ledger.entries().filter(({ kind }) => kind === 'subaccount').length,
        reported: await service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
          select count(*) count from events where type = 'payment.succeeded'`),
      };
    } finally {
      await service.stop();
    }
  }
});

const CREATIONS = Number(process.env.R5_CREATIONS ?? 100);

describe('100 creations, of which a fifth lose their response', () => {
  it('create one subaccount each, and never a second', async function () {
    this.timeout(300_000);
    const service = await startMoney({
      settings: { NETVENUE_IN_FLIGHT_MS: '2000', NETVENUE_PATIENCE_MS: '1000', TRADING_CONCURRENCY: '20' },
      upstream: { activationMs: 200 },
    });
    try {
      service.miner.faults.add({ kind: 'accept_then_drop', route: 'create-subaccount', rate: 0.2, seed: 7 });
      const startedAt = Date.now();
      const users = await manyUsers(service, CREATIONS);
      const json = { tier_id: 'tier_demo', asset_class: 'crypto', account_size: 10_000 };
      await Promise.all(
        users.map(({ ask }) => ask('POST', '/v2/payments/free', { json, headers: { Prefer: 'wait=0' } })),
      );
      await atRest(service, 120_000);

      const created = service.miner.ledger.entries().filter(({ kind }) => kind === 'subaccount').length;
      const rows = await service.db.any(sql.type(z.object({ status: z.string(), n: z.number() }))`
        select a.status, count(distinct a.synthetic_hotkey)::integer as n from prop_accounts a group by a.status`);
      const reconciledCount = await service.db.oneFirst(sql.type(z.object({ n: z.number() }))`
        select count(*) n from intents where kind = 'accounts/provision' and reconcile_attempts > 0`);
      console.log(
        `      ${created} subaccounts for ${CREATIONS} creations, ${reconciledCount} reconciled, in ${Date.now() - startedAt} ms`,
      );
      expect(created).to.equal(CREATIONS);
      expect(reconciledCount).to.be.at.least(10);
      expect(rows).to.deep.equal([{ status: 'evaluation', n: CREATIONS }]);
    } finally {
      await service.stop();
    }
  });
});
