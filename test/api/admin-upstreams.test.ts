import { expect } from 'chai';
import { sql } from 'slonik';
import { type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';
import { openIntentDatabase } from '../support/intent-database.ts';
import { eventually } from '../support/money.ts';
import { intentAt } from '../support/operator.ts';

type State = {
  upstream: string;
  waiting: number;
  in_doubt: number;
  in_doubt_because: string | null;
  succeeded_at: string | null;
  budget_used: number | null;
  calls: { call: string; is_reachable: boolean; since: string; called_at: string; error: string | null }[];
};

describe('getUpstreams', function () {
  this.timeout(30_000);
  let service: Identity;
  let operator: TestAdmin;
  before(async () => {
    service = await startIdentity();
    operator = await service.admin();
  });
  after(() => service.stop());

  const read = async (upstream: string): Promise<State> => {
    const { body } = await operator.ask('GET', '/v2/admin/upstreams');
    return body.upstreams.find((each: State) => each.upstream === upstream);
  };

  it('shows every upstream', async () => {
    const { status, body } = await operator.ask('GET', '/v2/admin/upstreams');

    expect(status).to.equal(200);
    expect(body.upstreams.map(({ upstream }: State) => upstream)).to.deep.equal([
      'exvenue',
      'mail',
      'netvenue',
      'processor',
      'registrar',
    ]);
  });

  it('shows since when calls have no response, why, and when they have one again', async () => {
    const wallet = await service.wallet();
    const get = (path: string) => wallet.get(path, { headers: { 'Trader-ID': wallet.wallet } });
    await get('/v1/balance/ex');
    const before = await read('exvenue');
    service.exchange.faults.add({ kind: 'status_500', route: 'POST /info' });
    await get('/v1/orders/exvenue');
    const away = (await read('exvenue')).calls.find(({ is_reachable }) => !is_reachable);
    service.exchange.faults.clear();
    const callNow = async () => (await read('exvenue')).calls.find(({ call }) => call === away?.call);
    const back = await eventually(async () => {
      await get('/v1/orders/exvenue'); // a read is cached for a moment
      const call = await callNow();
      return call?.is_reachable ? call : null;
    });

    expect(before.calls).to.have.length.above(0);
    expect(before.calls.every(({ is_reachable, error }) => is_reachable && error === null)).to.equal(true);
    expect(before.budget_used).to.be.within(0, 1);
    expect(away?.error).to.be.a('string');
    expect(Date.parse(String(away?.since))).to.be.at.most(Date.parse(String(away?.called_at)));
    expect(back.error).to.equal(null);
    expect(Date.parse(back.since)).to.be.above(Date.parse(String(away?.since)));
  });

  it('shows the writes that wait, those in doubt, and the last success', async () => {
    const intentDb = await openIntentDatabase();
    await intentDb.query('truncate intents, lanes cascade');
    for (const place of ['queued', 'in_doubt', 'succeeded'] as const) await intentAt(intentDb, place);
    await intentAt(intentDb, 'in_doubt', { kind: 'payments/checkout' });
    await intentDb.query(`update intents set unknown_because = 'ETIMEDOUT' where kind = 'payments/checkout'`);

    const found = await intentDb.query<State>('select * from ops.upstreams order by upstream');
    const kinds = await intentDb.query<{ kind: string }>('select kind from intent_kinds');
    await intentDb.close();

    const [exvenue, , netvenue, processor] = found;
    expect(exvenue).to.include({ waiting: 0, in_doubt: 0, succeeded_at: null });
    expect(netvenue).to.include({ waiting: 1, in_doubt: 1 });
    expect(netvenue?.succeeded_at).to.be.a('date');
    expect(processor).to.include({ waiting: 0, in_doubt: 1, in_doubt_because: 'ETIMEDOUT' });
    const areas = new Set(kinds.map(({ kind }) => kind.split('/')[0]));
    expect([...areas].sort()).to.deep.equal([
      'accounts',
      'exchange',
      'kyc',
      'network',
      'payments',
      'payouts',
      'registration',
    ]);
  });

  it('is for enrolled operators only', async () => {
    const unenrolled = await service.admin(false);
    const app = await service.app(['*']);
    const statuses = await Promise.all(
      [unenrolled.ask, app.ask, service.ask].map(async (ask) => (await ask('GET', '/v2/admin/upstreams')).status),
    );

    expect(statuses).to.deep.equal([403, 401, 401]);
    expect(await service.db.exists(sql.unsafe`select from admin_audit where action = 'getUpstreams'`)).to.equal(false);
  });
});
