import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

describe('a pause in psql', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate pauses'));

  const pause = async (by: string, more = '') =>
    (await intentDb.query<{ said: string }>(`select ops.pause('exvenue', '${by}', 'wrong prices'${more}) as said`))[0]
      ?.said;
  const holdsExits = async () =>
    (await intentDb.query<{ holds_exits: boolean }>('select holds_exits from ops.pauses'))[0]?.holds_exits;

  it('says whose pause it replaces, and lets no exits go on that the other operator holds', async () => {
    const [{ role } = { role: '' }] = await intentDb.query<{ role: string }>('select session_user as role');

    expect(await pause('ada', ', true')).to.equal('paused');
    expect(await pause('bob')).to.equal(`paused, in place of the pause by ${role}: wrong prices`);

    expect(await holdsExits()).to.equal(true);
  });

  it('lets exits go on by default, and where its argument says so', async () => {
    await pause('ada');
    expect(await holdsExits()).to.equal(false);
    await pause('ada', ', true');
    expect(await holdsExits()).to.equal(true);

    await pause('bob', ', false');

    expect(await holdsExits()).to.equal(false);
  });
});
