import { expect } from 'chai';
import { sql } from 'slonik';
import { startService, type TestService } from '../support/service.ts';

const READS = 300; // far fewer than the quota of a partner in a second

describe('a tenant beside one that reads its whole log again and again, all at once', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService({ worker: false, settings: { WEB_POOL_SIZE: '3' } });
  });
  after(() => service.stop());

  it('waits for a few of these reads, not for all of them', async () => {
    const [flooding, other] = [await service.partner(), await service.partner()];
    await service.db.query(sql.unsafe`
      select emit_event(${flooding.owner}, 'order.updated', jsonb_build_object('text', repeat('x', 2000)))
      from generate_series(1, 500)`);
    let done = 0;

    const flood = Array.from({ length: READS }, async () => {
      const { status } = await flooding.get('/v1/events?limit=500');
      done += 1;
      return status;
    });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await other.get('/v1/sessions')).status);
    const before = done;
    await Promise.all(flood);

    expect(statuses).to.deep.equal(Array(5).fill(200));
    expect(before).to.be.below(READS / 2);
  });
});
