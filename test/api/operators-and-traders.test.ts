import { expect } from 'chai';
import { Client } from 'pg';
import type { Caller } from '../support/caller.ts';
import { type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';

const SLOTS = 3;

describe('operators and partners at one web process with few connections', function () {
  this.timeout(30_000);
  let service: Identity;
  let operator: TestAdmin;
  let partner: Caller;
  let other: Caller;
  let blocker: Client;
  before(async () => {
    service = await startIdentity({ WEB_POOL_SIZE: String(SLOTS) });
    operator = await service.admin();
    [partner, other] = [await service.partner(), await service.partner()];
    blocker = new Client({ connectionString: service.settings.DATABASE_URL });
    await blocker.connect();
  });
  after(async () => {
    await blocker.end();
    await service.stop();
  });

  /** Keeps every statement about a table waiting while something is asked. */
  async function whileLocked<Result>(table: string, ask: () => Promise<Result>): Promise<Result> {
    await blocker.query(`begin; lock table ${table} in access exclusive mode`);
    try {
      return await ask();
    } finally {
      await blocker.query('rollback');
    }
  }
  const waiting = async (count: number) => {
    for (;;) {
      const { rows } = await blocker.query(
        `select count(*)::int waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      if (rows[0].waiting >= count) return;
    }
  };

  it('respond to partners however many operators read what takes long', async () => {
    const reads: Promise<{ status: number }>[] = [];
    const asked = await whileLocked('operator_actions', async () => {
      for (let n = 0; n < 3 * SLOTS; n += 1) reads.push(operator.ask('GET', '/v2/admin/audit'));
      await waiting(1);
      return Promise.all(Array.from({ length: 5 }, () => partner.get('/v1/events')));
    });

    expect(asked.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
    expect((await Promise.all(reads)).every(({ status }) => status === 200)).to.equal(true);
  });

  it('respond to operators however many partners wait', async () => {
    const asked = await whileLocked('webhook_endpoints', async () => {
      const crowd = Array.from({ length: 4 * SLOTS }, (_, n) => (n % 2 ? partner : other).get('/v1/webhook-endpoints'));
      await waiting(SLOTS);
      const read = await operator.ask('GET', '/v2/admin/tiers');
      await Promise.all(crowd);
      return read;
    });

    expect(asked.status, JSON.stringify(asked.body)).to.equal(200);
  });
});
