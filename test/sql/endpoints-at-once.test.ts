import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { changeEndpoint, createEndpoint } from '../../src/capabilities/webhooks/commands.ts';
import { type Db, type DbPool, openPool } from '../../src/db/pool.ts';
import type { PartnerId } from '../../src/kernel/ids.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

const BY = { kind: 'partner', owner: 'ptn_a' as PartnerId, keyId: 'pky_a', perMinute: 1 } as const; // as: its prefix
const INACTIVE = `active = false, deactivated_because = 'asked'`;
const EMIT = `select emit_events('ptn_a', 'order.updated', array['{}']::jsonb[])`;

/** What an owner does to receive events, and what its endpoint was before. */
const begins: Record<string, [before: string | null, act: (db: Db) => Promise<unknown>]> = {
  'was created': [
    null,
    (db) =>
      createEndpoint(
        db,
        BY,
        { url: 'https://x', events: ['*'], description: null },
        { id: 'whs', secret: 's', sealed: Buffer.from('s') },
      ),
  ],
  'was activated': [INACTIVE, (db) => changeEndpoint(db, BY, 'whe_a', { active: true })],
  'has subscribed': [`events = '{enrollment.updated}'`, (db) => changeEndpoint(db, BY, 'whe_a', { events: ['*'] })],
};

for (const [what, [before, begin]] of Object.entries(begins))
  describe(`an endpoint that ${what}`, () => {
    let intentDb: IntentDatabase;
    let db: DbPool;
    beforeEach(async () => {
      intentDb = await openIntentDatabase();
      db = await openPool(intentDb.url, 3, () => {});
      await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'a')`);
      await intentDb.query(
        `insert into partner_keys (id, partner_id, digest, hint) values ('pky_a', 'ptn_a', 'a', '')`,
      );
      if (before === null) return;
      await intentDb.query(
        `insert into webhook_endpoints (id, owner, url, events) values ('whe_a', 'ptn_a', 'https://x', '{*}')`,
      );
      await intentDb.query(`update webhook_endpoints set ${before}`);
    });
    afterEach(async () => {
      await db.end();
      await intentDb.close();
    });

    const count = async (table: string) => (await intentDb.query(`select from ${table}`)).length;

    it('gets each event that its owner could not read when it began', async () => {
      const writer = await intentDb.session();
      await writer.query('begin');
      await writer.query(EMIT);

      const begun = begin(db).then(() => count('events'));
      await sleep(200);
      await writer.query('commit');

      const missed = 1 - (await begun);
      expect(await count('webhook_deliveries'), `${missed} events were not in the log yet`).to.equal(missed);
    });

    it('gets an event that waits for it to begin', async () => {
      const writer = await intentDb.session();
      let writing: Promise<unknown> | undefined;

      await db.transaction(async (tx) => {
        await begin(tx);
        writing = writer.query(EMIT);
        await sleep(200);
      });
      const readable = await count('events');
      await writing;

      expect(await count('webhook_deliveries')).to.equal(1 - readable);
    });
  });
