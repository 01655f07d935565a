import { expect } from 'chai';
import { z } from 'zod';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { defineIntent, type IntentDefinition, type Prepared } from '../../src/intents/define.ts';
import type { Claim } from '../../src/intents/intent.ts';
import { type Execution, recordNoResponse, runIntent } from '../../src/intents/run.ts';
import { succeed } from '../../src/intents/settle.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import {
  accepted,
  acknowledged,
  inconclusive,
  rejected,
  type UpstreamResult,
  unknownEffect,
} from '../../src/kernel/upstream-result.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';

type Payload = { what: number };
const PAYLOAD: Payload = { what: 1 };
const [PATIENCE_MS, LATE_MS, IN_FLIGHT_MS] = [100, 300, 60_000];

/** What happens while one intent is prepared and sent. */
type Script = {
  claimed?: 'to_prepare' | 'to_send';
  payloadIfReady?(): Promise<Payload | null>;
  prepare?(): Promise<Prepared<Payload>>;
  send?(): Promise<UpstreamResult<object>>;
  slot?: true;
};

describe('a task that executes an intent', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 3, () => {});
    await intentDb.query(
      `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
       values ('t', 'e', 1, 'ptn_a', gen_random_uuid(), 'crypto', 1, 'active')`,
    );
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  const late = new Set<Promise<unknown>>();
  const execution: Execution = {
    ...{ late, stopping: new AbortController().signal, pauses: { leaves: () => false } },
    get db() {
      return db;
    },
  };
  let sent: string[];
  beforeEach(() => {
    sent = [];
  });

  /** Runs the task of an intent as the queue does: its job is done afterwards. */
  async function run(
    id: string,
    { claimed = 'to_send', prepare, payloadIfReady, send, slot }: Script,
    more: Partial<Execution> = {},
  ): Promise<void> {
    const verb: IntentDefinition<Execution, Record<string, unknown>, Payload, object> = defineIntent({
      ...{ kind: 'network/place', retention: 'with_order', claimed },
      ...{ request: z.looseObject({}), payload: z.object({ what: z.number() }) },
      timing: () => ({ patienceMs: PATIENCE_MS, inFlightMs: IN_FLIGHT_MS }),
      prepare: prepare ?? (async (_, __: Execution) => ({ send: PAYLOAD })),
      ...(payloadIfReady && { payloadIfReady }),
      ...(slot && { slot: () => ({ upstream: 'miner:x', slots: 1, forExits: 0, isExit: false }) }),
      send: ({ intent }) => {
        sent.push(intent.id);
        return send ? send() : Promise.resolve(accepted({}));
      },
      reconcile: async () => unknownEffect('not looked up'),
      record: ({ intent }, _, deps) => succeed(deps.db, intent, {}),
    });
    await intentDb.finishJobs(id);
    await runIntent(verb)({ intent_id: id as IntentId }, { ...execution, ...more });
  }

  async function newIntent(): Promise<string> {
    const one = item({ request: { trader: 't' } });
    await intentDb.accept(one);
    return one.id;
  }
  const passDeadline = (id: string) => intentDb.query('update intents set deadline_at = now() where id = $1', [id]);

  for (const claimed of ['to_prepare', 'to_send'] as const)
    it(`never sends again what a worker that ended had begun to send, claimed ${claimed}`, async () => {
      const id = await newIntent();
      const { fence } = (await intentDb.claim(id)) ?? { fence: 0 };
      await intentDb.beginSending(id, fence);

      await run(id, { claimed });
      await run(id, { claimed });

      expect(sent).to.deep.equal([]);
      expect(await intentDb.row(id)).to.include({ state: 'in_doubt' });
    });

  for (const [what, script] of [
    ['claimed to prepare', { claimed: 'to_prepare', prepare: async () => ({ send: PAYLOAD }) }],
    ['claimed to send', { prepare: async () => ({ send: PAYLOAD }) }],
    ['claimed to send for a ready trader', { payloadIfReady: async () => PAYLOAD }],
  ] as [string, Script][])
    it(`ends as expired, unsent, what passes its deadline while it is prepared: ${what}`, async () => {
      const id = await newIntent();
      const { prepare, payloadIfReady } = script;
      const slow = {
        ...script,
        ...(prepare && { prepare: () => passDeadline(id).then(prepare) }),
        ...(payloadIfReady && { payloadIfReady: () => passDeadline(id).then(payloadIfReady) }),
      };

      await run(id, slow);
      if ((await intentDb.jobs()).some((job) => job.intent_id === id)) await run(id, slow);

      expect(sent).to.deep.equal([]);
      expect(await intentDb.row(id)).to.include({ state: 'expired' });
    });

  it('prepares again what another worker has claimed and put back meanwhile', async () => {
    const id = await newIntent();
    let times = 0;
    const prepare = async (): Promise<Prepared<Payload>> => {
      times += 1;
      if (times > 1) return { send: PAYLOAD };
      const { fence } = (await intentDb.claim(id)) ?? { fence: 0 };
      await intentDb.retry(id, fence);
      return { fail: { code: 'V1_NO_POSITION' } };
    };

    await run(id, { prepare });

    expect(sent).to.deep.equal([id]);
    expect(await intentDb.row(id)).to.include({ state: 'succeeded' });
  });

  const presumed = (id: string) => intentDb.query('update intents set presumed_sent_at = now() where id = $1', [id]);
  const lost = (id: string) =>
    intentDb.query('insert into lost_orders (id) values ($1)', [id]).then(() => passDeadline(id));
  for (const [prepared, state, problem, mark = presumed] of [
    [{ send: PAYLOAD }, 'in_doubt', undefined],
    [{ send: PAYLOAD }, 'in_doubt', undefined, lost], // its retry may come late
    [{ fail: { code: 'V1_NO_POSITION' } }, 'failed', { code: 'V1_NO_POSITION', effect: 'unknown' }],
    [{ wait: { code: 'VENUE_UNREADABLE' } }, 'queued', { code: 'VENUE_UNREADABLE' }], // it is prepared again
    [{ done: {} }, 'succeeded', undefined],
  ] as const)
    it(`sends nothing that a restored database may have sent${mark === lost ? ', or has lost' : ''}: ${state}`, async () => {
      const id = await newIntent();
      await mark(id);

      await run(id, { prepare: async () => prepared });

      expect(sent).to.deep.equal([]);
      const row = await intentDb.row(id);
      expect(row.state).to.equal(state);
      expect(row.outcome?.problem).to.deep.equal(problem);
      expect((await intentDb.jobs()).filter((job) => job.intent_id === id)).to.have.length(row.settled_at ? 0 : 1);
    });

  it('records a response that comes after the patience for it, before its process ends', async () => {
    const id = await newIntent();
    const send = async (): Promise<UpstreamResult<object>> => {
      await new Promise((resolve) => setTimeout(resolve, LATE_MS));
      return accepted({});
    };

    await run(id, { send });
    expect(await intentDb.row(id)).to.include({ state: 'in_doubt' });
    await Promise.all(late);

    expect(await intentDb.row(id)).to.include({ state: 'succeeded' });
  });

  it('throws the fault of a commit that begins to send, and does not run again at once, unless the database is away', async () => {
    const id = await newIntent();
    await intentDb.query(`
      create function is_faulty() returns trigger language plpgsql as $$ begin raise exception 'a bug'; end $$;
      create trigger is_faulty before update on intents for each row
      when (new.id = '${id}' and new.sending_at is not null) execute function is_faulty()`);

    const fault = await run(id, { claimed: 'to_prepare' }).then(
      () => null,
      (error: unknown) => error,
    );

    expect(fault).to.be.an('error');
    expect(sent).to.deep.equal([]);
    expect(await intentDb.row(id)).to.include({ state: 'running', sending_at: null });
    expect((await intentDb.jobs()).filter((job) => job.intent_id === id)).to.deep.equal([]);
  });

  it('looks up at once what the upstream has acknowledged, and a little later what had no response', async () => {
    const lookedUpInMs = async (result: Parameters<typeof recordNoResponse>[2]) => {
      const id = await newIntent();
      const claim = (await intentDb.claim(id)) as unknown as Claim; // as: it was queued, and the row has its members
      await intentDb.beginSending(id, claim.fence);
      await intentDb.finishJobs(id);
      await recordNoResponse(db, claim, result);
      return (await intentDb.jobs()).find((job) => job.intent_id === id)?.in_ms;
    };

    expect(await lookedUpInMs(acknowledged('it says nothing'))).to.be.below(1);
    expect(await lookedUpInMs(unknownEffect('reset'))).to.be.within(100, 601);
  });

  for (const [slug, isLeft, state] of [
    ['venue_auth', true, 'queued'],
    ['venue_auth', false, 'succeeded'], // recorded: this verb records everything so
    ['too_small', true, 'succeeded'],
  ] as const)
    it(`${state === 'queued' ? 'leaves to others' : 'records'} what was rejected as ${slug}, ${isLeft ? 'as' : 'unless'} they serve its upstream`, async () => {
      const id = await newIntent();

      await run(id, { send: async () => rejected(slug, 'no') }, { pauses: { leaves: () => isLeft } });

      expect(await intentDb.row(id)).to.include({ state, ...(state === 'queued' && { sending_at: null }) });
    });

  for (const [what, response, isFree] of [
    ['an acceptance', accepted({}), true],
    ['a response that leaves the effect open', inconclusive('it says nothing'), true],
    ['an acknowledgement', acknowledged('it says nothing'), true],
    ['a connection that breaks', unknownEffect('reset'), false], // the last one: there is one slot
  ] as const)
    it(`${isFree ? 'frees' : 'keeps'} the slot of what its records have ended before, by ${what} after the patience`, async () => {
      const id = await newIntent();
      const send = async () => {
        await new Promise((resolve) => setTimeout(resolve, LATE_MS));
        return response;
      };
      const slots = () =>
        intentDb.query('select intent_id, hold_s from upstream_slots where held_until > now() and intent_id = $1', [
          id,
        ]);

      await run(id, { send, slot: true });
      await intentDb.settle(id, (await intentDb.row(id)).fence);
      const held = await slots();
      await Promise.all(late);

      expect(held).to.deep.equal([{ intent_id: id, hold_s: IN_FLIGHT_MS / 1_000 }]);
      expect(await slots()).to.deep.equal(isFree ? [] : held);
    });
});
