import { expect } from 'chai';
import fc from 'fast-check';
import { holdsAlways, holdsAtRest, settle } from './money-holds.ts';
import { openStage, type Stage } from './money-stage.ts';
import { openings, people, steps } from './money-steps.ts';
import { MoneySystem } from './money-system.ts';

const RUNS = Number(process.env.MONEY_RUNS ?? 96); // 10,000 for the figures of the promise
const AT_ONCE = 6;
const UNTIL_FOUND = 900; // runs in which a defect is found
const FINDS_EARLY = 1; // a seed whose first runs find each
const SEED = Number(process.env.MONEY_SEED ?? Date.now());
const PLATFORMS = ['US', 'GB'];

const holdsIn = (stage: Stage) =>
  fc.asyncProperty(
    people,
    openings,
    fc.array(steps, { minLength: 2, maxLength: 12 }),
    async (person, opening, chosen) => {
      const system = await new MoneySystem(stage, person).open();
      for (const { run } of [...opening, ...chosen]) {
        await run(system);
        holdsAlways(system);
      }
      await settle(system);
      holdsAlways(system);
      await holdsAtRest(system);
    },
  );

const ofFunction = (name: string, was: string, is: string) => `
  do $$
  declare
    source text := pg_get_functiondef('${name}'::regproc);
  begin
    assert strpos(source, '${was}') > 0;
    execute replace(source, '${was}', '${is}');
  end $$`;

const LEG = 'legs of money that was not there';

/** Defects that this service has had, as statements that put them back, and what they break. */
const DEFECTS = {
  'a bank is sent what was transferred, not what is still there': [
    ofFunction('fix_bank_leg', 'amount_cents = held', 'amount_cents = sent'),
    LEG,
  ],
  'a bank is sent the currency of the transfer, not of the account': [
    ofFunction('fix_bank_leg', 'currency = of_currency', 'currency = p.currency'),
    LEG,
  ],
  'what a bank has paid is never read again': [
    `create function forget() returns trigger language plpgsql as $$
    begin
      new.ended_at := now() - interval '11 days';
      return new;
    end $$;
    create trigger forget before update on payout_steps for each row when (new.state = 'done') execute function forget()`,
    'the ledger and the processor',
  ],
} as const;

describe('money, in random interleavings of events, operators and kills', () => {
  for (const country of PLATFORMS)
    describe(`of a platform in ${country}`, () => {
      let stage: Stage;
      before(async () => {
        stage = await openStage({ country });
      });
      after(() => stage.close());

      it('is never paid out twice, never serves two accounts or none unlisted', async function () {
        this.timeout(RUNS * 2_000);
        const startedAt = Date.now();
        const each = Math.ceil(RUNS / AT_ONCE / PLATFORMS.length);
        await Promise.all(
          Array.from({ length: AT_ONCE }, (_, n) => fc.assert(holdsIn(stage), { numRuns: each, seed: SEED + n })),
        );

        console.log(`        ${each * AT_ONCE} runs from seed ${SEED} in ${Date.now() - startedAt} ms`);
      });
    });

  for (const [defect, [putBack, broken]] of Object.entries(DEFECTS))
    it(`finds a defect that is put back: ${defect}`, async function () {
      this.timeout(UNTIL_FOUND * 2_000);
      const stage = await openStage({ putBack });
      const found = await fc.check(holdsIn(stage), { numRuns: UNTIL_FOUND, seed: FINDS_EARLY, endOnFailure: true });
      await stage.close();

      expect(String(found.errorInstance)).to.include(broken);
      console.log(`        after ${found.numRuns} runs`);
    });
});
