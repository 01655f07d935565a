import { expect } from 'chai';
import { atOnce } from '../../src/kernel/at-once.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { workingOn } from '../../src/kernel/work.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

describe('atOnce', () => {
  const { pass, passing } = stoppedClock();
  /** A limit for whose calls time passes. */
  const limiting = (...given: Parameters<typeof atOnce>) => {
    const { run } = atOnce(...given);
    return { run: ((...call: Parameters<typeof run>) => passing(run(...call))) as typeof run }; // as: run is generic
  };

  /** Calls that take so long, and what ran of them. */
  const calls = (tookMs: number, result: 'response' | 'lost') => {
    const counts = { running: 0, most: 0, ran: 0 };
    const call = async () => {
      counts.ran += 1;
      counts.most = Math.max(counts.most, ++counts.running);
      await new Promise((ended) => setTimeout(ended, tookMs));
      counts.running -= 1;
      return result;
    };
    return { counts, call };
  };
  const hasResponded = (result: string) => result === 'response';
  const many = <T>(count: number, one: () => Promise<T>) => Promise.all(Array.from({ length: count }, one));

  it('runs all calls to an upstream that responds, at most the limit at once', async () => {
    const limit = limiting(3);
    const { counts, call } = calls(100, 'response');

    const results = await many(6, () => limit.run(call, hasResponded));

    expect(results).to.deep.equal(Array(6).fill('response'));
    expect(counts).to.deep.equal({ running: 0, most: 3, ran: 6 });
  });

  it('makes nobody wait for longer than a second for a silent upstream, and nobody at all once its silence is known', async () => {
    const limit = limiting(2);
    const { counts, call } = calls(4_000, 'lost');
    const startedAt = performance.now();
    const silent = many(2, () => limit.run(call, hasResponded));

    const first = await many(2, () => limit.run(call, hasResponded));
    const firstMs = performance.now() - startedAt;
    const later = await many(2, () => limit.run(call, hasResponded));
    const laterMs = performance.now() - startedAt - firstMs;

    expect([first, later]).to.deep.equal([Array(2).fill(null), Array(2).fill(null)]);
    expect(firstMs).to.be.within(950, 1_100);
    expect(laterMs).to.be.below(100);
    expect(await silent).to.deep.equal(['lost', 'lost']);
    expect(counts.ran).to.equal(2);
  });

  it('treats an upstream as silent until it responds, also if a new call begins', async () => {
    const limit = limiting(1);
    const lost = calls(1_200, 'lost');
    await limit.run(lost.call, hasResponded);
    const next = limit.run(lost.call, hasResponded);
    const startedAt = performance.now();

    const other = await limit.run(lost.call, hasResponded);

    expect(other).to.equal(null);
    expect(performance.now() - startedAt).to.be.below(100);
    await next;
    const [responds, waits] = [calls(300, 'response'), calls(10, 'response')];
    await limit.run(responds.call, hasResponded);
    const again = limit.run(responds.call, hasResponded);
    expect(await limit.run(waits.call, hasResponded)).to.equal('response');
    await again;
  });

  it('does not treat an upstream as silent that has responded and was not called since', async () => {
    const limit = limiting(1);
    const { call } = calls(10, 'response');
    await limit.run(call, hasResponded);
    await pass(1_100);

    expect(await many(2, () => limit.run(call, hasResponded))).to.deep.equal(['response', 'response']);
  });

  it('limits how long a call waits, although the upstream responds', async () => {
    const limit = limiting(1, { longestMs: 450 });
    const { call } = calls(300, 'response');

    expect(await many(4, () => limit.run(call, hasResponded))).to.deep.equal(['response', 'response', null, null]);
  });

  it('gives urgent calls the first turns, oldest first, and limits the wait of the others', async () => {
    const limit = limiting(1, { longestMs: 450, mostWaiting: 3 });
    const { call } = calls(300, 'response');
    const order: string[] = [];
    const run = async (name: string, isUrgent: boolean) => {
      const begin = () => {
        order.push(name);
        return call();
      };
      if ((await limit.run(begin, hasResponded, isUrgent)) === null) order.push(`not ${name}`);
    };
    const early = [run('first', false), run('entry', false), run('exit', true)];
    await pass(250);

    await Promise.all([...early, run('later exit', true)]);

    expect(order).to.deep.equal(['first', 'exit', 'not entry', 'later exit']);
  });

  it('goes on after calls that were lost or threw', async () => {
    const limit = limiting(1, { mostWaiting: 2 });
    const thrown = limit.run(() => Promise.reject(new Error('thrown')), hasResponded).catch(({ message }) => message);
    const lost = limit.run(async () => 'lost', hasResponded);
    const served = limit.run(async () => 'response', hasResponded);

    expect(await Promise.all([thrown, lost, served])).to.deep.equal(['thrown', 'lost', 'response']);
  });

  it('gives the turn of a call to another once no job waits for it any more', async () => {
    const limit = limiting(1, { heldMs: 200 });
    const [late, other] = [calls(600, 'response'), calls(10, 'response')];
    const order: string[] = [];

    await Promise.all([
      limit.run(late.call, hasResponded).then((result) => order.push(`late ${result}`)),
      limit.run(other.call, hasResponded).then((result) => order.push(`other ${result}`)),
    ]);

    expect(order).to.deep.equal(['other response', 'late response']);
    expect(await many(2, () => limit.run(other.call, hasResponded))).to.deep.equal(['response', 'response']);
    expect(other.counts.most).to.equal(1);
  });

  it('limits how many wait, by default to as many as have a turn', async () => {
    const results = async (mostWaiting?: number) => {
      const limit = limiting(1, { mostWaiting });
      const { counts, call } = calls(50, 'response');
      const ended = await many(5, () => limit.run(call, hasResponded));
      expect(counts.ran).to.equal(ended.filter((each) => each !== null).length);
      return ended;
    };

    expect(await results(2)).to.deep.equal([...Array(3).fill('response'), null, null]);
    expect(await results()).to.deep.equal([...Array(2).fill('response'), null, null, null]);
  });

  it('gives the next turn to the tenant with the fewest calls under way, and gives up waiting calls of the tenant with most', async () => {
    const limit = limiting(2, { mostWaiting: 3 });
    const { call } = calls(100, 'response');
    const order: string[] = [];
    const run = (name: string) =>
      workingOn({ tenant: name.charAt(0) }, async () => {
        const begin = () => {
          order.push(name);
          return call();
        };
        if ((await limit.run(begin, hasResponded)) === null) order.push(`not ${name}`);
      });

    await Promise.all(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1'].map(run));

    expect(order.slice(0, 4)).to.deep.equal(['a1', 'a2', 'not a5', 'not a4']);
    expect(order.slice(4)).to.deep.equal(['b1', 'a3', 'c1']);
  });

  it('gives urgent calls of a tenant that has half of the turns no more turns before calls of others', async () => {
    const limit = limiting(4, { mostWaiting: 20 });
    const { call } = calls(100, 'response');
    const order: string[] = [];
    const run = (name: string) =>
      workingOn({ tenant: name.charAt(0) }, () => {
        const begin = () => {
          order.push(name);
          return call();
        };
        return limit.run(begin, hasResponded, name.includes('exit'));
      });

    await Promise.all(
      ['a exit 1', 'a exit 2', 'a exit 3', 'a exit 4', 'a entry', 'a exit 5', 'a exit 6', 'b entry', 'c exit'].map(run),
    );

    expect(order.slice(4)).to.deep.equal(['c exit', 'b entry', 'a exit 5', 'a exit 6', 'a entry']);
  });

  it('runs all calls of one verb, however many it makes together, and counts it once among those that wait', async () => {
    const limit = limiting(1, { mostWaiting: 2 });
    const { counts, call } = calls(10, 'response');
    const working = (count: number) => {
      const verb = { tenant: 'a', intent_id: newIntentId() };
      return many(count, () => workingOn({ ...verb }, () => limit.run(call, hasResponded)));
    };

    const [first, second, third, fourth] = await Promise.all([working(5), working(5), working(5), working(2)]);

    expect([first, second, third].flat()).to.deep.equal([...Array(10).fill('response'), ...Array(5).fill(null)]);
    expect(fourth).to.deep.equal(Array(2).fill(null));
    expect(counts.ran).to.equal(10);
  });
});
