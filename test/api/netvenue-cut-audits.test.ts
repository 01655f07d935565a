import { expect } from 'chai';
import { sql } from 'slonik';
import type { Netvenue } from '../../src/venues/network/adapter/types.ts';
import { auditNetworkExits } from '../../src/venues/network/orders/audit.ts';
import { atEachStatement, type Cut, dying } from '../support/cuts.ts';
import { market, venueOf } from '../support/orders.ts';
import { comparedUntil, wereFoundAlive } from '../support/protection.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('an audit of exits that dies at any of its statements, and runs again', function () {
  this.timeout(120_000);
  let service: TestService;
  let trader: Awaited<ReturnType<TestService['trader']>>;
  let order: string;
  before(async () => {
    service = await startService();
    trader = await service.trader();
    order = (await trader.post(ORDERS, market({ stop_loss: 90_000 }))).body.order_uuid;
    await comparedUntil(service.db, () => wereFoundAlive(service.db, trader.traderId));
    await service.stopWorkers();
  });
  after(() => service.stop());

  /** The network while its records have no open orders. */
  const lacking = (): Netvenue => ({
    ...venueOf(service),
    async orders(hotkey) {
      const read = await venueOf(service).orders(hotkey);
      return read.kind === 'found' ? { ...read, data: { ...read.data, unfilled: [] } } : read;
    },
    async dashboard(hotkey) {
      const read = await venueOf(service).dashboard(hotkey);
      return read.kind === 'found' ? { ...read, data: { ...read.data, openOrders: [] } } : read;
    },
  });

  /** An audit a minute later, and one more if it dies at `cut`. */
  async function audit(netvenue: Netvenue, cut?: Cut): Promise<string[]> {
    const run = async () => {
      await service.db.query(sql.unsafe`
        update wanted_exits set due_at = now(), wanted_at = wanted_at - interval '1 minute', missing_since = missing_since - interval '1 minute'`);
      await service.db.query(sql.unsafe`delete from request_budgets`); // the pace of comparisons
      return () => auditNetworkExits({ ...service.runtime, db: service.db, venues: { netvenue } });
    };
    const sent = cut ? await dying(await run(), cut) : [];
    await (await run())();
    return sent;
  }
  const shown = async () => {
    const { body } = await trader.get('/v1/events?limit=500');
    return {
      told: body.map(({ type }: { type: string }) => type).filter((type: string) => type.startsWith('position.')),
      protection: (await trader.get(`${ORDERS}/${order}`)).body.protection,
    };
  };

  for (const dies of ['lost', 'found'] as const)
    it(`reports once that they were ${dies}, and the order shows it`, async () => {
      await atEachStatement(async (cut) => {
        const before = (await shown()).told.length;
        const cutIf = (is: typeof dies) => (is === dies ? cut : undefined);

        await audit(lacking());
        const whenLost = await audit(lacking(), cutIf('lost'));
        const lost = await shown();
        const whenFound = await audit(venueOf(service), cutIf('found'));
        const found = await shown();

        const sent = dies === 'lost' ? whenLost : whenFound;
        const where = `${cut.how} ${cut.at}: ${sent.at(-1)}`;
        expect(lost.told.slice(before), where).to.deep.equal(['position.unprotected']);
        expect(lost.protection, where).to.equal('failed');
        expect(found.told.slice(before), where).to.deep.equal(['position.unprotected', 'position.protected']);
        expect(found.protection, where).to.equal('placed');
        return sent;
      });
    });
});
