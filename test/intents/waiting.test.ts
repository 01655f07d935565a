import { expect } from 'chai';
import type { Settlements } from '../../src/db/settled.ts';
import { untilEnded, waiting } from '../../src/intents/follow.ts';
import { type Intent, intentRow } from '../../src/intents/intent.ts';
import { retryAfterOf } from '../../src/intents/waits.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { within } from '../../src/kernel/within.ts';
import { goByDatabaseTime } from '../../src/kernel/work.ts';

describe('a bounded wait', () => {
  const intent = (settled_at: string | null): Intent =>
    intentRow.parse({
      ...{
        id: newIntentId(),
        kind: 'network/place',
        owner: 'p',
        given_id: null,
        request_id: null,
        lane: null,
        request: {},
        sent_payload: null,
        outcome: null,
      },
      ...{
        fence: 0,
        attempts: 0,
        reconcile_attempts: 0,
        created_at: '',
        deadline_at: '',
        sending_at: null,
        presumed_sent_at: null,
        sent_ago_ms: 0,
      },
      ...{ state: settled_at ? 'succeeded' : 'queued', settled_at },
    });
  const deaf: Settlements = {
    isListening: () => false,
    caughtUp: async () => false,
    next: (_, timeoutMs) => ({
      notified: new Promise((resolve) => setTimeout(resolve, Math.min(timeoutMs, 30), null)),
      cancel: () => {},
    }),
    once: () => {},
    forget: () => {},
    follow: () => () => {},
    close: async () => {},
  };

  const earlier = { id: 'x', replayed: true };

  it('finds the result by its own reads when the notification was lost', async () => {
    const rows = [intent(null), intent(null), intent('2026-01-01T00:00:00Z')];
    const wait = waiting(async () => rows.shift() ?? null, untilEnded(deaf, new AbortController().signal));

    expect(await wait(earlier, 10_000)).to.include({ state: 'succeeded' });
    expect(rows).to.deep.equal([]);
  });

  it('is no longer where the time of the process is set back meanwhile, as by a failover', async () => {
    const wait = waiting(async () => intent(null), untilEnded(deaf, new AbortController().signal));
    const waited = wait(earlier, 100).then(({ state }) => state);
    goByDatabaseTime(600_000);

    const state = await within(waited, 2_000);
    goByDatabaseTime(0);

    expect(state).to.equal('queued');
  });

  it('of 0 s reads once when the intent was accepted earlier', async () => {
    const rows = [intent(null), intent(null)];
    const wait = waiting(async () => rows.shift() ?? null, untilEnded(deaf, new AbortController().signal));

    expect(await wait(earlier, 0)).to.include({ state: 'queued' });
    expect(rows).to.have.length(1);
  });

  it('of 0 s returns a newly accepted intent as it was written', async () => {
    const rows = [intent('2026-01-01T00:00:00Z')];
    const wait = waiting(async () => rows.shift() ?? null, untilEnded(deaf, new AbortController().signal));
    const written = intent(null);

    expect(await wait({ id: 'x', replayed: false, written }, 0)).to.equal(written);
    expect(rows).to.have.length(1);
  });

  it('reads a newly accepted intent once, when it is announced', async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      return intent(reads === 1 ? '2026-01-01T00:00:00Z' : null);
    };
    const announced: Settlements = {
      ...deaf,
      isListening: () => true,
      next: () => ({ notified: Promise.resolve(null), cancel: () => {} }),
    };
    const wait = waiting(read, untilEnded(announced, new AbortController().signal));

    expect(await wait({ id: 'x', replayed: false, written: intent(null) }, 10_000)).to.include({ state: 'succeeded' });
    expect(reads).to.equal(1);
  });

  it('does not read an intent whose row is announced', async () => {
    const settled = intent('2026-01-01T00:00:00.000Z');
    const row = JSON.stringify({
      ...settled,
      created_at: '2026-01-01T00:00:00+00:00',
      deadline_at: '2026-01-01T00:00:15+00:00',
    });
    const announced: Settlements = {
      ...deaf,
      isListening: () => true,
      next: () => ({ notified: Promise.resolve(row), cancel: () => {} }),
    };
    const wait = waiting(() => expect.fail('it was read'), untilEnded(announced, new AbortController().signal));

    expect(await wait({ id: settled.id, replayed: false, written: intent(null) }, 10_000)).to.deep.equal({
      ...settled,
      created_at: '2026-01-01T00:00:00.000Z',
      deadline_at: '2026-01-01T00:00:15.000Z',
    });
  });

  it('reads a new intent at once while nothing can be announced', async () => {
    const rows = [intent('2026-01-01T00:00:00Z')];
    const silent: Settlements = {
      ...deaf,
      next: (_, timeoutMs) => ({
        notified: new Promise((resolve) => setTimeout(resolve, timeoutMs, null)),
        cancel: () => {},
      }),
    };
    const wait = waiting(async () => rows.shift() ?? null, untilEnded(silent, new AbortController().signal));
    const startedAt = performance.now();

    expect(await wait({ id: 'x', replayed: false, written: intent(null) }, 10_000)).to.include({ state: 'succeeded' });
    expect(performance.now() - startedAt).to.be.below(500);
  });

  it('takes no longer than it may while a new intent is not announced', async () => {
    const open = intent(null);
    const quiet: Settlements = {
      ...deaf,
      isListening: () => true,
      next: (_, timeoutMs) => ({
        notified: new Promise((resolve) => setTimeout(resolve, timeoutMs, null)),
        cancel: () => {},
      }),
    };
    const wait = waiting(async () => open, untilEnded(quiet, new AbortController().signal));
    const startedAt = performance.now();

    expect(await wait({ id: 'x', replayed: false, written: open }, 100)).to.include({ state: 'queued' });
    expect(performance.now() - startedAt).to.be.below(500);
  });

  it('ends with the open intent, also where the database does not say what that waits for', async () => {
    const why = () => Promise.reject(new Error('the database is away'));
    const wait = waiting(async () => intent(null), untilEnded(deaf, new AbortController().signal), why);

    expect(await wait(earlier, 0)).to.include({ state: 'queued', wait: null });
  });

  it('of more than 0 s reads, also when the intent was just accepted', async () => {
    const rows = [intent('2026-01-01T00:00:00Z')];
    const wait = waiting(async () => rows.shift() ?? null, untilEnded(deaf, new AbortController().signal));

    expect(await wait({ id: 'x', replayed: false, written: intent(null) }, 1_000)).to.include({ state: 'succeeded' });
  });

  it('is none for a new intent once the process stops: it is read at once', async () => {
    const calm = {
      ...deaf,
      isListening: () => true,
      next: () => ({ notified: new Promise<null>(() => {}), cancel: () => {} }),
    };
    const wait = waiting(async () => intent(null), untilEnded(calm, AbortSignal.abort()));
    const accepted = { id: 'x', replayed: false, written: intent(null) };

    expect(await within(wait(accepted, 10_000), 500)).to.include({ state: 'queued' });
  });

  it('ends at its next read when the process stops', async () => {
    const stopping = new AbortController();
    const wait = waiting(async () => intent(null), untilEnded(deaf, stopping.signal));
    const startedAt = performance.now();
    setTimeout(() => stopping.abort(), 40);

    await wait(earlier, 10_000);

    expect(performance.now() - startedAt).to.be.below(500);
  });

  it('is to be asked about again after whole seconds, and never at once', () => {
    const shown = (again_s: number) => retryAfterOf({ id: 'x', reason: 'queue', until: null, behind: null, again_s });

    expect([shown(0.2), shown(1.5), retryAfterOf(null)]).to.deep.equal(['1', '2', '1']);
  });
});
