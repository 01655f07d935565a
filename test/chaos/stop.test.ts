import { expect } from 'chai';
import { staleVerdict, stopAndResume } from './scenes/stopped.ts';
import { broken, shown } from './verdicts.ts';

const STOPPED_MS = Number(process.env.CHAOS_STOPPED_MS ?? 0); // at least; it lasts until everything has been taken over

describe('a worker that is stopped in the middle of its sends and resumed after others took over', function () {
  this.timeout(120_000 + STOPPED_MS);

  it('writes nothing stale, registers again and continues', async () => {
    const stopped = await stopAndResume(STOPPED_MS);

    const verdict = staleVerdict(stopped);
    console.log(`      ${shown(verdict)}`);
    expect(stopped.after).to.deep.equal(stopped.before);
    expect(stopped.takenOver).to.be.at.least(stopped.sending);
    expect(stopped.successor).to.deep.equal({ code: 0, signal: null });
    expect(stopped.audit).to.deep.include({
      orders: stopped.requested,
      states: { succeeded: stopped.requested },
      forgotten: 0,
      lost: 0,
      doubled: 0,
      denied: 0,
      strange: 0,
    });
    expect(broken([verdict])).to.deep.equal([]);
  });
});
