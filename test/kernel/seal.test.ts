import { expect } from 'chai';
import { newSealingKey, sealer } from '../../src/kernel/seal.ts';

const place = { table: 'users', row: 'usr_1', column: 'totp_seed' };

describe('sealer', () => {
  it('opens what it sealed, text and bytes alike', () => {
    const { seal, open } = sealer(newSealingKey());

    expect(open(seal('a seed', place), place).toString()).to.equal('a seed');
    expect([...open(seal(new Uint8Array([0, 255]), place), place)]).to.deep.equal([0, 255]);
    expect(open(seal('', place), place)).to.have.length(0);
  });

  it('never seals the same way twice', () => {
    const { seal } = sealer(newSealingKey());

    expect(seal('a seed', place).equals(seal('a seed', place))).to.equal(false);
  });

  it('refuses every one-bit change', () => {
    const { seal, open } = sealer(newSealingKey());
    const sealed = seal('a seed', place);

    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => open(changed, place), `bit ${bit}`).to.throw();
    }
  });

  it('refuses other places, other keys and what is cut short', () => {
    const { seal, open } = sealer(newSealingKey());
    const sealed = seal('a seed', place);

    for (const other of [{ table: 'admins' }, { row: 'usr_2' }, { column: 'email' }]) {
      expect(() => open(sealed, { ...place, ...other })).to.throw();
    }
    expect(() => sealer(newSealingKey()).open(sealed, place)).to.throw('The keyring has no key');
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => open(sealed.subarray(0, length), place)).to.throw();
    }
  });

  it('seals under the first key and still opens under the others', () => {
    const old = newSealingKey();
    const sealed = sealer(old).seal('a seed', place);
    const { open, seal, needsReseal, activeKeyId } = sealer(`${newSealingKey()}, ${old}`);

    expect(open(sealed, place).toString()).to.equal('a seed');
    expect(needsReseal(sealed)).to.equal(true);
    expect(needsReseal(seal('a seed', place))).to.equal(false);
    expect(activeKeyId).not.to.equal(old.split(':')[0]);
  });

  it('refuses a keyring that is none, without telling it', () => {
    for (const keys of ['', 'k1', 'k1:c2hvcnQ=', `k1:${'A'.repeat(44)}`, 'k 1:AAAA']) {
      expect(() => sealer(keys), keys).to.throw('A sealing key is id:base64 of 32 bytes');
    }
  });
});
