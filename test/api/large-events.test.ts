import { expect } from 'chai';
import { sql } from 'slonik';
import { startIdentity, type TestApp } from '../support/identity.ts';
import type { TestService } from '../support/service.ts';

const MIB = 1024 * 1024;

type Logged = { id: string; data: { n: number } };

describe('an event log with large events', function () {
  this.timeout(30_000);
  let service: TestService;
  let app: TestApp;
  before(async () => {
    const identity = await startIdentity();
    service = identity;
    app = await identity.app(['*']);
  });
  after(() => service.stop());

  const emit = (from: number, to: number, bytes: number) =>
    service.db.query(sql.unsafe`
      select emit_event(${app.appId}, 'large', jsonb_build_object('n', n, 'text', repeat('x', ${bytes})), 'app')
      from generate_series(${from}::integer, ${to}::integer) n`);

  /** The pages of the log of this type, each with its size, by the links from one to the next. */
  async function pages(query: string) {
    const found: { events: Logged[]; bytes: number }[] = [];
    for (let next: string | undefined = `/v2/events?type=large${query}`; next; ) {
      const { body, headers, status } = await app.ask('GET', next);
      expect(status).to.equal(200);
      found.push({ events: body, bytes: JSON.stringify(body).length });
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    return found;
  }

  it('is read in pages of 2 MiB, whatever number is asked for, without a gap', async () => {
    await emit(1, 40, 120 * 1024); // the largest that a notification emits
    await emit(41, 41, 3 * MIB); // one alone is never cut
    await emit(42, 60, 10);

    const [most, few] = [await pages('&limit=500'), await pages('&limit=10')];

    for (const read of [most, few])
      expect(read.flatMap(({ events }) => events.map(({ data }) => data.n))).to.deep.equal(
        Array.from({ length: 60 }, (_, n) => n + 1),
      );
    for (const { events, bytes } of most) expect(events.length === 1 || bytes < 2 * MIB + 64 * 1024).to.equal(true);
    expect(most.map(({ events }) => events.length)).to.deep.equal([17, 17, 6, 1, 19]);
    expect(Math.max(...few.map(({ events }) => events.length))).to.equal(10);
  });
});
