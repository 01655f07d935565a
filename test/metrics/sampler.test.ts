import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openSampler } from '../../src/metrics/otlp/sampler.ts';

describe('the share of traces that are sent', () => {
  const traceId = () => randomUUID().replaceAll('-', '');

  /** Which traces of one span each are sent in each second, at a number of them per second. */
  function sent(perSecond: number[], ratio = 1): { all: string[]; kept: Set<string> }[] {
    let nowMs = 0;
    const isKept = openSampler(ratio, () => nowMs);
    return perSecond.map((count) => {
      const all = Array.from({ length: count }, traceId);
      const kept = new Set(
        all.filter((id) => {
          nowMs += 1_000 / count;
          return isKept(id);
        }),
      );
      return { all, kept };
    });
  }
  const counts = (seconds: { kept: Set<string> }[]) => seconds.map(({ kept }) => kept.size);

  it('is all of them at a usual load', () => {
    expect(counts(sent([50, 99, 0, 70]))).to.deep.equal([50, 99, 0, 70]);
  });

  it('is about as many as a process may send at a high load, a few times as many at its start, and all again after it', () => {
    const [first = 0, ...later] = counts(sent([10_000, 10_000, 10_000, 90, 90, 90]));

    expect(first).to.be.within(100, 1_200);
    expect(
      later.slice(0, 2).every((kept) => kept > 50 && kept < 200),
      later.join(),
    ).to.equal(true);
    expect(later.at(-1)).to.equal(90);
  });

  it('is the configured share, and none at 0', () => {
    expect(counts(sent([900, 900], 0))).to.deep.equal([0, 0]);
    const [kept = 0] = counts(sent([300], 0.25));
    expect(kept).to.be.within(45, 99);
  });

  it('is of the same traces in a process with less work: what the busier one sends is whole', () => {
    let nowMs = 0;
    const busy = openSampler(1, () => nowMs);
    const calm = openSampler(1, () => nowMs);
    const ids = Array.from({ length: 20_000 }, traceId);
    for (const id of [...ids, ...ids, ...ids, ...ids]) busy(id);
    for (const id of ids) calm(id);
    nowMs = 1_000;

    const byBusy = ids.filter(busy);
    const byCalm = new Set(ids.filter(calm));

    expect(byBusy.length).to.be.within(5, 80);
    expect(byCalm.size).to.be.within(50, 200);
    expect(byBusy.filter((id) => !byCalm.has(id))).to.deep.equal([]);
  });
});
