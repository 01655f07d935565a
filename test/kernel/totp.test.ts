import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { newSeed, otpauthUri, stepOf } from '../../src/kernel/totp.ts';

/** RFC 6238, appendix B: the seed of its SHA-1 vectors in base32, and the last 6 of the 8 digits at these times. */
const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const VECTORS: [nowS: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
];

/** RFC 4226, section 5.3, for a counter. */
function codeAt(step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', '12345678901234567890').update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

describe('authenticator codes', () => {
  it('are those of RFC 6238, each of one time step of 30 s', () => {
    for (const [nowS, code] of VECTORS) expect(stepOf(SEED, code, nowS)).to.equal(Math.floor(nowS / 30));
  });

  it('count one step early and one step late, with their own step, and no further', () => {
    const now = 1_234_567_890;
    const step = Math.floor(now / 30);

    expect(stepOf(SEED, codeAt(step - 1), now)).to.equal(step - 1);
    expect(stepOf(SEED, codeAt(step + 1), now)).to.equal(step + 1);
    expect(stepOf(SEED, codeAt(step - 2), now)).to.equal(null);
    expect(stepOf(SEED, codeAt(step + 2), now)).to.equal(null);
    expect(stepOf(SEED, '000000', now)).to.equal(null);
  });

  it('come from seeds of 160 random bits, named to the authenticator with issuer and account', () => {
    const seeds = Array.from({ length: 20 }, newSeed);
    const uri = new URL(otpauthUri(SEED, { issuer: 'Trading Partner Service', account: 'ada@example.com' }));

    expect(new Set(seeds)).to.have.length(20);
    for (const seed of seeds) expect(seed).to.match(/^[A-Z2-7]{32}$/);
    expect(uri.protocol).to.equal('otpauth:');
    expect(decodeURIComponent(uri.pathname)).to.include('Trading Partner Service:ada@example.com');
    expect(uri.searchParams.get('secret')).to.equal(SEED);
    expect(uri.searchParams.get('issuer')).to.equal('Trading Partner Service');
  });
});
