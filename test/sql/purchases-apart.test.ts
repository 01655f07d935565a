import { expect } from 'chai';
import { type PaymentDeps, preparePayment } from '../../src/capabilities/registration/payment.ts';
import { findRegistration, isOtherPaying, isPaidAlready } from '../../src/capabilities/registration/queries.ts';
import {
  abandonRegistration,
  endAccount,
  noteAbsence,
  noteInDoubt,
} from '../../src/capabilities/registration/store.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import type { IntentId, OwnerId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { acceptPurchase, purchaseOf } from '../support/purchases.ts';

const [ADDRESS, OTHER] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as const;
const STATUSES = ['pending', 'processing', 'registered', 'active', 'failed', 'eliminated', 'deregistered'];

describe('a purchase of a registration', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 1, () => {});
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });
  beforeEach(() => intentDb.query('truncate intents, registrations, registration_keys, lanes cascade'));

  const accepted = async (address = ADDRESS, owner = 'ptn_a') => {
    const purchase = purchaseOf(address, { owner });
    expect(await acceptPurchase(intentDb, purchase)).to.equal('accepted');
    return purchase.id as IntentId;
  };
  const send = async (id: string) => {
    const fence = (await intentDb.claim(id))?.fence ?? 0;
    await intentDb.beginSending(id, fence);
    return fence;
  };

  const fail = (id: string, fence: number) =>
    intentDb.query(`select settle_intent($1, $2, 'failed', '{"problem": {"code": "X"}}')`, [id, fence]);

  it('waits for another that may be paying for the same address, by whomever', async () => {
    const [waiting, other] = [await accepted(), await accepted(ADDRESS, 'ptn_b')];
    const isOther = () => isOtherPaying(db, waiting, ADDRESS);
    const seen = [await isOther()];
    const fence = await send(other);
    const intent = { id: waiting, request: { ex_address: ADDRESS } } as unknown as Parameters<typeof preparePayment>[0];
    const prepared = await preparePayment(intent, { db } as unknown as PaymentDeps); // as: nobody is asked
    expect(prepared).to.deep.equal({ wait: { code: 'V1_REGISTRAR_UNREACHABLE' } });
    seen.push(await isOther(), await isOtherPaying(db, other, ADDRESS), await isOtherPaying(db, waiting, OTHER));
    await intentDb.markInDoubt(other, fence);
    seen.push(await isOther());
    await fail(other, fence);
    seen.push(await isOther());

    expect(seen).to.deep.equal([false, true, false, false, true, false]);
  });

  it('is not paid where one of its owner for its address was paid and not recorded, until that is released', async () => {
    const paid = await accepted();
    const fence = await send(paid);
    await fail(paid, fence);
    const [same, elsewhere, foreign] = [await accepted(), await accepted(OTHER), await accepted(ADDRESS, 'ptn_b')];
    await intentDb.query(`update registrations set tx_hash = '0xaa', paid_at = now() where id = $1`, [paid]);
    const seen = [];
    for (const id of [same, elsewhere, foreign]) seen.push(await isPaidAlready(db, id));

    await intentDb.query('update registrations set released_at = now() where id = $1', [paid]);

    expect([...seen, await isPaidAlready(db, same)]).to.deep.equal([true, false, false, false]);
  });

  it('is shown as the newest of its address, unless an earlier one turns out to be open', async () => {
    const ids = [];
    for (let n = 0; n < 3; n++) {
      ids.push(await accepted());
      await intentDb.query(`update registrations set status = 'failed' where id = $1`, [ids[n]]);
    }
    const shown = async () => (await findRegistration(db, 'ptn_a' as OwnerId, ADDRESS))?.id; // as: its prefix
    expect(await shown()).to.equal(ids[2]);

    await intentDb.query(`update registrations set status = 'processing' where id = $1`, [ids[1]]);

    expect(await shown()).to.equal(ids[1]);
  });

  /** The statuses in which a registration is changed, each with and without a payment. */
  async function changedBy(change: (id: IntentId) => Promise<unknown>): Promise<string[]> {
    const changed: string[] = [];
    const id = await accepted();
    for (const status of STATUSES)
      for (const hash of [null, '0xaa']) {
        await intentDb.query(
          `update registrations set status = $2, tx_hash = $3, paid_at = case when $3::text is not null then now() end, message = null
           where id = $1`,
          [id, status, hash],
        );
        await change(id);
        const [row] = await intentDb.query<{ status: string; message: string | null }>('select * from registrations');
        if (row?.status !== status || row.message !== null) changed.push(`${status}${hash ? ', paid' : ''}`);
      }
    return changed;
  }

  it('is said to be in doubt only while it is, and not once it is known to be paid', async () => {
    expect(await changedBy((id) => noteInDoubt(db, id, 'in doubt'))).to.deep.equal(['processing']);
  });

  it('is abandoned only while it is open, and its account ends only while it lives', async () => {
    const open = ['pending', 'pending, paid', 'processing', 'processing, paid'];
    const alive = ['registered', 'registered, paid', 'active', 'active, paid'];

    expect(await changedBy((id) => abandonRegistration(db, id))).to.deep.equal(open);
    await intentDb.query('truncate intents, registrations, registration_keys, lanes cascade');
    expect(await changedBy((id) => endAccount(db, id, 'eliminated'))).to.deep.equal(alive);
  });

  it('is absent since the registrar first said so, counted again after an hour in which nobody asked', async () => {
    const id = await accepted();
    const sinceMs = async () => Math.round((await noteAbsence(db, id)) / 60_000);
    const pass = (minutes: number) =>
      intentDb.query(
        `update registrations
         set absent_since = absent_since - make_interval(mins => $1), absent_at = absent_at - make_interval(mins => $1)`,
        [minutes],
      );

    const minutes = [await sinceMs()];
    for (const pause of [59, 59, 61]) {
      await pass(pause);
      minutes.push(await sinceMs());
    }

    expect(minutes).to.deep.equal([0, 59, 118, 0]);
  });
});
