import { expect } from 'chai';
import fc from 'fast-check';
import { begin, finish, play, type Step } from './hooks-steps.ts';
import { BEHAVIOURS, startWorld, type World } from './hooks-world.ts';

const SEED = Number(process.env.HOOKS_SEED ?? 64);
const RUNS = Number(process.env.HOOKS_RUNS ?? 2);
const TYPES = ['kyc.updated', 'payment.failed', 'of.our.own'];
const SUBSCRIPTIONS = [['*'], ['kyc.updated'], ['kyc.updated', 'payment.failed']];

const which = fc.nat({ max: 20 });
const subscription = fc.constantFrom(...SUBSCRIPTIONS);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('emit'),
      type: fc.constantFrom(...TYPES),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('behave'), which, behaviour: fc.constantFrom(...BEHAVIOURS) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('wait'), times: fc.constantFrom(1, 2, 4, 4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), times: fc.constant(11) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('create'), events: subscription }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('subscribe'), which, events: subscription }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move'), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('disable', 'delete'), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('enable'), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rotate'), which, overlapS: fc.constantFrom(0, 60, 86_400) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('test'), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('redeliver'), which, nth: which }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('recover'), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill') }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('meanwhile'),
      which,
      behaviour: fc.constantFrom('late', 'hang', 'slow', 'no'),
      act: fc.constantFrom('redeliver', 'redeliver', 'disable', 'delete', 'move', 'rotate', 'kill', 'away', 'away'),
    }),
  },
) as fc.Arbitrary<Step>; // as: the names above are those of the steps
const moves = fc.array(fc.record({ step, isCalm: fc.boolean() }), { minLength: 10, maxLength: 18 });

describe('the deliveries of an app', function () {
  this.timeout(600_000);
  let world: World;
  before(async () => {
    world = await startWorld(2 * RUNS);
  });
  after(() => world.stop());

  it('are what its events and endpoints, its receivers and the guide say, whatever order they come in', async () => {
    await fc.assert(
      fc.asyncProperty(moves, moves, async (some, others) => {
        const games = [await begin(world), await begin(world)] as const;
        for (let n = 0; n < Math.max(some.length, others.length); n += 1) {
          const [one, other] = [some[n], others[n]];
          if (one) await play(games[0], one);
          if (other) await play(games[1], other);
        }
        for (const game of games) await finish(game);
        expect(world.faults()).to.deep.equal([]);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  });
});
