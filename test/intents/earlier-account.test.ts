import { expect } from 'chai';
import type { Registrar } from '../../src/adapters/registrar/types.ts';
import { endEarlierAccount } from '../../src/capabilities/registration/earlier.ts';
import type { OwnerId } from '../../src/kernel/ids.ts';
import { absent, found, unreadable } from '../../src/kernel/upstream-result.ts';
import { MY_WALLET, openRows, PARTNER, type Rows } from '../support/rows.ts';

const view = (status: string) => found({ status, message: null, estimatedTime: null });

describe('the account that was registered for an address before', () => {
  let rows: Rows;
  before(async () => {
    rows = await openRows();
  });
  after(() => rows.close());

  /** Whether the address may register again where the earlier one has this status, and what it is then. */
  async function end(status: string, says: unknown, paidAgo = '1 hour') {
    await rows.run('delete from registrations');
    await rows.run(
      `insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, status, tx_hash, paid_at)
       values (gen_random_uuid(), $1, $2, 'vanta', 1000, $2, $3, '0xaa', now() - $4::interval)`,
      ...[PARTNER, MY_WALLET, status, paidAgo],
    );
    let asked = 0;
    const registrar = {
      status: async () => {
        asked += 1;
        return says;
      },
    } as unknown as Registrar; // as: nothing else of it is called
    const may = await endEarlierAccount(
      { db: rows.db, registrar, graceMs: 60_000 },
      PARTNER as OwnerId,
      MY_WALLET,
    ).catch(({ code }) => code);
    const isNow = async (now: string) => (await rows.run('select from registrations where status = $1', now)) === 1;
    return { may, asked, isNow };
  }

  for (const [what, says, now] of [
    ['has ended', view('eliminated'), 'eliminated'],
    ['has never been', view('failed'), 'eliminated'],
    ['is unknown', absent, 'deregistered'],
  ] as const)
    it(`has ended where it ${what} at the registrar`, async () => {
      const { may, isNow } = await end('registered', says);

      expect([may, await isNow(now)]).to.deep.equal([true, true]);
    });

  for (const [what, says] of [
    ['lives', view('active')],
    ['is not created yet', view('pending')],
    ['has a status that nobody knows', view('sleeping')],
  ] as const)
    it(`has not ended, and stays as it is, where it ${what}`, async () => {
      const { may, isNow } = await end('registered', says);

      expect([may, await isNow('registered')]).to.deep.equal([false, true]);
    });

  it('has not ended where the registrar may still report the one before it, or does not respond', async () => {
    expect((await end('registered', view('eliminated'), '59 seconds')).may).to.equal(false);
    expect((await end('registered', unreadable('x'))).may).to.equal('V1_REGISTRAR_UNREACHABLE');
  });

  it('has ended already where another request has recorded it: nobody is asked', async () => {
    const { may, asked } = await end('eliminated', view('active'));

    expect([may, asked]).to.deep.equal([true, 0]);
  });
});
