import { expect } from 'chai';
import { type Line, lineTo } from '../support/lines.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startService, type TestService } from '../support/service.ts';

describe('a partner’s key whose end is not announced', () => {
  let service: TestService;
  let announcements: Line;
  before(async () => {
    const database = await freshDatabase();
    announcements = await lineTo(database.url);
    service = await startService({ database, settings: { DATABASE_DIRECT_URL: announcements.url } });
  });
  after(async () => {
    await announcements.close(); // first: nothing ends that waits for a silent connection
    await service.stop();
  });

  it('is rejected by the process that has ended it from its response on', async () => {
    const partner = await service.trader();
    expect((await partner.get('/v1/keys')).status).to.equal(200); // so it is known
    announcements.silence('open');

    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const rolled = await partner.post('/v1/keys/roll', { overlap_seconds: 0 }, { headers });
    const { status, body } = await partner.get('/v1/keys');

    expect(rolled.status).to.equal(200);
    expect([status, body.error?.code]).to.deep.equal([401, 'V1_KEY_INVALID']);
  });
});
