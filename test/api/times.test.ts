import { expect } from 'chai';
import { createPartner } from '../../src/capabilities/partners/commands.ts';
import { listOperations } from '../../src/contract/document.ts';
import { asking, bearer, type Data, type Identity, startIdentity } from '../support/identity.ts';
import { expectRejected } from '../support/rejected.ts';
import { nodeAt, sampleOf } from '../support/samples.ts';

type Schema = { $ref?: string; format?: string };

/** What RFC 3339, or a lenient reading of it, allows and PostgreSQL does not store. */
const UNSTORABLE = [
  '0000-01-01T00:00:00Z',
  '2026-01-31T00:00:00+16:00',
  '2026-01-31T00:00:00-23:59',
  '2016-12-31T23:59:60.5Z',
  '2026-01-31\u00a000:00:00Z',
  `2026-01-31T00:00:00.${'1'.repeat(200)}Z`,
];
const STORABLE = [
  '0001-01-01T00:00:00+15:59',
  '2026-01-31T00:00:00.123456789-12:00',
  '2016-12-31T23:59:60Z',
  '2026-01-31t00:00:00z',
  '2026-01-31 00:00:00+0530',
];

const formatAt = (pointer: string): string | undefined => {
  const { $ref, format } = nodeAt(pointer) as Schema;
  return $ref === undefined ? format : formatAt($ref.slice(1));
};

describe('times in requests', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity({}, false);
  });
  after(() => service.stop());

  /** Filters by time that need nothing else. JavaScript reads those of a trader's history. */
  const filters = listOperations().flatMap((operation) =>
    operation.parameters
      .filter((parameter) => parameter.in === 'query' && formatAt(parameter.pointer) === 'date-time')
      .filter(() => !operation.parameters.some(({ name, required }) => required || name === 'X-Prop-Account'))
      .map(({ name }) => ({ operation, name })),
  );

  /** Whoever may call an operation. */
  async function callers() {
    const app = await service.app(['*']);
    const { key } = await createPartner(service.db, 'Partner');
    const { ask } = await service.admin();
    return (path: string) => {
      if (path.startsWith('/v2/admin/')) return ask;
      return path.startsWith('/v1/') ? asking(service.url, bearer(key)) : app.ask;
    };
  }

  it('are rejected if the database cannot store them', async () => {
    const callerOf = await callers();
    const read = (at: string) =>
      filters.map(async ({ operation, name }) => {
        const { path } = sampleOf(operation);
        const reply: Data = await callerOf(path)('GET', `${path}?${new URLSearchParams({ [name]: at })}`);
        return { reply, name };
      });

    expect(filters.map(({ operation }) => operation.id)).to.include.members(['listAppEvents', 'listPartnerEvents']);
    for (const at of UNSTORABLE)
      for (const { reply, name } of await Promise.all(read(at))) {
        expectRejected(reply, 'INVALID_REQUEST');
        expect(reply.body.error.fields[0].loc, at).to.deep.equal(['query', name]);
      }
    for (const at of STORABLE)
      for (const { reply } of await Promise.all(read(at))) expect(reply.status, at).to.equal(200);
  });

  it('are rejected in a body, before anything is queued', async () => {
    const { ask } = await service.app(['*']);
    const endpoint = { json: { url: 'https://example.com/hook', events: ['*'] } };
    const { body } = await ask('POST', '/v2/webhook-endpoints', endpoint);

    for (const since of UNSTORABLE)
      expectRejected(
        await ask('POST', `/v2/webhook-endpoints/${body.id}/recover`, { json: { since } }),
        'INVALID_REQUEST',
        { effect: 'none' },
      );
  });
});
