import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Context } from 'koa';
import { sql } from 'slonik';
import { z } from 'zod';
import type { AnyReply, Commit } from '../../src/contract/handler.ts';
import { idempotentResponse } from '../../src/edge/idempotency.ts';
import { ApiError } from '../../src/kernel/errors.ts';
import type { Principal } from '../../src/kernel/principal.ts';
import { sealer as readSealer } from '../../src/kernel/seal.ts';
import { until } from '../support/processes.ts';
import { openRows, type Rows } from '../support/rows.ts';

type Run = (commit: Commit) => Promise<AnyReply>;
type Request = {
  key?: string;
  digest?: string;
  principal?: Principal;
  network?: string;
  keepsSecrets?: boolean;
  cameAgoMs?: number;
};

const sealer = readSealer(`test:${Buffer.alloc(32, 'test').toString('base64')}`);
const NOBODY: Principal = { kind: 'nobody', owner: '' };
const ok = (body: unknown = 'written'): AnyReply => ({ status: 200, body });

/** One write after another under one key, as the edge runs them; what is written is a name of a partner. */
describe('a write under an Idempotency-Key', () => {
  let rows: Rows;
  let headers: Record<string, string>;
  before(async () => {
    rows = await openRows();
  });
  after(() => rows.close());
  beforeEach(async () => {
    await rows.run('truncate idempotent_responses');
    await rows.run('delete from partners');
    headers = {};
  });

  async function send(
    run: Run,
    {
      key = 'key',
      digest = 'aa',
      principal = NOBODY,
      network = 'net',
      keepsSecrets = false,
      cameAgoMs = 0,
    }: Request = {},
  ) {
    const ctx = {
      state: { receivedAt: performance.now() - cameAgoMs },
      set: (name: string, value: string) => Object.assign(headers, { [name]: value }),
    } as unknown as Context; // as: all that it uses
    const context = { owner: '', digest, request_id: 'r', ...(key && { idempotency_key: key }) } as never; // as: a context
    const commit: Commit = (write) => write(rows.db);
    return idempotentResponse(
      {
        ctx,
        operation: { keepsSecrets },
        call: { context, principal, commit, network },
        deps: { db: rows.db, sealer },
      },
      run,
    );
  }
  const codeOf = (sent: Promise<unknown>) =>
    sent.then(
      () => 'none',
      (error) => error.code ?? error.message,
    );
  /** A handler that writes and responds in one commit. */
  const writes =
    (name: string, reply = ok(), replacedWithinMs?: number): Run =>
    (commit) =>
      commit(async (db) => {
        await db.query(sql.unsafe`insert into partners (id, name) values (${`ptn_${name}`}, ${name})`);
        return reply;
      }, replacedWithinMs);
  const written = () =>
    rows.db.anyFirst(sql.type(z.object({ name: z.string() }))`select p.name from partners p order by 1`);
  const neverRuns: Run = () => Promise.reject(new Error('it ran again'));

  it('runs once, and returns its first response again, headers and all', async () => {
    const reply = { status: 201, body: { id: 1 }, headers: { Location: '/there' } };

    const first = await send(writes('a', reply));
    expect(headers).to.deep.equal({});
    const again = await send(neverRuns);

    expect(first).to.deep.include(reply);
    expect(again).to.deep.include(reply);
    expect(headers).to.deep.equal({ 'Idempotent-Replayed': 'true' });
    expect(await written()).to.deep.equal(['a']);
  });

  it('runs every time without a key', async () => {
    await send(writes('a'), { key: '' });
    await send(writes('b'), { key: '' });

    expect(await written()).to.deep.equal(['a', 'b']);
    expect(headers).to.deep.equal({});
  });

  it('keeps a reply that a handler made without a commit', async () => {
    await send(async () => ok('first'));

    expect((await send(neverRuns)).body).to.equal('first');
  });

  it('is rejected for another request with its key', async () => {
    await send(writes('a'));

    expect(await codeOf(send(neverRuns, { digest: 'bb' }))).to.equal('IDEMPOTENCY_KEY_REUSED');
  });

  it('is of one network where the caller is unknown, and of one caller otherwise', async () => {
    const partner = { kind: 'partner', owner: 'ptn_a', keyId: 'k' } as unknown as Principal; // as: what tells its id
    await send(writes('a'));
    await send(writes('b'), { network: 'another' });
    await send(writes('c'), { principal: partner });

    await send(neverRuns, { principal: partner, network: 'another' });

    expect(await written()).to.deep.equal(['a', 'b', 'c']);
  });

  it('leaves the key to a new attempt where nothing was written: after an error of the catalogue', async () => {
    const failed = await codeOf(send(() => Promise.reject(new ApiError('V1_TRADER_UNKNOWN'))));

    await send(writes('a'));

    expect([failed, await written()]).to.deep.equal(['V1_TRADER_UNKNOWN', ['a']]);
  });

  it('releases the key after any other fault, but not where the write was committed', async () => {
    const failed = await codeOf(send(() => Promise.reject(new Error('broken'))));
    const isHeld = sql.type(z.object({}))`select from idempotent_responses`;
    await until('the key is free', async () => !(await rows.db.exists(isHeld)) || null);

    const breaks: Run = async (commit) => {
      await writes('a')(commit);
      throw new Error('broken');
    };
    const committed = await codeOf(send(breaks));
    const again = await codeOf(send(neverRuns));

    expect([failed, committed, again, await written()]).to.deep.equal(['broken', 'broken', 'none', ['a']]);
  });

  for (const [what, error, isSpent] of [
    ['an error that is final', new ApiError('V1_TRADER_UNKNOWN'), true],
    ['an error that passes', new ApiError('SERVICE_UNAVAILABLE'), false],
    ['an error that passes, of unknown effect', new ApiError('SERVICE_UNAVAILABLE', { effect: 'unknown' }), true],
  ] as const)
    it(`that ended in ${what} after its commit ${isSpent ? 'keeps' : 'releases'} the key`, async () => {
      const fails: Run = async (commit) => {
        await writes('a')(commit);
        throw error;
      };
      const first = await codeOf(send(fails));

      const again = await codeOf(send(isSpent ? neverRuns : writes('b')));

      expect([first, again]).to.deep.equal([error.code, isSpent ? error.code : 'none']);
      expect(headers).to.deep.equal(isSpent ? { 'Idempotent-Replayed': 'true' } : {});
    });

  it('whose reply comes later than its commit keeps that one', async () => {
    await send(async (commit) => {
      await writes('a', ok('accepted'))(commit);
      return ok('done');
    });

    expect((await send(neverRuns)).body).to.equal('done');
  });

  it('that waits for its outcome has a repeat wait for it too, for as long as it said', async () => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const first = send(async (commit) => {
      await writes('a', ok('accepted'), 60_000)(commit);
      await ended;
      return ok('done');
    });
    await sleep(50);
    const repeat = send(neverRuns);

    expect(await Promise.race([repeat, sleep(250, 'waits')])).to.equal('waits');
    end();
    expect([(await first).body, (await repeat).body]).to.deep.equal(['done', 'done']);
  });

  it('has a repeat wait no longer than the platform’s router, which counts from when that came', async () => {
    const first = Promise.withResolvers<AnyReply>();
    const sent = send(() => first.promise);
    await until('the key is taken', () => rows.db.exists(sql.type(z.object({}))`select from idempotent_responses`));
    const startedAt = performance.now();

    const repeat = await codeOf(send(neverRuns, { cameAgoMs: 25_500 }));
    const tookMs = performance.now() - startedAt;
    first.resolve(ok());
    await sent;

    expect(repeat).to.equal('SERVICE_UNAVAILABLE');
    expect(tookMs).to.be.within(400, 1_500);
  });

  it('that died while it waited for its outcome is answered by what it committed, once that time is over', async () => {
    const dies = send(async (commit) => {
      await writes('a', ok('accepted'), 0)(commit);
      throw new Error('died');
    });
    await codeOf(dies);
    const since = Date.now();

    expect((await send(neverRuns)).body).to.equal('accepted');
    expect(Date.now() - since).to.be.within(700, 1_500);
  });

  it('that another request with its key has overtaken writes nothing, and returns that one’s response', async () => {
    const reply = await send(async (commit) => {
      await rows.run(`update idempotent_responses set created_at = now() - interval '2 minutes'`); // it was slow
      await send(writes('b', ok('of the repeat')));
      return writes('a', ok('of the slow one'))(commit);
    });

    expect(reply.body).to.equal('of the repeat');
    expect(await written()).to.deep.equal(['b']);
    expect(headers).to.deep.equal({ 'Idempotent-Replayed': 'true' });
  });
});
