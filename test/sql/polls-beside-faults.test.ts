import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Processor } from '../../src/adapters/processor/types.ts';
import { sweepSessions } from '../../src/capabilities/kyc/sweep.ts';
import { readBankPayouts, sweepPayouts } from '../../src/capabilities/payouts/sweep.ts';
import { openPeople, type People } from '../support/people.ts';

const config = { PAYMENT_RECONCILE_MS: 300_000 };

describe('what is read at the processor in one run', () => {
  let people: People;
  const run: People['run'] = (...args) => people.run(...args);
  before(async () => {
    people = await openPeople();
    await people.renew();
  });
  after(() => people.close());

  /** A processor whose every read is noted, and ends with what the database cannot record. */
  function unrecordable() {
    const read: string[] = [];
    const find = async (id: string) => {
      read.push(id);
      return {
        kind: 'found',
        data: { sessionId: id, status: 'no status', failureReason: null, processorPayoutId: id },
      };
    };
    const processor = {
      findVerification: find,
      findPayout: find,
      listEvents: async () => ({ kind: 'unreadable', why: 'a test' }),
    } as unknown as Processor; // as: no more of it is called
    return { read, processor };
  }
  const errorOf = (running: Promise<void>) =>
    running.then(
      () => null,
      (error: Error) => error,
    );

  it('is every verification, although what one shows cannot be recorded, which is thrown', async () => {
    for (const [user, app] of [
      ['ann@a', 'a'],
      ['bob@a', 'a'],
      ['ann@b', 'b'],
    ] as const)
      await run(
        `insert into kyc_cases (user_id, owner, provider, session_id, created_at) values ($1, $2, 'p', 'vs ' || $1::text, now() - interval '1 day')`,
        ...[user, app],
      );
    const { read, processor } = unrecordable();

    const error = await errorOf(sweepSessions({ db: people.db, processor, config }));

    expect(read).to.have.members(['vs ann@a', 'vs bob@a', 'vs ann@b']);
    expect(error).to.be.an('error');
  });

  it('is limited by the time of a run while the processor is silent: the others stay due', async () => {
    await run(
      `insert into kyc_cases (user_id, owner, provider, session_id, created_at)
       select u.id, u.app_id, 'p', 'silent ' || u.id, now() - interval '1 day' from users u
       on conflict (user_id) do update set session_id = excluded.session_id, created_at = excluded.created_at, reconciled_at = null`,
    );
    const { now } = performance;
    const read: string[] = [];
    let passedMs = 0;
    performance.now = () => now.call(performance) + passedMs;
    const findVerification = async (id: string) => {
      read.push(id);
      passedMs += 6_000;
      return { kind: 'unreadable', why: 'no response' };
    };
    const processor = { findVerification } as unknown as Processor; // as: no more of it is called

    await sweepSessions({ db: people.db, processor, config }).finally(() => {
      performance.now = now;
    });

    expect(read).to.have.length(2);
    const due = await people.db.anyFirst(sql.type(z.object({ id: z.string() }))`
      select k.session_id as id from kyc_cases k where k.reconciled_at is null`);
    expect(due).to.have.length.above(0).and.not.include.members(read);
  });

  it('is every payout, although what one shows cannot be recorded, which is thrown', async () => {
    for (const [user, app] of [
      ['ann@a', 'a'],
      ['ann@b', 'b'],
    ] as const) {
      await run(
        `insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
         values ('con ' || $2::text, $2, $1, 'acct ' || $2::text, true, true, true)`,
        ...[user, app],
      );
      await run(
        `insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency)
         values ('po ' || $2::text, $2, $1, $1, 'con ' || $2::text, 1, 'usd')`,
        ...[user, app],
      );
      await run(
        `insert into payout_steps (intent_id, payout_id, step, state, amount_cents, currency, processor_id, created_at)
         values (gen_random_uuid(), 'po ' || $1::text, 'payout', 'sent', 1, 'usd', 'po ' || $1::text, now() - interval '1 day')`,
        app,
      );
    }
    const { read, processor } = unrecordable();

    const error = await errorOf(
      readBankPayouts({ db: people.db, processor, config: { ...config, ACCOUNT_DEADLINE_MS: 1 } }),
    );

    expect(read).to.have.members(['po a', 'po b']);
    expect(error).to.be.an('error');
  });

  it('is followed by the next step of every payout that waited, although an account cannot be read and a step not recorded', async () => {
    await run(`delete from payout_steps`);
    await run(
      `update payouts set status = 'submitted', submitted_at = now(), pay_after = now() - case id when 'po a' then interval '2 h' else interval '1 h' end`,
    );
    await run(`create function reject_step() returns trigger language plpgsql as 'begin raise exception ''no''; end'`);
    await run(
      `create trigger rejected before insert on payout_steps for each row when (new.payout_id = 'po a') execute function reject_step()`,
    );

    await run(`update connect_accounts set created_at = now() - interval '2 days'`);
    const { processor } = unrecordable(); // which reads no account
    const deps = {
      db: people.db,
      processor,
      config: { ...config, ACCOUNT_DEADLINE_MS: 60_000 },
      log: { error: () => {} },
    };

    const error = await errorOf(sweepPayouts(deps));

    const waiting = await people.db.anyFirst(sql.type(z.object({ id: z.string() }))`
      select id from payouts where pay_after is not null`);
    expect(waiting).to.deep.equal(['po a']);
    expect(error?.message).to.equal('no'); // the first, of the payouts: what the accounts show comes after them
  });
});
