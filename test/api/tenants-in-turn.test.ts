import { expect } from 'chai';
import { sql } from 'slonik';
import { startService, type TestService } from '../support/service.ts';

const READS = 300; // far fewer than the quota of a partner in a second

describe('a tenant beside one that reads its whole log again and again, all at once', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService({ worker: false, settings: { WEB_POOL_SIZE: '1' } });
  });
  after(() => service.stop());

  it('waits for a few of these reads, not for all of them, and is served', async () => {
    const [flooding, other] = [await service.partner(), await service.partner()];
    await service.db.query(sql.unsafe`
      select emit_event(${flooding.owner}, 'order.updated', jsonb_build_object('text', repeat('x', 100)))
      from generate_series(1, 500)`);
    let done = 0;

    const flood = Array.from({ length: READS }, async () => {
      const { status } = await flooding.get('/v1/events?limit=500');
      done += 1;
      return status;
    });
    const { status } = await other.get('/v1/sessions');
    const before = done;
    await Promise.all(flood);

    expect(status).to.equal(200);
    expect(before).to.be.below(READS / 2);
  });
});
