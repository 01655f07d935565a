import { createHash, createPublicKey, verify } from 'node:crypto';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { verifyAgreements } from '../../src/capabilities/agreements/verify.ts';
import { type Identity, startIdentity, type TestApp, type TestUser } from '../support/identity.ts';

const SIGN = '/v2/agreements/sign';
const terms = (more: object = {}) => ({ agreement_version: '2026-01', signature_name: 'Jäne Dœ', ...more });

/** The verification recipe of the operators' guide, implemented from its text alone. */
function hashByRecipe(row: Record<string, string | number | null>): string {
  const order =
    'previous_hash app_id place id user_id agreement_version signature_name document_url document_sha256 address user_agent signed_at';
  const members = ['agreement/1', ...order.split(' ').map((name) => row[name] ?? null)];
  const bytes = members.map((member) => (member === null ? '~,' : `${Buffer.from(String(member)).length}:${member},`));
  return createHash('sha256').update(bytes.join('')).digest('hex');
}

describe('agreements', () => {
  let service: Identity;
  let app: TestApp;
  let user: TestUser;
  before(async () => {
    service = await startIdentity();
    app = await service.app();
    user = await service.user(app);
  });
  after(() => service.stop());

  for (const [what, member] of [
    ['an empty name', { signature_name: '' }],
    ['a blank name', { signature_name: ' \u00a0\t' }],
    ['a name that nobody can see', { signature_name: '\u200b\u2060 \u3164\ufeff\u00ad\u2800' }],
    ['a document by http', { document_url: 'http://partner.example/terms.pdf' }],
    ['a script as the document', { document_url: 'javascript:alert(1)' }],
  ] as const) {
    it(`rejects ${what} and records nothing`, async () => {
      const other = await service.user(app);
      const { status, body } = await other.ask('POST', SIGN, { json: terms(member) });

      expect(status).to.equal(422);
      expect(body.error.fields[0].loc).to.deep.equal(['body', Object.keys(member)[0]]);
      expect((await other.ask('GET', '/v2/agreements/status')).body.signed).to.equal(false);
    });
  }

  it('reads the status, signs, and reads the status and the audits', async () => {
    const before = await user.ask('GET', '/v2/agreements/status');
    const document = { document_url: 'https://partner.example/terms.pdf', document_sha256: 'AB'.repeat(32) };
    const signed = await user.ask('POST', SIGN, {
      json: terms(document),
      headers: { 'X-End-User-Address': '198.51.100.7', 'X-End-User-Agent': 'Mozilla/5.0' },
    });
    const again = await user.ask('POST', SIGN, { json: terms() });
    const newer = await user.ask('POST', SIGN, { json: terms({ agreement_version: '2026-02' }) });
    const neighbour = await service.user(app);
    await neighbour.ask('POST', SIGN, { json: terms({ agreement_version: '2027' }) });
    const status = await user.ask('GET', '/v2/agreements/status');
    const { body: audits } = await user.ask('GET', '/v2/agreements/audits');

    expect(before.body).to.deep.equal({ signed: false, signed_at: null, agreement_version: null });
    expect(signed.body).to.include({ signed: true, agreement_version: '2026-01' });
    expect(again.body).to.include({ agreement_version: '2026-01' });
    expect(status.body).to.deep.equal({ signed: true, signed_at: newer.body.signed_at, agreement_version: '2026-02' });
    expect(audits.map((row: Record<string, unknown>) => [row.place, row.agreement_version])).to.deep.equal([
      [3, '2026-02'],
      [2, '2026-01'],
      [1, '2026-01'],
    ]);
    expect(audits[2]).to.deep.include({
      ...document,
      document_sha256: 'ab'.repeat(32),
      signature_name: 'Jäne Dœ',
      address: '198.51.100.7',
      user_agent: 'Mozilla/5.0',
      user_id: user.userId,
      app_id: app.appId,
    });
    const { id, app_id, place, previous_hash, row_hash } = audits[2];
    const { signed_head, key_id, ...receipt } = signed.body.receipt;
    expect(receipt).to.deep.equal({ id, app_id, place, previous_hash, row_hash });
    const { keys } = (await service.ask('GET', '/.well-known/agreement-keys.json')).body;
    const key = createPublicKey({ key: keys.find(({ kid }: { kid: string }) => kid === key_id), format: 'jwk' });
    const head = ['agreement-head/1', app_id, place, row_hash].join('\n');
    expect(verify(null, Buffer.from(head), key, Buffer.from(signed_head, 'base64url'))).to.equal(true);
    await service.mailTo(user.email, 4); // the code and three receipts, in any order
    const receipts = service.mailbox
      .mails(user.email)
      .flatMap(({ text }) => /\{.*\}/.exec(text)?.[0] ?? [])
      .map((text) => JSON.parse(text));
    expect(service.mailbox.mails(user.email).map(({ subject }) => subject)).to.include(
      'You signed an agreement of Example app',
    );
    expect(receipts).to.deep.include.members([signed.body.receipt, again.body.receipt, newer.body.receipt]);
    for (const row of audits) expect(hashByRecipe(row)).to.equal(row.row_hash);
    expect([audits[0].previous_hash, audits[1].previous_hash, previous_hash]).to.deep.equal([
      audits[1].row_hash,
      row_hash,
      '0'.repeat(64),
    ]);
  });

  it('require a session, and show a user only what they signed', async () => {
    const other = await service.user(app);
    await other.ask('POST', SIGN, { json: terms({ signature_name: 'Other' }) });

    const audits = await other.ask('GET', '/v2/agreements/audits');
    const withoutSession = await app.ask('GET', '/v2/agreements/audits');

    expect(audits.body).to.have.length(1);
    expect(audits.body[0]).to.include({ signature_name: 'Other', user_id: other.userId });
    expect([withoutSession.status, withoutSession.body.error.code]).to.deep.equal([401, 'V2_SESSION_INVALID']);
  });

  it('record text that is written in several ways in one (NFC), in bodies and in headers', async () => {
    const other = await service.user(app);
    const decomposed = 'Jose\u0301';
    const bytes = Buffer.from('José').toString('latin1'); // a header is sent as bytes
    const headers = { 'X-End-User-Agent': bytes };
    await other.ask('POST', SIGN, { json: terms({ signature_name: decomposed }), headers });

    const [signed] = (await other.ask('GET', '/v2/agreements/audits')).body;
    const broken = await other.ask('POST', SIGN, { json: terms(), headers: { 'X-End-User-Agent': 'Jos\xe9' } });

    expect(signed).to.include({ signature_name: 'Jos\u00e9', user_agent: 'José' });
    expect([broken.status, broken.body.error.code]).to.deep.equal([400, 'MALFORMED_BODY']);
    expect((await other.ask('GET', '/v2/agreements/audits')).body).to.have.length(1);
  });

  it('reject what violates the contract', async () => {
    for (const json of [
      {},
      { agreement_version: '1' },
      terms({ signature_name: '' }),
      terms({ document_sha256: 'abc' }),
      terms({ document_url: 'not a url' }),
      terms({ more: 1 }),
    ]) {
      expect((await user.ask('POST', SIGN, { json })).status, JSON.stringify(json)).to.equal(422);
    }
  });

  it('are listed in pages, newest first, and an unknown or foreign cursor is 422', async () => {
    const [reader, other] = [await service.user(app), await service.user(app)];
    const versions = ['1', '2', '3', '4', '5'];
    for (const agreement_version of versions) await reader.ask('POST', SIGN, { json: terms({ agreement_version }) });
    const foreign = (await other.ask('POST', SIGN, { json: terms() })).body.receipt.id;

    const seen: string[] = [];
    for (let next = '/v2/agreements/audits?limit=2'; next; ) {
      const { body, headers } = await reader.ask('GET', next);
      expect(body.length).to.be.within(1, 2);
      seen.push(...body.map((row: { agreement_version: string }) => row.agreement_version));
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    }

    expect(seen).to.deep.equal(versions.toReversed());
    for (const cursor of ['agr_nobody', foreign])
      expect((await reader.ask('GET', `/v2/agreements/audits?cursor=${cursor}`)).status).to.equal(422);
  });

  it('keep one unbroken chain per app under concurrent signatures', async () => {
    const busy = await service.app();
    const signer = await service.user(busy);

    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) => signer.ask('POST', SIGN, { json: terms({ signature_name: `n${n}` }) })),
    );

    const signed = replies.filter(({ status }) => status !== 503); // a busy process says so, and has written nothing
    const positions = signed.map(({ body }) => body.receipt.place).sort((a, b) => a - b);
    expect(positions.length).to.be.greaterThan(10);
    expect(positions).to.deep.equal(signed.map((_, n) => n + 1));
    expect((await verifyAgreements(service.db)).faults).to.deep.equal([]);
  });

  for (const statement of [
    sql.unsafe`update agreement_signatures set signature_name = 'x'`,
    sql.unsafe`delete from agreement_signatures`,
    sql.unsafe`truncate agreement_signatures`,
    sql.unsafe`truncate agreement_signatures cascade`,
  ]) {
    it(`are append-only: ${statement.sql}`, async () => {
      const count = sql.type(z.object({ count: z.number() }))`select count(*) from agreement_signatures`;
      const before = await service.db.oneFirst(count);

      const rejected = await service.db.query(statement).then(
        () => null,
        (error: Error) => error,
      );

      expect(String(rejected?.cause ?? rejected)).to.contain('append only');
      expect(before).to.be.greaterThan(0);
      expect(await service.db.oneFirst(count)).to.equal(before);
    });
  }
});
