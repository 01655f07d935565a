import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { eventually } from '../support/money.ts';
import { market } from '../support/orders.ts';
import { startService, type TestService } from '../support/service.ts';
import { faithfulReader } from '../support/stream.ts';

/** Dropped connections; the suite drops only a few. */
const DROPS = Number(process.env.STREAM_DROPS ?? 20);
const READERS = 4;
const TRADERS = 3;

describe('streams of a partner whose connections break', function () {
  this.timeout(60_000 + DROPS * 1_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it(`miss no event over ${DROPS} drops during a run of orders of several traders`, async () => {
    const partner = await service.partner();
    const traders = await Promise.all(
      Array.from({ length: TRADERS }, async () => {
        const { body } = await partner.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 10_000 });
        return { 'Trader-ID': String(body.subaccount.subaccount_id), Prefer: 'wait=0' };
      }),
    );
    const credentials = { Authorization: `Bearer ${partner.key}` };
    const readers = Array.from({ length: READERS }, () => faithfulReader(`${service.url}/v1/stream`, credentials));
    await eventually(async () => readers.every(({ ledger }) => ledger.length > 0));

    for (let n = 0; n < DROPS; n += READERS) {
      for (const reader of readers) reader.drop();
      const order_type = n % 8 < 4 ? 'LONG' : 'SHORT';
      await Promise.all(
        traders.map((as) => partner.post('/v1/orders/netvenue', market({ order_type }), { headers: as })),
      );
      await eventually(async () => readers.every((reader) => reader.drops() >= n / READERS + 1));
    }
    await eventually(
      async () => !(await service.db.exists(sql.unsafe`select from intents where settled_at is null`)),
      30_000,
    );
    const truth = await service.db.anyFirst(sql.type(z.object({ id: z.string() }))`
      select owner || ':' || position as id
      from events
      where type = 'order.updated'
      order by position`);
    await eventually(async () => readers.every(({ ledger }) => ledger.some(({ id }) => id === truth.at(-1))), 20_000);
    await Promise.all(readers.map((reader) => reader.stop()));

    const missed = readers.map(({ ledger }) => {
      const reported = new Set(ledger.map(({ id }) => id));
      return truth.filter((id) => !reported.has(id)).length;
    });
    const drops = readers.reduce((sum, reader) => sum + reader.drops(), 0);
    console.log(`      ${drops} drops, ${truth.length} events to ${READERS} readers: ${missed.join(', ')} missed`);
    expect(drops).to.be.at.least(DROPS);
    expect(truth).to.have.length(Math.ceil(DROPS / READERS) * TRADERS);
    expect(missed).to.deep.equal(readers.map(() => 0));
  });
});
