import { createPublicKey, verify } from 'node:crypto';
import { expect } from 'chai';
import { headSigner, isSignedHead, newHeadKey } from '../../src/kernel/head-keys.ts';

/** RFC 8032, section 7.1, tests 1 and 2: secret keys and their public keys. */
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const PUBLIC = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
const OTHER_SEED = Buffer.from('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', 'hex');
const OTHER_PUBLIC = Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex');
const RING = ` a_1-Z:${SEED.toString('base64')} ,b:${OTHER_SEED.toString('base64url')}`;
const head = { app_id: 'app_1', place: 7, row_hash: 'ab'.repeat(32) };

describe('headSigner', () => {
  it('publishes the public keys of its ring, the signing one first', () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' };

    expect(headSigner(RING).publicKeys).to.deep.equal([
      { ...jwk, kid: 'a_1-Z', x: PUBLIC.toString('base64url') },
      { ...jwk, kid: 'b', x: OTHER_PUBLIC.toString('base64url') },
    ]);
  });

  it('signs the lines of a head with its first key', () => {
    const { signed_head, key_id } = headSigner(RING).sign(head);
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: PUBLIC.toString('base64url') },
      format: 'jwk',
    });
    const lines = Buffer.from(`agreement-head/1\napp_1\n7\n${head.row_hash}`);

    expect(key_id).to.equal('a_1-Z');
    expect(verify(null, lines, key, Buffer.from(signed_head, 'base64url'))).to.equal(true);
  });

  it('is verified by the key that signed, for that head only', () => {
    const { sign, publicKeys } = headSigner(RING);
    const signed = sign(head);
    const [first, second] = publicKeys;

    expect(isSignedHead(head, signed, publicKeys)).to.equal(true);
    for (const other of [{ app_id: 'app_2' }, { place: 8 }, { row_hash: 'ac'.repeat(32) }])
      expect(isSignedHead({ ...head, ...other }, signed, publicKeys)).to.equal(false);
    expect(isSignedHead(head, { ...signed, key_id: 'b' }, publicKeys)).to.equal(false);
    expect(isSignedHead(head, { ...signed, key_id: 'unknown' }, publicKeys)).to.equal(false);
    expect(isSignedHead(head, signed, [])).to.equal(false);
    expect(isSignedHead(head, signed, [{ kid: 'a_1-Z', x: String(second?.x) }])).to.equal(false);
    expect(isSignedHead(head, { ...signed, signed_head: '' }, publicKeys)).to.equal(false);
    expect(isSignedHead(head, signed, [{ kid: 'a_1-Z', x: String(first?.x) }])).to.equal(true);
  });

  it('rejects an invalid keyring without revealing it', () => {
    const key = SEED.toString('base64');
    const odd = [`-- a:${key}`, `a:${key} --`, `${'a'.repeat(33)}:${key}`, `:${key}`, `a:${key}===`, `a b:${key}`];
    for (const keys of ['', 'a', 'a:c2hvcnQ=', `a:${'A'.repeat(44)}`, `a:${key},`, ...odd])
      expect(() => headSigner(keys), keys).to.throw('A key of a keyring is id:base64 of 32 bytes');
  });

  it('takes new keys, each of which is made once', () => {
    const keys = Array.from({ length: 20 }, newHeadKey);

    expect(new Set(keys)).to.have.length(20);
    for (const key of keys) expect(key).to.match(/^h[0-9a-f]{8}:[A-Za-z0-9+/]{43}=$/);
    expect(headSigner(keys.join(',')).publicKeys).to.have.length(20);
  });
});
