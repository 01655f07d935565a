import { createCipheriv, createHmac } from 'node:crypto';
import { expect } from 'chai';
import { newSealingKey, sealer } from '../../src/kernel/seal.ts';

const context = { table: 'users', row: 'usr_1', column: 'totp_seed' };

describe('sealer', () => {
  it('opens what it sealed, text and bytes alike', () => {
    const { seal, open } = sealer(newSealingKey());

    expect(open(seal('a seed', context), context).toString()).to.equal('a seed');
    expect([...open(seal(new Uint8Array([0, 255]), context), context)]).to.deep.equal([0, 255]);
    expect(open(seal('', context), context)).to.have.length(0);
  });

  it('never seals the same way twice', () => {
    const { seal } = sealer(newSealingKey());

    expect(seal('a seed', context).equals(seal('a seed', context))).to.equal(false);
  });

  it('rejects every one-bit change', () => {
    const { seal, open } = sealer(newSealingKey());
    const sealed = seal('a seed', context);

    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => open(changed, context), `bit ${bit}`).to.throw();
    }
  });

  it('rejects other contexts, other keys and truncated values', () => {
    const { seal, open } = sealer(newSealingKey());
    const sealed = seal('a seed', context);

    for (const other of [{ table: 'admins' }, { row: 'usr_2' }, { column: 'email' }]) {
      expect(() => open(sealed, { ...context, ...other })).to.throw();
    }
    expect(() => sealer(newSealingKey()).open(sealed, context)).to.throw('The keyring has no key');
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => open(sealed.subarray(0, length), context)).to.throw();
    }
    expect(() => open(sealed.subarray(0, 38), context)).to.throw('Not a sealed value');
    expect(() => open(Buffer.concat([Buffer.from([2]), sealed.subarray(1)]), context)).to.throw('Not a sealed value');
  });

  it('seals under the first key and still opens under the others', () => {
    const old = newSealingKey();
    const sealed = sealer(old).seal('a seed', context);
    const { open, seal, needsReseal, activeKeyId } = sealer(`${newSealingKey()}, ${old}`);

    expect(open(sealed, context).toString()).to.equal('a seed');
    expect(needsReseal(sealed)).to.equal(true);
    expect(needsReseal(seal('a seed', context))).to.equal(false);
    expect(activeKeyId).not.to.equal(old.split(':')[0]);
  });

  it('rejects an invalid keyring without revealing it', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    const odd = [`-- k1:${key}`, `k1:${key} --`, `k1:${key}x`, `${'k'.repeat(33)}:${key}`, `:${key}`, `k1:${key}===`];
    for (const keys of ['', 'k1', 'k1:c2hvcnQ=', `k1:${'A'.repeat(44)}`, 'k 1:AAAA', `k1:${key},`, ...odd]) {
      expect(() => sealer(keys), keys).to.throw('A key of a keyring is id:base64 of 32 bytes');
    }
  });

  const RAW = Buffer.alloc(32, 7);
  const RING = ` k_1-Z:${RAW.toString('base64')} , old:${Buffer.alloc(32, 8).toString('base64url')}`;
  const aad = (id: string) => JSON.stringify([1, id, 'users', 'usr_1', 'totp_seed']);

  it('opens AES-256-GCM with the context as associated data, written here from the format', () => {
    const nonce = Buffer.alloc(12, 3);
    const cipher = createCipheriv('aes-256-gcm', RAW, nonce).setAAD(Buffer.from(aad('k_1-Z')));
    const text = Buffer.concat([cipher.update('a seed'), cipher.final()]);
    const sealed = Buffer.concat([Buffer.from([1, 5]), Buffer.from('k_1-Z'), nonce, cipher.getAuthTag(), text]);

    expect(sealer(RING).open(sealed, context).toString()).to.equal('a seed');
  });

  it('has an HMAC-SHA-256 of a secret for its context under each key, the first key first', () => {
    const hmac = (id: string, key: Buffer) =>
      createHmac('sha256', key)
        .update(`mark${aad(id)}\u0000123456`)
        .digest('hex');

    const hmacs = sealer(RING).hmacs('123456', context);

    expect(hmacs.map((each) => each.toString('hex'))).to.deep.equal([
      hmac('k_1-Z', RAW),
      hmac('old', Buffer.alloc(32, 8)),
    ]);
  });

  it('makes keys that no other has', () => {
    const keys = Array.from({ length: 20 }, newSealingKey);

    expect(new Set(keys)).to.have.length(20);
    for (const key of keys) {
      const [id = '', text = ''] = key.split(':');
      expect(id).to.match(/^k[0-9a-f]{8}$/);
      expect(Buffer.from(text, 'base64')).to.have.length(32);
    }
  });
});
