import { expect } from 'chai';
import pg from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { revokeStolenKey } from '../../src/capabilities/admin/partner-keys/commands.ts';
import { rollKey } from '../../src/capabilities/partners/keys/commands.ts';
import { changeEndpoint, createEndpoint, rotateSecret } from '../../src/capabilities/webhooks/commands.ts';
import { type Db, type DbPool, openPool } from '../../src/db/pool.ts';
import { digest, type PartnerId } from '../../src/kernel/ids.ts';
import { until } from '../support/processes.ts';
import { openRows, type Rows } from '../support/rows.ts';

const OWNER = 'ptn_a' as PartnerId; // as: its prefix
const NOBODY = { adminId: null, address: '192.0.2.1', requestId: 'req_1' };
const thief = { kind: 'partner', owner: OWNER, keyId: 'pky_stolen', perMinute: 1 } as const;

let names = 0;
const newSecret = () => {
  names += 1;
  return { id: `whs_${names}`, secret: '', sealed: Buffer.from('sealed') };
};

/** What a thief does with a stolen key; each gives something that outlives the key. */
const DEEDS: Record<string, (db: Db) => Promise<unknown>> = {
  'makes an endpoint': (db) =>
    createEndpoint(db, thief, { url: 'https://t', events: ['*'], description: null }, newSecret()),
  'moves an endpoint': (db) => changeEndpoint(db, thief, 'whe_kept', { url: 'https://t' }),
  'activates an endpoint that is not': (db) => changeEndpoint(db, thief, 'whe_thiefs', { active: true }),
  'is shown a secret': (db) => rotateSecret(db, thief, 'whe_kept', { secret: newSecret(), overlapS: 60 }),
  'rolls the key': (db) => rollKey(db, thief.keyId, 60),
  'rolls the key again': (db) => rollKey(db, 'pky_rolled', 60),
};

describe('a stolen key that is revoked while the thief uses it', () => {
  let rows: Rows;
  let other: DbPool;
  let watch: pg.Client;
  before(async () => {
    rows = await openRows();
    other = await openPool(rows.url, 2, () => {});
    watch = new pg.Client({ connectionString: rows.url });
    await watch.connect();
  });
  after(async () => {
    await Promise.all([other.end(), watch.end()]);
    await rows.close();
  });
  beforeEach(async () => {
    await rows.run(`truncate partners, partner_keys, webhook_endpoints cascade`);
    await rows.run(`insert into partners (id, name) values ('${OWNER}', 'a')`);
    for (const [id, from] of [
      [thief.keyId, null],
      ['pky_rolled', thief.keyId],
    ])
      await rows.run(
        `insert into partner_keys (id, partner_id, digest, hint, rolled_from) values ('${id}', '${OWNER}', $1, '', ${from ? `'${from}'` : 'null'})`,
        `\\x${digest(String(id)).toString('hex')}`,
      );
    await rows.run(
      `insert into webhook_endpoints (id, owner, url, events, active, deactivated_because, credentials) values
         ('whe_kept', '${OWNER}', 'https://x', '{*}', true, null, '{}'),
         ('whe_thiefs', '${OWNER}', 'https://t', '{*}', false, 'failing', jsonb_build_object('${thief.keyId}', now()))`,
    );
  });

  const waitsForLock = () =>
    until('somebody waits for a lock', async () => {
      const { rowCount } = await watch.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    });
  const revoke = (db: Db) => revokeStolenKey(db, thief.keyId, NOBODY);
  const left = async () => {
    const ofThief = await rows.db.any(sql.type(z.object({ id: z.string() }))`
      select k.id from partner_keys k where k.revoked_at is null
      union all
      select e.id from webhook_endpoints e where e.active and (e.url = 'https://t' or e.credentials <> '{}')`);
    return ofThief.map(({ id }) => id);
  };

  for (const [what, act] of Object.entries(DEEDS)) {
    it(`leaves nothing of one who ${what} just before`, async () => {
      let revoked: Promise<unknown> | undefined;
      await rows.db.transaction(async (tx) => {
        await act(tx);
        revoked = revoke(other);
        await waitsForLock();
      });
      await revoked;

      expect(await left()).to.deep.equal([]);
    });

    it(`leaves nothing of one who ${what} just after`, async () => {
      let code: Promise<string> | undefined;
      await rows.db.transaction(async (tx) => {
        await revoke(tx);
        code = other.transaction(act).then(
          () => 'done',
          (error) => error.code,
        );
        await waitsForLock();
      });

      expect(await code).to.be.oneOf(['V1_KEY_INVALID', 'V1_KEY_SUPERSEDED']);
      expect(await left()).to.deep.equal([]);
    });
  }
});
