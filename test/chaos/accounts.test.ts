import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { createPartner } from '../../src/partners/intents.ts';
import { type Caller, caller } from '../support/caller.ts';
import { until } from '../support/processes.ts';
import { allSettled, openStage, type Stage } from './stage.ts';

const CREATIONS = Number(process.env.CHAOS_CREATIONS ?? 60);
const AT_ONCE = 60;
const ROUTE = '/miner/api/create-subaccount';

type Ending = { id: string; state: string; outcome: unknown };
type Owned = { intent_id: string; subaccount_id: number; owner: string };

describe('subaccounts whose answers are lost', function () {
  this.timeout(60_000 + CREATIONS * 500);
  let stage: Stage;
  before(async () => {
    stage = await openStage({ workers: 2, settings: { NETVENUE_IN_FLIGHT_MS: '4000' } });
    const seed = Number(process.env.CHAOS_SEED ?? 1);
    stage.party.faults.add({ kind: 'accept_then_drop', route: ROUTE, rate: 0.2, seed });
    stage.party.faults.add({ kind: 'status_500', route: ROUTE, rate: 0.05, seed: seed + 1 });
  });
  after(() => stage.close());

  it('are found again: none is made twice, none is left over, each belongs to one intent', async () => {
    const partners = [await partner(stage), await partner(stage), await partner(stage)];
    const left = Array.from({ length: CREATIONS }, (_, n) => partners[n % partners.length] as Caller); // there are three
    const registered = Promise.all(Array.from({ length: AT_ONCE }, () => registerInTurn(left)));
    await until('the first of them made', () => stage.party.ledger.entries().length > 0 || null);
    [...stage.workers][0]?.kill('SIGKILL');
    await registered;
    await allSettled(stage, 90_000);

    const intents = await stage.rows<Ending>(
      `select id, state, outcome, owner from intents where kind = 'accounts/provision'`,
    );
    const owned = await stage.rows<Owned>('select intent_id, subaccount_id, owner from subaccounts');
    const made = stage.party.ledger.entries().filter(({ kind }) => kind === 'subaccount');
    const succeeded = intents.filter(({ state }) => state === 'succeeded');
    const endings = Map.groupBy(intents, ({ state, outcome }) =>
      state === 'succeeded' ? state : JSON.stringify(outcome),
    );
    console.log(
      `      ${intents.length} creations, ${made.length} in the ledger, ${owned.length} owned, ${made.length - owned.length} left over; ` +
        [...endings].map(([ending, { length }]) => `${length} × ${ending}`).join(', '),
    );
    expect(intents).to.have.length(CREATIONS);
    expect(made.length).to.be.at.most(CREATIONS);
    expect(owned.map(({ intent_id }) => intent_id).sort()).to.deep.equal(succeeded.map(({ id }) => id).sort());
    expect(new Set(owned.map(({ subaccount_id }) => subaccount_id)).size).to.equal(owned.length);
    expect(owned.map(({ subaccount_id }) => subaccount_id).sort(byNumber)).to.deep.equal(
      made.map(({ subaccount_id }) => subaccount_id ?? -1).sort(byNumber),
    );
  });
});

const byNumber = (a: number, b: number) => a - b;

async function partner({ settings, web }: Stage): Promise<Caller> {
  const db = await openPool(String(settings.DATABASE_URL), 1, () => {});
  return caller(web.url, (await createPartner(db, 'Accounts').finally(() => db.end())).key);
}

/** Takes the next one as long as there is one. */
async function registerInTurn(left: Caller[]): Promise<void> {
  for (let owner = left.pop(); owner; owner = left.pop()) {
    const asked = { asset_class: 'crypto', account_size: 10_000 };
    const { status, body } = await owner.post('/v1/register/netvenue', asked, { prefer: 'wait=0' });
    if (status !== 200 && status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
  }
}
