import { expect } from 'chai';
import { createPartner } from '../../src/capabilities/partners/commands.ts';
import { asking, bearer, fresh, type Identity, startIdentity } from '../support/identity.ts';

describe('a period that ends before it begins', () => {
  let service: Identity;
  before(async () => {
    service = await startIdentity();
  });
  after(() => service.stop());

  it('is an error of each list that takes one, and no empty list', async () => {
    const { key } = await createPartner(service.db, fresh('Partner'));
    const [app, admin] = [await service.app(), await service.admin()];
    const partner = asking(service.url, bearer(key));
    const csv = asking(service.url, { ...bearer(key), Accept: 'text/csv' });
    const of = (from: string, to: string) => `from=2026-10-${from}T00:00:00Z&to=2026-10-${to}T00:00:00.000Z`;

    const replies = [
      await partner('GET', `/v1/statements?${of('31', '01')}`),
      await csv('GET', `/v1/statements?${of('31', '01')}`),
      await app.ask('GET', `/v2/statements?${of('31', '01')}`),
      await admin.ask('GET', `/v2/admin/orders?trader=12&${of('31', '01')}`),
      await admin.ask('GET', `/v2/admin/deliveries?${of('31', '01')}`),
    ];

    for (const [late, early] of [
      ['2026-10-31T00:00:00+05', '2026-10-01T00:00:00-05'],
      ['2016-12-31T23:59:60Z', '2016-12-31t23:59:59.9z'],
      ['0050-01-02 00:00:00+0530', '0050-01-01T00:00:00Z'],
    ] as const) {
      const backwards = new URLSearchParams({ from: late, to: early });
      replies.push(await partner('GET', `/v1/statements?${backwards}`));
      const inOrder = new URLSearchParams({ from: early, to: late });
      expect((await partner('GET', `/v1/statements?${inOrder}`)).status, late).to.equal(200);
    }

    for (const { status, body } of replies)
      expect([status, body.error?.fields?.[0]?.msg]).to.deep.equal([422, 'must not be after to']);
    expect((await partner('GET', `/v1/statements?${of('01', '01')}`)).body).to.deep.equal([]);
  });
});
