import { expect } from 'chai';
import { sql } from 'slonik';
import { bearer, fresh, type Identity, startIdentity, type TestApp } from '../support/identity.ts';
import { eventually } from '../support/money.ts';

type Usage = { requests: number; failed: number };
type Listed = { request_id: string; operation: string; status: number; code: string | null; caller: string };

describe('the requests of an app', function () {
  this.timeout(30_000);
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity({}, false);
    app = await service.app(['*']);
  });
  after(() => service.stop());

  const listed = async (query = ''): Promise<Listed[]> => {
    const { status, body } = await app.ask('GET', `/v2/requests${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };

  /** The counts of all days: a run may pass midnight. */
  const countedBy = (days: Usage[]): Usage =>
    days.reduce((sum, { requests, failed }) => ({ requests: sum.requests + requests, failed: sum.failed + failed }), {
      requests: 0,
      failed: 0,
    });

  it('are listed with what became of them, found by their id, and counted by day', async () => {
    const failed = await app.ask('GET', '/v2/intents/0190aaaa-0000-7000-8000-000000000000');
    const id = String(failed.headers.get('x-request-id'));
    const [found] = await eventually(async () => {
      const page = await listed(`?request_id=${id}`);
      return page.length > 0 && page;
    });
    const usage = countedBy((await app.ask('GET', '/v2/usage')).body);

    const searched = await app.ask('GET', `/v2/search?q=${id}`);

    expect(found).to.include({ operation: 'getAppIntent', status: 404, code: 'INTENT_UNKNOWN', caller: 'app' });
    expect(searched.body.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['request']);
    expect((await listed('?failed=true')).every(({ status }) => status >= 400)).to.equal(true);
    expect((await listed('?failed=false')).every(({ status }) => status < 400)).to.equal(true);
    expect(usage.failed).to.be.at.least(1);
    expect(usage.requests).to.be.at.least(2);
  });

  it('are counted where there are too many to list, and those that failed are listed first', async () => {
    const other = await service.app(['*']);
    const ask = (path: string) => service.ask('GET', path, { headers: bearer(other.token) });
    const many = Array.from({ length: 60 }, () => ask('/v2/tiers'));
    const failing = Array.from({ length: 5 }, () => ask('/v2/intents/0190aaaa-0000-7000-8000-000000000000'));
    await Promise.all([...many, ...failing]);
    const counted = await eventually(async () => {
      const usage = countedBy((await ask('/v2/usage')).body);
      return usage.requests >= 65 && usage;
    });
    const failures = (await ask('/v2/requests?failed=true')).body;

    expect(counted.failed).to.equal(5);
    expect(failures).to.have.length(5);
  });

  it('have numbers of their own, which do not show how many others made, however many are recorded at once', async () => {
    const [ours, theirs] = [fresh('app_ours'), fresh('app_theirs')];
    const record = (owner: string) => {
      const entry = {
        owner,
        at_ms: Date.now(),
        operation: 'op',
        method: 'GET',
        status: 200,
        request_id: 'r',
        caller: 'app',
        ms: 1,
      };
      return service.db.query(sql.unsafe`select record_requests(${JSON.stringify([entry, entry])}::jsonb, 100)`);
    };
    const numbersOf = (owner: string) =>
      service.db.anyFirst(sql.unsafe`select id::integer from api_requests where owner = ${owner} order by id`);

    for (const owner of [ours, theirs, theirs, ours]) await record(owner);
    const apart = await numbersOf(ours);
    await Promise.all(Array.from({ length: 20 }, () => record(ours)));

    expect(apart).to.deep.equal([1, 2, 3, 4]);
    expect(await numbersOf(ours)).to.deep.equal(Array.from({ length: 44 }, (_, n) => n + 1));
  });

  it('are recorded one by one up to a limit of each owner: a flood of one leaves out none of another', async () => {
    const [flooding, quiet] = ['app_flooding', 'app_quiet'];
    const entry = { operation: 'op', method: 'GET', status: 200, request_id: 'r', caller: 'app', ms: 1 };
    const batch = [flooding, flooding, flooding, quiet, flooding, quiet].map((owner, n) => ({
      ...entry,
      owner,
      at_ms: 1_700_000_000_000 + n,
    }));

    await service.db.query(sql.unsafe`select record_requests(${JSON.stringify(batch)}::jsonb, 2)`);

    const rows = await service.db.any(sql.unsafe`
      select owner, id::integer from api_requests where owner in (${flooding}, ${quiet}) order by owner, id`);
    expect(rows).to.deep.equal(
      [flooding, quiet].flatMap((owner) => [
        { owner, id: 1 },
        { owner, id: 2 },
      ]),
    );
  });

  it('are read in pages, and are nobody else’s', async () => {
    await eventually(async () => (await listed()).length > 2);
    const first = await app.ask('GET', '/v2/requests?limit=1');
    const next = await app.ask('GET', /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '');
    const stranger = await service.app(['*']);
    const foreign = await stranger.ask('GET', `/v2/requests?cursor=${first.body[0].id}`);

    expect(next.body[0].id).to.not.equal(first.body[0].id);
    expect(foreign.status).to.equal(422);
    for (const odd of ['x', '9'.repeat(40), '1e3'])
      expect((await app.ask('GET', `/v2/requests?cursor=${odd}`)).status).to.equal(422);
  });
});
