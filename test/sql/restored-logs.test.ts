import { expect } from 'chai';
import { partnerLogs } from '../../src/capabilities/events/stream/queries.ts';
import { partsFor } from '../../src/capabilities/streams/listener.ts';
import { accountLogs } from '../../src/capabilities/trading/stream/commands.ts';
import { openRows, PARTNER, type Rows } from '../support/rows.ts';

describe('a log that is streamed, after its database was restored', () => {
  let rows: Rows;
  before(async () => {
    rows = await openRows();
    await rows.run(`insert into partners (id, name) values ($1, 'mine')`, PARTNER);
    const record = async (many: number) => {
      for (let n = 0; n < many; n += 1) {
        await rows.run(`select record_event($1, 'order.updated', '{}')`, PARTNER);
        await rows.run(`select record_account_event('prop_mine', 'account', '{}')`);
      }
    };
    await record(3); // 3 more were told, and lost
    await rows.run(`select recover_since(now() - interval '1 hour')`);
    await record(6);
  });
  after(() => rows.close());

  for (const [kind, subject, logsOf] of [
    ['partner', PARTNER, partnerLogs],
    ['account', 'prop_mine', accountLogs],
  ] as const)
    it(`of a ${kind} is incomplete for a reader that has seen lost events, and complete for any other`, async () => {
      const logs = logsOf(rows.db);
      const isWhole = async (after: number) => (await logs.end(subject, after)).is_whole;
      const events = await logs.list(subject, 2, 10);

      expect([await isWhole(2), await isWhole(4), await isWhole(6)]).to.deep.equal([true, false, false]);
      expect(events).to.have.length(7);
      const texts = events.map(({ position, type }) => ({ position, text: type }));
      expect(partsFor({ position: 2 }, texts)?.at(-1)?.position).to.equal((await logs.end(subject, 2)).last_position);
      expect(partsFor({ position: 3 }, texts)).to.equal(null); // it cannot know that nothing is missing, and begins anew
    });
});
