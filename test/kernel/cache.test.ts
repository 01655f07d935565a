import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { cachedProbe, cachedRead, cachedStaleRead, currentRead } from '../../src/kernel/cache.ts';

/** An upstream that counts its reads and returns that number. */
function counter() {
  const upstream = {
    reads: 0,
    fails: false,
    read: async () => {
      upstream.reads += 1;
      const n = upstream.reads;
      await sleep(5);
      return upstream.fails ? ({ kind: 'unreadable', why: 'x' } as const) : ({ kind: 'found', data: n } as const);
    },
  };
  return upstream;
}

describe('cachedRead', () => {
  it('reads once for concurrent callers, and again when its result is stale', async () => {
    const upstream = counter();
    const read = cachedRead(250, upstream.read);

    const results = await Promise.all(Array.from({ length: 50 }, () => read('a')));
    await sleep(20);
    await read('a');
    const whileFresh = upstream.reads;
    await sleep(300);
    await read('a');

    expect(new Set(results)).to.have.property('size', 1);
    expect(whileFresh).to.equal(1);
    expect(upstream.reads).to.equal(2);
  });

  it('keeps keys separate', async () => {
    const read = cachedRead(1_000, async (key) => ({ kind: 'found', key }));

    expect(await Promise.all([read('a'), read('b'), read('')])).to.deep.equal([
      { kind: 'found', key: 'a' },
      { kind: 'found', key: 'b' },
      { kind: 'found', key: '' },
    ]);
  });

  it('never caches a failed read, and returns the failure to every waiting caller', async () => {
    const upstream = counter();
    upstream.fails = true;
    const read = cachedRead(1_000, upstream.read);
    const failed = await Promise.all([read('a'), read('a')]);
    upstream.fails = false;

    expect(failed).to.deep.equal(Array(2).fill({ kind: 'unreadable', why: 'x' }));
    expect(await read('a')).to.deep.equal({ kind: 'found', data: 2 });
  });

  it('never caches an exception', async () => {
    let fails = true;
    const read = cachedRead(1_000, async () => {
      if (fails) throw new Error('broken');
      return { kind: 'found' };
    });
    const broken = await read('a').catch((error: Error) => error.message);
    fails = false;

    expect(broken).to.equal('broken');
    expect(await read('a')).to.deep.equal({ kind: 'found' });
  });

  it('serves waiting callers although their key was evicted meanwhile', async () => {
    const read = cachedRead(10_000, async (key) => {
      await sleep(20);
      return { kind: 'found', key };
    });
    const first = read('0');

    await Promise.all(Array.from({ length: 4_000 }, (_, n) => read(String(n))));

    expect(await first).to.deep.equal({ kind: 'found', key: '0' });
  });
});

describe('currentRead', () => {
  it('returns nothing that was read before its key was forgotten, not even of a read in progress', async () => {
    const upstream = counter();
    const cached = cachedRead(1_000, upstream.read);
    const read = currentRead(cached, async () => true);
    const first = read('a b');
    read.forgetFrom('a ');

    const second = await read('a b');

    expect([await first, second, await read('a b')].map(({ data }: { data?: number }) => data)).to.deep.equal([
      1, 2, 2,
    ]);
  });

  it('reads again where it is not known what writes have changed, also beside a read in progress', async () => {
    const upstream = counter();
    const read = currentRead(cachedRead(1_000, upstream.read), async () => false);

    await Promise.all([read('a'), read('a')]);
    await read('a');

    expect(upstream.reads).to.equal(3);
  });

  it('returns the failure of a read in progress to all who came meanwhile', async () => {
    const upstream = counter();
    upstream.fails = true;
    const read = currentRead(cachedRead(1_000, upstream.read), () => sleep(20, true));

    const failed = await Promise.all([read('a'), read('a')]);

    expect(failed).to.deep.equal(Array(2).fill({ kind: 'unreadable', why: 'x' }));
    expect(upstream.reads).to.equal(1);
  });
});

describe('cachedStaleRead', () => {
  it('returns a stale result at once while it reads again in the background', async () => {
    const upstream = counter();
    const read = cachedStaleRead(30, 10_000, upstream.read);
    await read();
    await sleep(60);

    const before = performance.now();
    const stale = await read();
    const took = performance.now() - before;
    await sleep(30);

    expect(stale).to.include({ data: 1 });
    expect(took).to.be.below(5);
    expect(await read()).to.include({ data: 2 });
  });

  it('reads once in the background for all concurrent callers', async () => {
    const upstream = counter();
    const read = cachedStaleRead(10, 10_000, upstream.read);
    await Promise.all([read(), read()]);
    await sleep(20);

    await Promise.all(Array.from({ length: 50 }, read));
    await sleep(20);

    expect(upstream.reads).to.equal(2);
  });

  it('keeps its result while the upstream cannot be read, but not indefinitely', async () => {
    const upstream = counter();
    const read = cachedStaleRead(10, 60, upstream.read);
    await read();
    upstream.fails = true;
    await sleep(20);

    expect(await read()).to.include({ data: 1 });
    await sleep(10);
    expect(await read()).to.include({ data: 1 });
    await sleep(80);
    expect(await read()).to.include({ kind: 'unreadable' });
    upstream.fails = false;
    expect(await read()).to.include({ kind: 'found' });
  });

  it('leaves no rejection unhandled when the upstream throws in the background', async () => {
    let fails = false;
    const read = cachedStaleRead(5, 10_000, async () => {
      await sleep(1);
      if (fails) throw new Error('broken');
      return { kind: 'found' };
    });
    await read();
    await sleep(10);
    fails = true;

    expect(await read()).to.deep.equal({ kind: 'found' });
    await sleep(20);
    expect(await read()).to.deep.equal({ kind: 'found' });
  });
});

describe('cachedProbe', () => {
  it('probes once for all callers, and again when the result is stale', async () => {
    let probes = 0;
    const probe = cachedProbe(async () => ++probes, { freshMs: 30, timeoutMs: 1_000 });

    const together = await Promise.all([probe(), probe()]);
    const fresh = await probe();
    await sleep(50);

    expect([...together, fresh]).to.deep.equal([1, 1, 1]);
    expect(await probe()).to.equal(2);
  });

  it('is null while the probe hangs, for the lifetime of a result, and starts no second probe meanwhile', async () => {
    let probes = 0;
    const { promise: hanging, resolve: response } = Promise.withResolvers<string>();
    const probe = cachedProbe(() => (++probes === 1 ? hanging : Promise.resolve('next')), {
      freshMs: 30,
      timeoutMs: 20,
    });

    const late = await probe();
    const before = performance.now();
    const cached = await probe();
    const took = performance.now() - before;
    await sleep(50);
    const stillLate = await probe();
    const probesSoFar = probes;
    response('at last');
    await sleep(50);

    expect([late, cached, stillLate]).to.deep.equal([null, null, null]);
    expect(took).to.be.below(15);
    expect(probesSoFar).to.equal(1);
    expect(await probe()).to.equal('next');
  });

  it('caches a null result of the probe', async () => {
    let probes = 0;
    const probe = cachedProbe(
      async () => {
        probes += 1;
        return null;
      },
      { freshMs: 1_000, timeoutMs: 1_000 },
    );

    expect([await probe(), await probe(), probes]).to.deep.equal([null, null, 1]);
  });
});
