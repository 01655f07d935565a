import { expect } from 'chai';
import { sql } from 'slonik';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { beginSending } from '../../src/intents/claim.ts';
import type { Claim } from '../../src/intents/intent.ts';
import { fail, markInDoubt, succeed } from '../../src/intents/settle.ts';
import { type IntentDatabase, item, openIntentDatabase, type Row, WAITING } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';
import { slotsOf } from '../support/slots.ts';

const LANE = 'netvenue:e_1:BTCUSDC';
const LOG = `select record_event('ptn_a', 'x', '{}')`;
const LANE_HELD = `select from lanes where name = '${LANE}' for update`;
const SUBACCOUNT = `{"synthetic_hotkey": "e_9", "entity_hotkey": "e", "subaccount_id": 9, "asset_class": "crypto", "account_size": 1, "status": "active"}`;
const AT = { upstream: 'miner:x', slots: 1, forExits: 0, isExit: false, holdMs: 30_000 };

/** How a request leaves its slot, and the lock of its tenant that it waits for, which somebody holds. */
const ENDINGS: Record<string, [kind: string, lock: string, end: (db: DbPool, claim: Claim) => Promise<unknown>]> = {
  'an order that succeeds, behind the event log of its partner': [
    'network/place',
    LOG,
    (db, claim) => succeed(db, claim, {}),
  ],
  'an order that fails, behind its lane': ['network/place', LANE_HELD, (db, claim) => fail(db, claim, { code: 'X' })],
  'an order in doubt, behind its lane': [
    'network/place',
    LANE_HELD,
    (db, claim) => markInDoubt(db, claim, 1_000, 'asked', { ended: true }),
  ],
  'a subaccount that was created, behind the event log of its partner': [
    'accounts/provision',
    LOG,
    (db, { id, fence }) =>
      db.query(sql.unsafe`select record_subaccount(${id}, ${fence}, '{"result": {}}', ${SUBACCOUNT}::jsonb)`),
  ],
};

describe('a request that leaves its slot while its tenant is held up', () => {
  let intentDb: IntentDatabase;
  let pool: DbPool;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    pool = await openPool(intentDb.url, 4, () => {});
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A'), ('ptn_b', 'B')`);
  });
  afterEach(async () => {
    await pool.end();
    await intentDb.close();
  });
  const { begin, claimed, queuedNow } = slotsOf(() => intentDb);

  /** It has the only slot. */
  async function sent(kind: string): Promise<Claim> {
    const one = item({ kind, lane: LANE, request: { trader: 'e_1' } });
    await intentDb.accept(one);
    const row = (await intentDb.claim(one.id)) as Row;
    expect(await begin(one.id, row.fence, { slots: 1 })).to.equal('sent');
    return { ...row, owner: 'ptn_a' } as unknown as Claim; // as: the row of a claim
  }

  for (const [what, [kind, lock, end]] of Object.entries(ENDINGS))
    it(`keeps nobody else from the line, and hands the slot to who has joined: ${what}`, async () => {
      const claim = await sent(kind);
      const newcomer = await claimed({ owner: 'ptn_b' });
      const [holder, other] = [await intentDb.session(), await intentDb.session()];

      await holder.query('begin');
      await holder.query(lock);
      const ended = end(pool, claim);
      ended.catch(() => {}); // read below
      await until('the end waits', async () => (await intentDb.query(WAITING)).length > 0);
      await other.query(`set lock_timeout = '300ms'`);
      const begun = await begin(newcomer.id, newcomer.fence, { slots: 1, session: other });
      await holder.query('commit');
      await ended;

      expect(begun).to.equal('waiting');
      expect(await queuedNow()).to.include(newcomer.id);
    });

  it('does not deadlock with a purchase that begins beside somebody who joins the line', async () => {
    const { id } = await sent('network/place');
    const [purchase, newcomer] = [item({ kind: 'registration/purchase' }), await claimed({ owner: 'ptn_b' })];
    await intentDb.accept(purchase);
    await intentDb.query(
      `insert into registrations (id, owner, ex_address, miner_slug, account_size, payer) values ($1, 'ptn_a', '0x1', 'm', 1, '0x1')`,
      [purchase.id],
    );
    const buying = (await intentDb.claim(purchase.id)) as Row;
    const settling = await intentDb.session();

    await settling.query('begin');
    await settling.query(LOG);
    const begun = [
      beginSending(pool, buying as unknown as Claim, {}),
      beginSending(pool, newcomer as unknown as Claim, {}, { slot: AT }),
    ]; // as: rows of claims
    await until('the purchase waits', async () => (await intentDb.query(WAITING)).length > 0);
    await settling.query(`set local lock_timeout = '300ms'`);
    await settling.query('select release_slot($1, $2)', [id, AT.upstream]);
    await settling.query('commit');

    const [bought, joined] = await Promise.all(begun);
    expect(bought).to.equal('sent');
    expect(joined).to.be.oneOf(['waiting', 'sent']); // it may come after the release
  });
});
