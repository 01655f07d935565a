import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

describe('Idempotency-Key on writes without an intent', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ worker: false });
  });
  after(() => service.stop());

  const enrollment = () => {
    const private_key = generatePrivateKey();
    return { ex_wallet: privateKeyToAddress(private_key).toLowerCase(), private_key };
  };

  it('returns the first response to the same request, also to concurrent ones', async () => {
    const partner = await service.partner();
    const body = enrollment();

    const replies = await Promise.all(
      Array.from({ length: 20 }, () => partner.post('/v1/sessions', body, { key: 'enroll-1' })),
    );

    expect(replies.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
    expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).to.have.length(19);
  });

  it('rejects another request under the same key, and is scoped to its caller', async () => {
    const partner = await service.partner();
    const outsider = await service.partner();
    await partner.post('/v1/sessions', enrollment(), { key: 'enroll-2' });

    expectProblem(await partner.post('/v1/sessions', enrollment(), { key: 'enroll-2' }), 'IDEMPOTENCY_KEY_REUSED');
    expect((await outsider.post('/v1/sessions', enrollment(), { key: 'enroll-2' })).status).to.equal(200);
  });

  it('is free again after an error response, and after an aborted request', async () => {
    const partner = await service.partner();
    const { ex_wallet } = enrollment();
    const rejected = await partner.post(
      '/v1/sessions',
      { ex_wallet, private_key: `0x${'0'.repeat(64)}` },
      { key: 'enroll-3' },
    );
    const body = enrollment();

    const after = await partner.post('/v1/sessions', body, { key: 'enroll-3' });
    await service.db.query(sql.unsafe`
      update idempotent_responses
      set status = null, sealed = null, created_at = now() - interval '2 minutes'
      where key = 'enroll-3'`);
    const again = await partner.post('/v1/sessions', body, { key: 'enroll-3' });

    expectProblem(rejected, 'V1_KEY_UNUSABLE');
    expect(after.status).to.equal(200);
    expect(again.status).to.equal(200);
    expect(again.headers).to.not.have.property('idempotent-replayed');
  });

  it('keeps responses sealed', async () => {
    const partner = await service.partner();
    const body = enrollment();
    await partner.post('/v1/sessions', body, { key: 'enroll-4' });

    const text = await service.db.oneFirst(sql.type(z.object({ text: z.string() }))`
      select encode(sealed, 'escape') as text
      from idempotent_responses
      where key = 'enroll-4'`);

    expect(text).to.not.contain(body.ex_wallet);
  });
});
