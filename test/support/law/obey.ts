import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { ErrorCode } from '../../../src/kernel/error-codes.ts';
import { laws } from '../../../src/kernel/error-laws.ts';
import { type Data, fresh } from '../identity.ts';
import { expectRejected } from '../rejected.ts';
import type { Scene } from './scene.ts';
import type { WatchedCalls } from './watched.ts';

const MOST_ATTEMPTS = 30;
const LONGEST_PAUSE_S = 5; // a test really waits as long; a longer pause is passed

/** Plays a scene by hand: obeys each error as the table says. Success is counted, and must have happened exactly once. */
export async function obey(code: ErrorCode, scene: Scene, { calls }: WatchedCalls): Promise<void> {
  const { send, heal, instead } = scene;
  const { spends, retryAfterS } = laws[code];
  const oracle = await oracleOf(scene);
  const key = fresh('law');

  const first = await send(key);
  const since = calls.length;

  expectRejected(first, code, { retryable: retryAfterS !== null });
  expect(first.body.type).to.match(new RegExp(`/docs/errors#${code}$`));
  await oracle.nothing();
  if (spends) {
    expectRejected(await send(key), code, { retryable: false });
    await oracle.nothing();
    await heal?.(first);
    await oracle.once((under) => requireInstead(code, instead)(under, first), fresh('law'));
  } else {
    await heal?.(first);
    await oracle.once((under) => afterPauses(first, () => send(under), scene), key);
  }
  expectFollowed(code, calls.slice(since));
}

/** Plays a scene by the client: it waits by itself; what it throws is what somebody must remedy, or final. */
export async function obeyByClient(code: ErrorCode, scene: Scene, watched: WatchedCalls): Promise<void> {
  const { send, heal, instead, pass, isFollowed } = scene;
  const { spends, retryAfterS } = laws[code];
  const oracle = await oracleOf(scene);
  const key = fresh('law');

  const rejected = watched.rejection(key);
  const sent = send(key);
  if (!spends && (retryAfterS !== null || isFollowed) && !pass) {
    const first = await Promise.race([rejected.then(({ reply }) => reply), sent]);
    if (heal) await oracle.nothing();
    await heal?.(first);
    let isSent = false;
    await oracle.once(
      (under) => {
        const last = isSent ? send(under) : sent;
        isSent = true;
        return last;
      },
      key,
      true,
    );
    return;
  }
  const first = await sent;
  const since = watched.calls.length;
  expect(first.body.error).to.include({ code, retryable: retryAfterS !== null });
  await oracle.nothing();
  if (spends) expect((await send(key)).body.error).to.include({ code, retryable: false });
  await heal?.(first);
  if (spends) await oracle.once((under) => requireInstead(code, instead)(under, first), fresh('law'));
  else await oracle.once((under) => (pass ? afterPauses(first, () => send(under), scene) : send(under)), key);
  expectFollowed(code, watched.calls.slice(since));
}

const requireInstead = (code: ErrorCode, instead: Scene['instead']) => {
  if (!instead) throw new Error(`${code} spends its key: its scene needs another request`);
  return instead;
};

/** What proves success beside the responses. The count is taken before the request, after its rejection, and after success. */
async function oracleOf(scene: Scene) {
  const count = async () => ('makes' in scene ? scene.makes() : 0);
  let before = await count();
  return {
    /** The rejected request had no effect. */
    async nothing() {
      if (!scene.effect) expect(await count(), 'effects of the rejected request').to.equal(before);
    },
    /** A request succeeds, and a repeat under its key makes nothing more. One that `isUnderWay` may have succeeded already. */
    async once(send: (key: string) => Promise<Data>, key: string, isUnderWay = false) {
      if (!scene.effect && !isUnderWay) before = await count();
      const last = await send(key);
      expect(last.status, JSON.stringify(last.body)).to.equal(200);
      if ('shows' in scene) {
        expect(scene.shows(last.body), JSON.stringify(last.body)).to.be.ok;
        return;
      }
      expect(await count(), 'effects of the request that succeeded').to.equal(before + 1);
      const again = await send(key);
      expect(again.status, JSON.stringify(again.body)).to.equal(200);
      expect(await count(), 'effects after a repeat under its key').to.equal(before + 1);
    },
  };
}

/** Repeats while the errors say so, no sooner than they say. */
async function afterPauses(first: Data, send: () => Promise<Data>, { pass }: Scene): Promise<Data> {
  let reply = first;
  for (let attempt = 0; attempt < MOST_ATTEMPTS && reply.body?.error; attempt += 1) {
    const pauseS = Number(reply.headers.get('retry-after'));
    if (reply.body.error.retryable) expect(pauseS).to.be.at.least(1);
    if (pass) await pass(pauseS);
    else {
      expect(pauseS).to.be.at.most(LONGEST_PAUSE_S);
      await sleep(1_000 * pauseS);
    }
    reply = await send();
    if (reply.body?.error) expect(reply.body.error.retryable, JSON.stringify(reply.body)).to.equal(true);
  }
  return reply;
}

/** An operation that an advice names was called: the advice was followed as it is written. */
function expectFollowed(code: ErrorCode, calls: string[]): void {
  for (const [, method, path = ''] of laws[code].advice.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/v\d[^`\s]*)`/g)) {
    const wanted = new RegExp(`^${method} ${path.replace(/\{\w+\}/g, '[^/?]+')}(\\?|$)`);
    expect(
      calls.some((call) => wanted.test(call)),
      `${method} ${path} of the advice in ${calls.join(', ')}`,
    ).to.equal(true);
  }
}
