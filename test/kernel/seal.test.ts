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
    for (const keys of ['', 'k1', 'k1:c2hvcnQ=', `k1:${'A'.repeat(44)}`, 'k 1:AAAA']) {
      expect(() => sealer(keys), keys).to.throw('A sealing key is id:base64 of 32 bytes');
    }
  });
});
