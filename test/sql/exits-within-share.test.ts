import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { slotsOf } from '../support/slots.ts';

const MINER = { slots: 5, forExits: 1 };
type Waiting = { id: string; fence: number; was: string | undefined };

describe('the slots of a miner that one owner floods with exits', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate intents, lanes, upstream_slots cascade; delete from queue_jobs'));
  const { arriveAt, proceedAt, queuedNow } = slotsOf(() => intentDb);
  const exit = (owner: string) => arriveAt({ ...MINER, isExit: true }, owner);
  const entry = (owner: string) => arriveAt(MINER, owner);

  /** Ends the oldest requests, sends what is handed their slots, and returns the names in the order in which they were sent. */
  async function serve(there: Waiting[], line: ReadonlyMap<string, Waiting>, turns: number): Promise<string[]> {
    const served: string[] = [];
    for (let n = 0; n < turns; n++) {
      const { id, fence } = there.shift() as Waiting; // as: there are more than turns
      await intentDb.settle(id, fence);
      for (const handed of await queuedNow()) {
        const [name = ''] = [...line].find(([, waiting]) => waiting.id === handed) ?? [];
        const isExit = name.includes('exit');
        there.push(await proceedAt({ id: handed, fence: 0 }, { ...MINER, isExit }));
        served.push(name);
      }
    }
    return served;
  }

  it('go to the entry of another owner once the first one holds half of them, and to its own entries last', async () => {
    const there: Waiting[] = [];
    for (let n = 0; n < MINER.slots; n++) there.push(await exit('ptn_many'));
    const line = new Map<string, Waiting>();
    line.set('own entry', await entry('ptn_many'));
    for (let n = 1; n <= 4; n++) line.set(`exit ${n}`, await exit('ptn_many'));
    line.set('entry of another', await entry('ptn_few'));

    const served = await serve(there, line, 5);

    expect([...line.values()].map(({ was }) => was)).to.deep.equal(Array(6).fill('waiting'));
    expect(served).to.deep.equal(['entry of another', 'exit 1', 'exit 2', 'exit 3', 'exit 4']);
  });

  it('go to its exits before entries while it holds less than half of them', async () => {
    const there: Waiting[] = [];
    for (let n = 0; n < MINER.slots - 1; n++) there.push(await entry('ptn_few'));
    there.push(await exit('ptn_other'));
    const line = new Map<string, Waiting>();
    line.set('entry', await entry('ptn_few'));
    line.set('exit', await exit('ptn_many'));

    expect(await serve(there, line, 1)).to.deep.equal(['exit']);
  });

  it('go to the exit of another owner before all of them', async () => {
    const there: Waiting[] = [];
    for (let n = 0; n < MINER.slots; n++) there.push(await exit('ptn_many'));
    const line = new Map<string, Waiting>();
    line.set('exit 1', await exit('ptn_many'));
    line.set('entry', await entry('ptn_few'));
    line.set('exit of another', await exit('ptn_other'));

    expect(await serve(there, line, 1)).to.deep.equal(['exit of another']);
  });
});
