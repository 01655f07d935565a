import { expect } from 'chai';
import { newSecret, openSecret } from '../../src/capabilities/webhooks/secrets.ts';
import { newSealingKey, sealer } from '../../src/kernel/seal.ts';

describe('secrets of webhook endpoints', () => {
  const ring = sealer(newSealingKey());

  it('have 33 random bytes behind their prefix, in base64 without padding', () => {
    const secrets = Array.from({ length: 20 }, () => newSecret(ring).secret);

    expect(new Set(secrets)).to.have.length(20);
    for (const secret of secrets) expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{44}$/);
  });

  it('are sealed for their own row', () => {
    const { id, secret, sealed } = newSecret(ring);
    const other = newSecret(ring);

    expect(id).to.match(/^whs_[\w-]{22,}$/);
    expect(openSecret(ring, { id, sealed: sealed.toString('base64') })).to.equal(secret);
    expect(() => openSecret(ring, { id: other.id, sealed: sealed.toString('base64') })).to.throw();
    expect(ring.open(sealed, { table: 'webhook_secrets', row: id, column: 'sealed' }).toString()).to.equal(secret);
  });
});
