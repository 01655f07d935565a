import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { beginSending, claim, justAccepted, readUnsent } from '../../src/intents/claim.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { fail, succeed } from '../../src/intents/settle.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

describe('intents executed concurrently', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 5, () => {});
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  const accepted = async (count: number) => {
    const items = Array.from({ length: count }, () => item());
    await intentDb.accept(...items);
    return items.map(({ id }) => id);
  };
  const claimOf = (id: IntentId) => claim(db, { id, kind: 'network/place' });
  const claimed = async (count: number) => {
    const held = await Promise.all((await accepted(count)).map(claimOf));
    return held as Intent[]; // they are queued, so each is returned
  };

  it('have a fence for each claim, also when one intent is claimed many times at once', async () => {
    const [id = ''] = await accepted(1);

    const held = await Promise.all(Array.from({ length: 6 }, () => claimOf(id)));

    expect(held.map((one) => one?.fence).sort()).to.deep.equal([1, 2, 3, 4, 5, 6]);
  });

  it('begin to send only under the newest fence', async () => {
    const [id = ''] = await accepted(1);
    const held = await Promise.all(Array.from({ length: 4 }, () => claimOf(id)));

    const begun = await Promise.all(held.map((one) => beginSending(db, one as Intent, {})));

    expect(held.filter((_, n) => begun[n] === 'sent').map((one) => one?.fence)).to.deep.equal([4]);
  });

  it('are claimed once in the commit that begins to send, however many have prepared one', async () => {
    const [id = ''] = await accepted(1);
    const prepared = await Promise.all(Array.from({ length: 4 }, () => readUnsent(db, id)));

    const begun = await Promise.all(prepared.map((one) => beginSending(db, one as Intent, {}, { claims: true })));

    expect(begun.toSorted()).to.deep.equal(['lost', 'lost', 'lost', 'sent']);
    expect(await intentDb.row(id)).to.include({ state: 'running', fence: 1, attempts: 1 });
    expect(await readUnsent(db, id)).to.equal(null);
  });

  for (const [what, change] of Object.entries({
    'another worker has claimed': (id: string) => intentDb.claim(id),
    'a restored database may have lost': (id: string) =>
      intentDb.query('insert into lost_orders (id) values ($1)', [id]),
    'a restored database may have sent': (id: string) =>
      intentDb.query('update intents set presumed_sent_at = now() where id = $1', [id]),
    'has passed its deadline': (id: string) =>
      intentDb.query('update intents set deadline_at = now() where id = $1', [id]),
    'has been sent and is in doubt': (id: string) =>
      intentDb.query(`update intents set state = 'in_doubt', sending_at = now() where id = $1`, [id]),
  }))
    for (const slot of [undefined, { upstream: 'miner:x', slots: 2, forExits: 0, isExit: false, holdMs: 1_000 }])
      it(`are not claimed to send what ${what} meanwhile${slot ? ', nor is a slot taken' : ''}`, async () => {
        const [id = ''] = await accepted(1);
        const prepared = await readUnsent(db, id);
        await change(id);
        const before = await intentDb.row(id);

        expect(await beginSending(db, prepared as Intent, {}, { slot, claims: true })).to.equal('lost');

        expect(await intentDb.row(id)).to.deep.equal(before);
        expect(await intentDb.query('select from upstream_slots where intent_id = $1', [id])).to.deep.equal([]);
      });

  it('that were announced when they were accepted are claimed to send as if they had been read, each once, unless another worker has', async () => {
    const [id = '', taken = ''] = await accepted(2);
    const known = justAccepted();
    for (const each of [id, taken]) {
      const [row] = await intentDb.query<{ row: string }>(
        `select to_jsonb(i) - 'digest' || '{"sent_ago_ms": 0}' as row from intents i where id = $1`,
        [each],
      );
      known.remember(each, JSON.stringify(row?.row));
    }
    const read = await readUnsent(db, id);
    await intentDb.claim(taken);

    const [first, again, late] = [known.take(id), known.take(id), known.take(taken)];

    expect([first, again]).to.deep.equal([read, undefined]);
    expect(await beginSending(db, late as Intent, {}, { claims: true })).to.equal('lost');
    expect(await beginSending(db, first as Intent, {}, { claims: true })).to.equal('sent');
  });

  const ofTrader = async (status: string) => {
    await intentDb.query(
      `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
       values ('t', 'e', 1, 'ptn_a', gen_random_uuid(), 'crypto', 1, $1)
       on conflict (synthetic_hotkey) do update set status = excluded.status`,
      [status],
    );
    const order = item({ request: { trader: 't' } });
    await intentDb.accept(order);
    return order.id;
  };
  const closing = (sent: string, state = 'running') =>
    intentDb.query(
      `insert into intents (id, kind, owner, request, digest, deadline_at, state, sending_at, sent_payload)
       values (gen_random_uuid(), 'network/close', 'ptn_a', '{"trader": "t"}', '', now(), $2, now(), $1)`,
      [sent, state],
    );

  for (const [what, status, close, begun] of [
    ['of a ready trader', 'active', null, 'sent'],
    ['of a trader whose one position is being closed', 'active', 'MARKET', 'sent'],
    ['of a trader that is not activated', 'pending', null, 'not_ready'],
    ['of a trader all of whose positions are being closed', 'active', 'FLAT_ALL', 'not_ready'],
  ] as const)
    it(`are claimed to send if ready: ${begun} for one ${what}`, async () => {
      const id = await ofTrader(status);
      if (close) await closing(JSON.stringify({ signal: { execution_type: close } }));
      const before = await intentDb.row(id);

      expect(
        await beginSending(db, (await readUnsent(db, id)) as Intent, {}, { claims: true, ifReady: true }),
      ).to.equal(begun);

      const now = await intentDb.row(id);
      if (begun === 'sent') expect(now).to.include({ state: 'running', fence: 1 });
      else expect(now).to.deep.equal(before);
      await intentDb.query(`delete from intents where kind = 'network/close'`);
    });

  it('are not claimed to send if ready for a trader that nobody knows', async () => {
    const [id = ''] = await accepted(1);
    const prepared = (await readUnsent(db, id)) as Intent;

    expect(await beginSending(db, prepared, {}, { claims: true, ifReady: true })).to.equal('not_ready');
  });

  it('are each returned to their claimer, and ended ones to nobody', async () => {
    const ids = await accepted(8);
    const ended = await claimOf(ids[3] ?? '');
    await succeed(db, ended as Intent, {});

    const held = await Promise.all(ids.map(claimOf));

    expect(held.map((one) => one?.id ?? null)).to.deep.equal(ids.map((id, n) => (n === 3 ? null : id)));
  });

  it('end each with its own result, except one whose claim is lost', async () => {
    const held = await claimed(7);
    await intentDb.claim(held[4]?.id ?? ''); // another worker has it now

    const ok = await Promise.all(
      held.map((one, n) => (n % 2 ? fail(db, one, { code: 'VENUE_REJECTED' }) : succeed(db, one, { n }))),
    );

    expect(ok).to.deep.equal([true, true, true, true, false, true, true]);
    const states = [];
    for (const { id } of held) states.push(await intentDb.row(id));
    expect(states.map(({ state }) => state)).to.deep.equal([
      'succeeded',
      'failed',
      'succeeded',
      'failed',
      'running',
      'failed',
      'succeeded',
    ]);
    expect(states[2]?.outcome).to.deep.equal({ result: { n: 2 } });
  });

  it('fail individually when one of them cannot be written', async () => {
    const held = await claimed(5);
    const unstorable = String.fromCharCode(0);

    const ended = await Promise.allSettled(held.map((one, n) => succeed(db, one, n === 2 ? { unstorable } : {})));

    expect(ended.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });
});
