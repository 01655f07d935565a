import { expect } from 'chai';
import { quantile } from '../chaos/audit.ts';
import { type Arena, openArena } from './arena.ts';
import { ratioOf, shown, told } from './figures.ts';
import { bareTarget, crowd, serviceTarget, type Target } from './p1.ts';
import { openTrips } from './p2.ts';
import { settledPerS } from './p3.ts';

/*
 * P1 to P3 for a second each, on a machine that does other things meanwhile: the bounds are far from the promises, which `npm run
 * bench` measures. P4 in small is test/webhooks/throughput.test.ts.
 */
const BOUNDS = { accepted: 1.5, addedMs: 100, settled: 0.3 };

describe('the speed of the service', function () {
  this.timeout(120_000);

  let arena: Arena;
  let url: string;
  let worker: ReturnType<Arena['startWorker']>;
  before(async () => {
    arena = await openArena();
    url = await arena.serve();
    worker = arena.startWorker();
  });
  after(() => arena.close());

  it('adds little to the time of the venue', async () => {
    const trips = await openTrips(arena, url);
    await trips(2);
    const { served, reached } = await trips(2);

    const added = quantile(served, 0.5) - quantile(reached, 0.5);
    print(told({ what: 'P2 added, p50', figure: added, unit: 'ms' }));
    expect(served).to.have.length(100);
    expect(added).to.be.below(BOUNDS.addedMs);
  });

  it('settles about as much as a queue alone that does the same SQL', async () => {
    const { ids } = await arena.traders(400);
    await arena.run('test/bench/alone.ts').says(/is working/);
    const both = async () => [await settledPerS(arena, ids), await settledPerS(arena, ids, 'bench/alone')] as const;
    await both();

    const found = ratioOf([await both(), await both(), await both()]);

    print(told({ what: 'P3 settled', unit: '/s', ...found }));
    expect(found.ratio).to.be.at.least(BOUNDS.settled);
  });

  it('accepts more than a bare route does', async () => {
    worker.kill('SIGKILL'); // what is accepted stays
    const targets = [await serviceTarget(arena, url), await bareTarget(arena, 'test/bench/bare.ts')];
    const both = async () => {
      const [service, bare] = [await crowd(targets[0] as Target, 500), await crowd(targets[1] as Target, 500)];
      return [service.perSecond, bare.perSecond] as const;
    };
    await both();

    const found = ratioOf([await both(), await both(), await both()]);

    print(told({ what: 'P1 accepted', unit: '/s', ...found }));
    expect(found.ratio).to.be.at.least(BOUNDS.accepted);
  });

  const print = (row: ReturnType<typeof told>) =>
    console.log(shown({ name: '', title: '', rows: [row] }).replaceAll(/^/gm, '    '));
});
