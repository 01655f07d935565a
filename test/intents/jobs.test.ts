import { expect } from 'chai';
import { verbJobs } from '../../src/intents/jobs.ts';
import { idSchema } from '../../src/kernel/ids.ts';

const OWNER = idSchema.owner.parse('ptn_one');
const PLACE = { kind: 'exchange/place' };
const CLOSE = { kind: 'exchange/close', isExit: true } as const;

describe('the jobs of a runner', () => {
  /** Jobs of two venues, one of which has slots, and which of them are silent. */
  function divided() {
    const silent = new Set<string>();
    const heard = (name: string) => ({ isSilent: () => silent.has(name) });
    const venue = (name: string, hasSlots: boolean) => ({
      sends: heard(name),
      reads: heard(`${name} reads`),
      hasSlots,
    });
    const jobs = verbJobs(100, { exchange: venue('exchange', false), network: venue('network', true) });
    /** Opens jobs. Those that may call. */
    const begin = (count: number, verb: Parameters<typeof jobs.open>[0], { isLookUp = false, of = OWNER } = {}) =>
      Array.from({ length: count }, () => jobs.open(verb)).filter((job) => job.mayCall({ owner: of }, isLookUp));
    return { silent, begin };
  }

  it('are for what responds: three quarters for entries and look-ups of a venue without slots, and all for exits', () => {
    const { begin } = divided();

    expect(begin(100, PLACE)).to.have.length(75);
    expect(begin(100, PLACE, { isLookUp: true }), 'its own part of look-ups').to.have.length(20);
    expect(begin(100, PLACE, { of: idSchema.owner.parse('ptn_other') }), 'one for whoever has none').to.have.length(1);
    expect(begin(100, CLOSE)).to.have.length(100);
    expect(begin(100, { kind: 'network/place' })).to.have.length(100);
    expect(begin(100, { kind: 'payouts/pay' })).to.have.length(100);
  });

  it('are given back beyond those that probe a silent venue, each class in its part', () => {
    const { silent, begin } = divided();
    silent.add('exchange').add('network');

    expect(begin(100, PLACE)).to.have.length(10);
    expect(begin(100, { kind: 'network/place' }), 'more, because most only join the line for a slot').to.have.length(
      20,
    );
    expect(begin(100, PLACE, { isLookUp: true })).to.have.length(10);
    expect(begin(100, CLOSE), 'exits wait for no entries').to.have.length(20);
    expect(begin(100, CLOSE, { isLookUp: true }), 'look-ups of exits are in their part').to.be.empty;
  });

  it('are for entries that are sent, though records cannot be read', () => {
    const { silent, begin } = divided();
    silent.add('network reads');

    expect(begin(50, { kind: 'network/place' })).to.have.length(50);
    expect(begin(50, { kind: 'network/place' }, { isLookUp: true })).to.have.length(10);
    expect(begin(50, { kind: 'network/close', isExit: true })).to.have.length(20);
  });

  it('are free again when they end, each once', () => {
    const { silent, begin } = divided();
    silent.add('exchange');
    const [first, ...others] = begin(100, PLACE);

    first?.end();
    first?.end();

    expect(
      others.every((job) => job.mayCall({ owner: OWNER }, false)),
      'a place is taken once',
    ).to.equal(true);
    expect(begin(100, PLACE)).to.have.length(1);
  });
});
