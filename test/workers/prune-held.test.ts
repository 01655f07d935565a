import { expect } from 'chai';
import { expirations } from '../../src/capabilities/users/commands.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { prunings } from '../../src/db/retention.ts';
import { advanceDatabase } from '../../src/sandbox/clock.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { DAYS } from '../support/pruning.ts';

const DAY_S = 86_400;
const ID = '00000000-0000-7000-8000-0000000000';

/** Of each kind a row that has ended, where `ONE_OF_EACH` has none. */
const ENDED = `
  insert into intents (id, kind, owner, state, request, outcome, digest, deadline_at, settled_at)
  select ('${ID}' || e.id)::uuid, e.kind, 'ptn_1', 'succeeded', '{}', '{"result": {}}', '\\x01', now(), now()
  from (values ('a1', 'network/place'), ('a2', 'network/cancel')) as e (id, kind);
  insert into orders (id, venue, owner, trader, pair, terms, lifecycle, ended_at)
  values ('${ID}a1', 'netvenue', 'ptn_1', 'e_1', 'BTCUSDC', '{}', 'filled', now());
  insert into events (id, owner, type, position, data, created_at)
  values (sortable_from('evt', now() - interval '500 days'), 'app_1', 'a.b', 999, '{}', now());
  insert into api_requests (owner, at, operation, method, status, request_id, caller, ms) values ('app_1', now(), 'op', 'GET', 200, 'req_1', 'app', 1);
  insert into stream_tickets (digest, owner, caller, credentials, expires_at) values (sha256('x'), 'ptn_1', 'partner', '{key}', now());
  insert into users (id, app_id, email, password_salt) values ('usr_2', 'app_1', 'b@example.com', 's'), ('usr_3', 'app_1', 'c@example.com', 's');
  insert into sign_ups (user_id, password_hash) values ('usr_2', 'hash');
  update upstream_responses set read_at = now() - interval '40 days'; -- the clock moves neither of these two
  update paces set taken = array[now() - interval '2 hours'];
  update mails set state = 'sent', secret = null, ended_at = now();
  update processor_events set outcome = 'applied', acted_at = now();
  update reveal_links set superseded_at = now();
  insert into webhook_secrets (id, endpoint_id, sealed, expires_at) values ('whs_2', 'whe_1', '\\x01', now())`;

const HOLD = `
  do $$
  declare
    t record;
  begin
    for t in select c.oid::regclass as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace loop
      execute format('select from %s for update', t.name);
    end loop;
  end $$`;

describe('what is pruned and forgotten', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 1, () => {});
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(ENDED);
    await advanceDatabase(db, 450 * DAY_S);
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  /** How many rows of each kind one batch deletes. */
  async function deleted(): Promise<Record<string, number>> {
    const { dead_jobs: _, ...kinds } = { ...prunings(db, DAYS), ...expirations(db) }; // of the queue's own table
    const counts: Record<string, number> = {};
    for (const [kind, batch] of Object.entries(kinds)) counts[kind] = (await batch(1_000)).taken;
    return counts;
  }

  it('leaves what somebody else holds, of every kind, and waits for none of it', async () => {
    const holder = await intentDb.session();
    await holder.query('begin');
    await holder.query(HOLD);

    const held = await deleted();
    await holder.query('rollback');
    const then = await deleted();

    expect(Object.entries(held).filter(([, count]) => count > 0)).to.deep.equal([]);
    expect(Object.entries(then).filter(([, count]) => count === 0)).to.deep.equal([]);
  });
});
