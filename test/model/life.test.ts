import fc from 'fast-check';
import { startMoney } from '../support/money.ts';
import { startReceiver } from '../support/receivers.ts';
import type { Stage } from './life-act.ts';
import { holdsAtEnd } from './life-end.ts';
import { look, openings, steps, take } from './life-steps.ts';
import { streamsTell } from './life-streams.ts';
import { World } from './life-world.ts';

const RUNS = Number(process.env.LIFE_RUNS ?? 14); // each opening by itself, and then random steps;
const SEED = Number(process.env.LIFE_SEED ?? Date.now());
const RUN_MS = 30_000; // of which half is for a failure to be made smaller

const holdsIn = (stage: Stage) =>
  fc.asyncProperty(
    fc.constantFrom(...openings),
    fc.array(steps, { minLength: 4, maxLength: 20, size: 'max' }),
    async (opening, chosen) => {
      stage.service.miner.faults.clear();
      const world = await new World(stage).open();
      for (const step of [...opening, ...chosen]) await take(world, step);
      await streamsTell(world);
      await holdsAtEnd(world);
      for (const who of [0, 1, 2]) await look(world, who, 1);
      for (const { reader } of world.watched) reader.drop();
    },
  );

describe('two apps and their people, in random interleavings of what they do', () => {
  let stage: Stage;
  before(async () => {
    const service = await startMoney({ notified: false });
    stage = { service, admin: await service.admin(), receiver: await startReceiver() };
  });
  after(async () => {
    await stage.receiver.close();
    await stage.service.stop();
  });

  it('see what is theirs, are notified once of what happens, and trade what they may', async function () {
    this.timeout(RUNS * RUN_MS);
    const startedAt = Date.now();
    await fc.assert(holdsIn(stage), {
      examples: openings.map((opening) => [opening, []]),
      numRuns: RUNS,
      seed: SEED,
      interruptAfterTimeLimit: (RUNS * RUN_MS) / 2,
    });

    console.log(`        ${RUNS} runs from seed ${SEED} in ${Date.now() - startedAt} ms`);
  });
});
