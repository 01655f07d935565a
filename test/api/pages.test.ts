import { expect } from 'chai';
import { sql } from 'slonik';
import { document, listOperations, nodeAt, type Parameter } from '../../src/contract/document.ts';
import type { Data } from '../support/identity.ts';
import { type Listed, listEverything } from '../support/listed.ts';
import { nextOf } from '../support/pages.ts';
import { until } from '../support/processes.ts';
import { startTrading, type Trading } from '../support/trading.ts';

type Schema = { $ref?: string; type?: string; maxItems?: number; enum?: unknown[]; format?: string };

const resolved = (schema: Schema): Schema => (schema.$ref ? (nodeAt(schema.$ref.slice(1)) as Schema) : schema);
/** An array without a bound. What the contract bounds has no pages. */
const isList = (pointer: string | null | undefined) => {
  const { type, maxItems } = pointer ? resolved(nodeAt(pointer) as Schema) : {};
  return type === 'array' && maxItems === undefined;
};
const LISTS = listOperations().filter(({ method, responses }) => method === 'get' && isList(responses.get(200)));
const AT_MOST_ONE = ['listConnectAccounts'];
const MAX_PAGES = 1_000;

/** What is no filter: pages, the place in a log, and what another filter has to go with, which has a test of its own. */
const OTHERS = ['limit', 'cursor', 'after', 'event_type'];
const isFilter = ({ name, in: where }: Parameter) => where === 'query' && !OTHERS.includes(name);
const OF_A_NAME: Record<string, string> = { operation: 'listAppEvents', minutes: '1000' };

/** Values of a filter of which at least one leaves something out. */
function valuesOf(name: string, pointer: string): string[] {
  const { type, enum: values, format } = resolved(nodeAt(pointer) as Schema);
  if (values) return values.map(String);
  if (type === 'boolean') return ['true', 'false'];
  if (format === 'date-time') return ['2001-01-01T00:00:00Z', '2101-01-01T00:00:00Z'];
  if (name === 'type') return ['webhook.test', 'order.updated'];
  return [OF_A_NAME[name] ?? 'nobody'];
}

const badCursors = ['nobody', '00000000-0000-7000-8000-000000000001', Buffer.from('nobody').toString('base64url')];

describe('every list of the contract', function () {
  this.timeout(180_000); // a hundred orders and rows come first
  let service: Trading;
  let lists: Record<string, Listed>;
  before(async () => {
    service = await startTrading();
    lists = await listEverything(service);
    await service.stopWorkers(); // nothing changes a list while it is read
    for (const id of ['listAppRequests', 'listPartnerRequests']) // web records requests once a second
      await until(id, async () => (await page(id, 'limit=2')).body.length === 2 || null);
  });
  after(() => service.stop());

  const listOf = (id: string) => lists[id] as Listed; // as: tested first
  const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;
  const page = (id: string, query: string) => listOf(id).ask('GET', withQuery(listOf(id).path, query));

  async function walk(id: string): Promise<Record<string, unknown>[]> {
    const rows: Record<string, unknown>[] = [];
    let next = withQuery(listOf(id).path, 'limit=1');
    for (let n = 0; next && n < MAX_PAGES; n += 1) {
      const reply = await listOf(id).ask('GET', next);
      expect(reply.status, next).to.equal(200);
      expect(reply.body, next).to.have.length.below(2);
      rows.push(...reply.body);
      next = nextOf(reply);
    }
    return rows;
  }

  it('is in this test', () => {
    expect(Object.keys(lists)).to.have.members(LISTS.map(({ id }) => id));
    expect(LISTS).to.have.length.above(30);
  });

  for (const { id, parameters } of LISTS) {
    it(`has the limit and the cursor of all: ${id}`, () => {
      const pointers = parameters
        .filter(({ name }) => name === 'limit' || name === 'cursor')
        .map(({ pointer }) => pointer);

      expect(pointers.map((pointer) => nodeAt(pointer))).to.deep.equal([
        { type: 'integer', minimum: 1, maximum: 500, default: 100 },
        { type: 'string', minLength: 1, maxLength: 200 },
      ]);
    });

    it(`shows each row once, in pages of one: ${id}`, async () => {
      const whole = await page(id, 'limit=500');
      const rows = await walk(id);

      expect(whole.status, JSON.stringify(whole.body)).to.equal(200);
      expect(whole.body).to.have.length.at.least(AT_MOST_ONE.includes(id) ? 1 : 2);
      expect(rows).to.have.length(whole.body.length);
      expect(rows.map(settled)).to.deep.equal(whole.body.map(settled));
      expect(nextOf(whole)).to.equal('');
    });

    it(`rejects a cursor that it did not give: ${id}`, async () => {
      const foreign = id === 'listUserSessions' ? 'listApiKeys' : 'listUserSessions';
      const other = new URL(nextOf(await page(foreign, 'limit=1')), service.url).searchParams.get('cursor');

      const replies = await Promise.all([...badCursors, String(other)].map((cursor) => page(id, `cursor=${cursor}`)));

      for (const { status, body } of replies) {
        expect(status).to.equal(422);
        expect(body.error.code).to.equal('INVALID_REQUEST');
        expect(body.error.fields[0].loc).to.deep.equal(['query', 'cursor']);
        expect(body.error.message).to.include('cursor');
      }
    });
  }

  for (const { id, parameters } of LISTS)
    for (const { name, pointer } of parameters.filter(isFilter))
      it(`leaves something out by its filter ${name}: ${id}`, async () => {
        const { length } = (await page(id, 'limit=500')).body;
        const { ask, path } = listOf(id);
        const url = new URL(path, service.url);

        const left = await Promise.all(
          valuesOf(name, pointer).map(async (value) => {
            url.searchParams.set(name, value);
            const { status, body } = await ask('GET', `${url.pathname}${url.search}`);
            return status === 200 && body.length;
          }),
        );

        expect(
          left.every((rows) => rows !== false),
          String(left),
        ).to.equal(true);
        expect(
          left.some((rows) => rows !== length),
          String(left),
        ).to.equal(true);
      });

  it('is described with a Link', () => {
    const paths = document.paths as Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
    for (const { path } of LISTS) expect(paths[path]?.get?.responses['200']?.headers, path).to.have.property('Link');
  });

  it('has pages of 100 by default', async () => {
    await service.db.query(sql.unsafe`
      insert into tiers (id, market, asset_class, account_size, amount_cents, currency, active)
      select 'tier_default_' || n, 'crypto', 'crypto', 1000, 0, 'usd', false
      from generate_series(1, 101) n`);
    await service.db.query(sql.unsafe`
      insert into partners (id, name) select 'ptn_default' || n, 'Partner' from generate_series(1, 101) n`);

    const replies: Data[] = [await page('listAllTiers', ''), await page('listAllPartners', '')];

    for (const reply of replies) {
      expect(reply.body).to.have.length(100);
      expect(nextOf(reply)).to.include('limit=100');
    }
  });
});

/** A row without what differs between two reads of one moment: figures of the market. */
const settled = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([name]) =>
        !/mark_price|unrealized|position_value|liquidation|return|current_value|last_|used_at|seen/.test(name),
    ),
  );
