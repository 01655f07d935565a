import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { claim } from '../../src/intents/claim.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { functionWrites, statementWrites } from './guarded-writes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What keeps a write to the claim, the attempt or the poll that it belongs to. */
const GUARD = /\b(?:\w+\.)?(?:fence = (?:held_fence|s\.fence)|polls = polls_before)(?= and| or|;|\n|$)/gm;
const RAISE = /if not settle_intent\(intent, held_fence, ending, said, responded_s\) then[^;]*;\s*end if;/;

/*
 * Each write that belongs to a claim is made with a claim that another worker has taken over since. It must write
 * nothing. Then the same with every guard taken out of the database in turn: the write must be noticed.
 */
describe('a write whose claim is lost', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 2, () => {});
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  /** An intent as its first worker claimed it. A second worker claims it after that. */
  async function lostClaim(kind: string): Promise<Intent> {
    const one = item({ kind, request: { trader: 'e_1', wallet: '0x1', pair: 'BTC-USDC' } });
    await intentDb.accept(one);
    const lost = await claim(db, { id: one.id, kind });
    await intentDb.claim(one.id);
    return lost as Intent; // as: it was queued
  }

  /** Every row that a write of a worker could touch, as one text. */
  async function world(): Promise<string> {
    const tables = await intentDb.query<{ name: string }>(
      `select c.relname as name from pg_class c where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace) order by 1`,
    );
    const parts = tables.map(
      ({ name }) => `(select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from ${name} t)`,
    );
    const [row] = await intentDb.query<{ all: string }>(
      `select concat_ws(' ', ${parts.join(', ')}, (select count(*) from queue_jobs)) as all`,
    );
    return row?.all ?? '';
  }

  /** Whether a write under a lost claim writes nothing. */
  async function writesNothing(name: string): Promise<boolean> {
    const statement = statementWrites[name];
    if (statement) {
      const lost = await lostClaim(statement.kind);
      const before = await world();
      const ok = await statement.write(db, lost).catch(() => 'threw');
      return ok === false && (await world()) === before;
    }
    const { prepare, write } = functionWrites[name] as (typeof functionWrites)[string]; // as: its key
    const context = await prepare(intentDb);
    const before = await world();
    const [row] = await intentDb.query<{ ok: unknown }>(write, context).catch(() => [{ ok: 'threw' }]);
    return (row === undefined || row.ok === false || row.ok === 'lost') && (await world()) === before;
  }

  for (const name of Object.keys({ ...statementWrites, ...functionWrites }))
    it(`writes nothing: ${name}`, async () => {
      expect(await writesNothing(name)).to.equal(true);
    });

  it('has its event once under a claim that holds: every statement that ends an order verb emits as its last step', async () => {
    await intentDb.query(`insert into partners (id, name) values ('ptn_heard', 'Partner')`);
    const verbs = Object.entries(statementWrites).filter(([, { kind }]) => /^(network|exchange)\//.test(kind));
    expect(verbs).to.have.length.above(5);
    for (const [name, { kind, write }] of verbs) {
      const one = item({ kind, owner: 'ptn_heard', request: { trader: 'e_1', wallet: '0x1', pair: 'BTC-USDC' } });
      await intentDb.accept(one);
      expect(await write(db, (await claim(db, { id: one.id, kind })) as Intent), name).to.equal(true);
      const events = await intentDb.query(`select from events where data::jsonb ->> 'intent_id' = $1`, [one.id]);
      expect(events, name).to.have.length(1);
    }
    const late = item({ kind: 'network/close', owner: 'ptn_heard', deadline_s: -1 });
    await intentDb.accept(late);
    expect(await claim(db, { id: late.id, kind: 'network/close' })).to.equal(null);
    const events = await intentDb.query(`select from events where data::jsonb ->> 'intent_id' = $1`, [late.id]);
    expect(events, 'a claim after the deadline').to.have.length(1);
  });

  it('is tried for every statement that ends a claim', async () => {
    const files = await Array.fromAsync(glob('src/**/*.ts', { cwd: root }));
    const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
    const all = texts.join('\n');
    const named = [...all.matchAll(/(?:succeedWith\(\s*[\w.]+,\s*|succeedTogether<[^(]*\(\s*)'(\w+)'/g)].map(
      ([, name]) => name,
    );
    const called = [...all.matchAll(/settleBy\(\s*db,\s*'(\w+)'/g)].map(([, name]) => name);
    const core = ['settle_intents', 'settle_intents: failed'];
    const steps = ['record_step: to the bank', 'record_step: a reversal']; // by the statement of record_step

    expect(Object.keys(statementWrites)).to.have.members([...named, ...called, ...core, ...steps]);
  });

  describe('is noticed when a guard is left out', () => {
    it('of settle_intent: by every statement that ends a claim', async () => {
      await withGuardOut('intents/settle_intent', GUARD, async () => {
        for (const name of Object.keys(statementWrites)) expect(await writesNothing(name), name).to.equal(false);
      });
    });

    it('of settle_claim: by every statement that ends a claim and writes more', async () => {
      await withGuardOut('intents/settle_claim', RAISE, async () => {
        const more = Object.keys(statementWrites).filter((name) => !name.startsWith('settle_intents'));
        for (const name of more) expect(await writesNothing(name), name).to.equal(false);
      });
    });

    it('of any other function', async () => {
      const guarded: string[] = [];
      for await (const file of glob('sql/functions/**/*.sql', { cwd: root })) {
        const name = file.slice('sql/functions/'.length, -'.sql'.length);
        const guards = [...(await readFile(join(root, file), 'utf8')).replace(/^--.*$/gm, '').matchAll(GUARD)];
        if (guards.length === 0 || name === 'intents/settle_intent') continue;
        guarded.push(name);
        expect(guards, name).to.have.length(1);
        expect(functionWrites, `a scenario for ${name}`).to.have.property(name);
        await withGuardOut(name, GUARD, async () => {
          expect(await writesNothing(name), name).to.equal(false);
        });
      }
      expect(guarded).to.have.members(Object.keys(functionWrites));
    });
  });

  async function withGuardOut(name: string, guard: RegExp, check: () => Promise<void>): Promise<void> {
    const definition = await readFile(join(root, `sql/functions/${name}.sql`), 'utf8');
    const mutant = definition.replace(guard, (found) =>
      found.startsWith('if') ? 'perform settle_intent(intent, held_fence, ending, said, responded_s);' : 'true',
    );
    expect(mutant).not.to.equal(definition);
    await intentDb.query(mutant);
    try {
      await check();
    } finally {
      await intentDb.query(definition);
    }
  }
});

describe('a write under a claim that holds', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    db = await openPool(intentDb.url, 2, () => {});
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  it('gives its slot back: every statement that ends one, and a claim after the deadline', async () => {
    const holding = async (id: string) => {
      await intentDb.query(`update intents set upstream = 'miner:x' where id = $1`, [id]);
      await intentDb.query(
        `insert into upstream_slots (upstream, slot, intent_id, hold_s, held_until) values ('miner:x', 1, $1, 60, now() + interval '1 minute')
         on conflict (upstream, slot) do update set intent_id = excluded.intent_id, held_until = excluded.held_until`,
        [id],
      );
    };
    const holders = () => intentDb.query('select intent_id from upstream_slots where intent_id is not null');
    for (const [name, { kind, write }] of Object.entries(statementWrites)) {
      const one = item({
        kind,
        owner: 'app_1',
        request: { trader: 'e_1', wallet: '0x1', pair: 'BTC-USDC', user_id: 'usr_1' },
      });
      await intentDb.accept(one);
      const claimed = (await claim(db, { id: one.id, kind })) as Intent; // as: it was queued
      await holding(one.id);
      await intentDb.query('delete from payout_steps');
      await intentDb.query(
        `insert into payout_steps (intent_id, payout_id, step, amount_cents, currency) values ($1, 'po_1', 'transfer', 100, 'usd')`,
        [one.id],
      );
      expect(await write(db, claimed), name).to.equal(true);
      expect(await holders(), name).to.deep.equal([]);
    }
    const late = item({ deadline_s: -1 });
    await intentDb.accept(late);
    await holding(late.id);
    expect(await claim(db, { id: late.id, kind: 'network/place' })).to.equal(null);
    expect(await holders(), 'a claim after the deadline').to.deep.equal([]);
  });
});
