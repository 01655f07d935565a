import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { partnerFinder } from '../../src/capabilities/partners/queries.ts';
import type { Db } from '../../src/db/pool.ts';
import { listenForSettlements } from '../../src/db/settled.ts';
import { digest } from '../../src/kernel/ids.ts';
import { until } from '../support/processes.ts';
import { openRows, type Rows } from '../support/rows.ts';

const hex = (text: string) => `\\x${digest(text).toString('hex')}`;

describe('the partner of a key', () => {
  let rows: Rows;
  before(async () => {
    rows = await openRows();
  });
  after(() => rows.close());

  it('is known for a second while changes are announced, until one is', async () => {
    let isListening = true;
    const [told, untold] = [partnerFinder(rows.db, () => true), partnerFinder(rows.db, () => isListening)];
    const settlements = listenForSettlements(rows.url, () => {}, { onPartnersChanged: told.forget });
    await until('the listener', settlements.isListening);
    const owners = async () =>
      (await Promise.all([told, untold].map(({ find }) => find('known')))).map((one) => one?.owner ?? null);
    const changed = async (text: string, ...values: string[]) => {
      await rows.run(text, ...values);
      await settlements.caughtUp();
      return owners();
    };

    expect(await owners()).to.deep.equal([null, null]);
    await rows.run(`insert into partners (id, name) values ('k', 'k')`);
    const insert = `insert into partner_keys (id, partner_id, digest, hint) values ('known', 'k', $1, '')`;
    expect(await changed(insert, hex('known'))).to.deep.equal(['k', 'k']); // what was not found is not known
    expect(await changed(`update partners set disabled_at = now() where id = 'k'`)).to.deep.equal([null, 'k']);
    isListening = false;
    expect(await owners()).to.deep.equal([null, null]);
    isListening = true;
    expect(await changed(`update partners set disabled_at = null where id = 'k'`)).to.deep.equal(['k', 'k']);
    expect(await changed(`update partner_keys set revoked_at = now() where id = 'known'`)).to.deep.equal([null, 'k']);
    await sleep(1_000);
    expect(await owners()).to.deep.equal([null, null]);
    await settlements.close();
  });

  it('is not known beyond the end of its key', async () => {
    const { find } = partnerFinder(rows.db, () => true);
    await rows.run(`insert into partners (id, name) values ('e', 'e')`);
    await rows.run(
      `insert into partner_keys (id, partner_id, digest, hint, expires_at) values ('ends', 'e', $1, '', now() + interval '500 milliseconds')`,
      hex('ends'),
    );
    const before = await find('ends');
    await rows.run(
      `select pg_sleep(greatest(0, extract(epoch from expires_at - clock_timestamp()))) from partner_keys where id = 'ends'`,
    );

    expect([before?.owner, await find('ends')]).to.deep.equal(['e', null]);
  });

  it('is not known from a read that began before a change of which it learns meanwhile', async () => {
    await rows.run(`insert into partners (id, name) values ('r', 'r')`);
    await rows.run(`insert into partner_keys (id, partner_id, digest, hint) values ('read', 'r', $1, '')`, hex('read'));
    const { promise: revoked, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: wasRead, resolve: hasRead } = Promise.withResolvers<void>();
    const any = async (query: Parameters<Db['any']>[0]) => {
      const found = await rows.db.any(query);
      hasRead();
      await revoked;
      return found;
    };
    const { find, forget } = partnerFinder({ any } as unknown as Db, () => true); // as: it reads by this alone
    const first = find('read');
    await wasRead;
    await rows.run(`update partner_keys set revoked_at = now() where id = 'read'`);
    forget();
    goOn();

    expect([(await first)?.owner, await find('read')]).to.deep.equal(['r', null]);
  });
});
