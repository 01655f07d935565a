import { expect } from 'chai';
import { prunings } from '../../src/db/retention.ts';
import { type FilledDatabase, openFilled } from '../support/filled.ts';
import { DAYS } from '../support/pruning.ts';

const ROWS = 20_000;
const OWNERS = 1_000;
const BATCH = 500;
const TIMES = 8; // a plan for any batch may be kept from the sixth execution on
const MOST_ROWS = 8 * BATCH; // its own rows, each some times, and what decides about them

/** What is past its retention: it was left for long, or as much is in a busy hour. All intents have ended, as nearly all have. */
const PAST = `
  insert into intents (id, kind, owner, request, digest, deadline_at, state, settled_at, outcome, created_at)
  select gen_random_uuid(), 'network/place', 'ptn_a', '{}', '', now(), 'succeeded', now(), '{}', now() - interval '8 days'
  from generate_series(1, ${ROWS}) n;
  insert into idempotency_keys (owner, key, digest, intent_id, created_at) select 'ptn_a', i.id::text, '', i.id, i.created_at from intents i;
  insert into upstream_responses (upstream, name, body, read_at)
  select 'exchange', 'order ' || n, '{}', now() - make_interval(days => 30, hours => case when n % 4 = 0 then 1 else -1 end)
  from generate_series(1, ${ROWS}) n;
  insert into api_requests (owner, id, at, operation, method, status, request_id, caller, ms)
  select 'ptn_a', n, now() - interval '8 days', 'op', 'GET', 200, 'req_' || n, 'partner', 1 from generate_series(1, ${ROWS / 2}) n;
  insert into api_usage (owner, day, operation, status_class, requests)
  select 'ptn_' || n % ${OWNERS}, (now() at time zone 'utc')::date - n / ${OWNERS}, 'op', 2, 1 from generate_series(1, ${ROWS}) n;
  vacuum analyze`;

describe('a batch of what is past its retention', () => {
  let filled: FilledDatabase;
  before(async () => {
    filled = await openFilled(PAST);
  });
  after(() => filled.close());

  for (const kind of ['idempotency_keys', 'upstream_responses', 'api_requests'])
    it(`of ${kind} is deleted without reading the whole of a table`, async () => {
      const batch = prunings(filled.db, DAYS)[kind];
      const read: number[] = [];
      for (let n = 0; n < TIMES; n += 1) {
        const before = await filled.rowsRead();
        expect(await batch?.(BATCH)).to.deep.equal({ seen: BATCH, taken: BATCH });
        read.push((await filled.rowsRead()) - before);
      }

      expect(read.filter((rows) => rows > MOST_ROWS)).to.deep.equal([]);
    });
});
