import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { privateKeyToAccount } from 'viem/accounts';
import { newSealingKey, sealer } from '../../src/kernel/seal.ts';
import { challengeMessage, provesWallet } from '../../src/kernel/wallet-proof.ts';

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const outsider = privateKeyToAccount(`0x${'22'.repeat(32)}`);
const wallet = account.address.toLowerCase();
const owner = 'ptn_1';
const old = newSealingKey();
const ring = sealer(`${newSealingKey()},${old}`);
const inMs = (ms: number) => new Date(Date.now() + ms);
const signed = async (message: string, by = account) => ({ message, signature: await by.signMessage({ message }) });

describe('provesWallet', () => {
  const expiresAt = inMs(3_600_000); // files that are loaded together run minutes later
  const message = challengeMessage({ owner, wallet, expiresAt }, ring);

  it('accepts the wallet’s signature of a challenge that names wallet, partner and end', async () => {
    const [first, second, ...rest] = message.split('\n');

    expect([first, second]).to.deep.equal([
      'Link this wallet to a trading account.',
      'Signing costs nothing and moves nothing.',
    ]);
    expect(rest.slice(0, -1)).to.deep.equal([
      `Wallet: ${wallet}`,
      `Partner: ${owner}`,
      `Expires at: ${expiresAt.toISOString()}`,
    ]);
    expect(rest.at(-1)).to.match(/^Code: [0-9a-f]{64}$/);
    expect(await provesWallet(await signed(message), { owner, wallet }, ring)).to.equal(true);
  });

  it('accepts a challenge made under an earlier key of the ring, and of no other ring', async () => {
    const proof = await signed(challengeMessage({ owner, wallet, expiresAt }, sealer(old)));

    expect(await provesWallet(proof, { owner, wallet }, ring)).to.equal(true);
    expect(await provesWallet(proof, { owner, wallet }, sealer(newSealingKey()))).to.equal(false);
  });

  it('binds the code to challenges alone, with HMAC-SHA-256 under the key', () => {
    const key = Buffer.alloc(32, 7);
    const text = challengeMessage({ owner, wallet, expiresAt }, sealer(`k:${key.toString('base64')}`));
    const [lines = '', code] = text.split('\nCode: ');
    const context = JSON.stringify([1, 'k', 'subaccounts', 'challenge', 'link_proof']);

    expect(code).to.equal(createHmac('sha256', key).update(`mark${context}\u0000${lines}`).digest('hex'));
  });

  it('rejects every other signature, partner, wallet and text', async () => {
    const proof = await signed(message);
    const ended = challengeMessage({ owner, wallet, expiresAt: inMs(-1) }, ring);
    const never = message.replace(/Expires at: .*/, 'Expires at: never');
    const unsealed = message.replace(/Code: .*/, `Code: ${'0'.repeat(64)}`);
    const short = message.slice(0, -2);
    const indented = message.replace('Expires', ' Expires');
    const longer = `${message} `;
    const texts = [
      indented,
      longer,
      `${message}\n`,
      `x\n${message}`,
      `${message}00`,
      never,
      unsealed,
      short,
      ended,
      'I own it',
      '',
    ];

    for (const text of texts)
      expect(await provesWallet(await signed(text), { owner, wallet }, ring), text).to.equal(false);
    expect(await provesWallet(await signed(message, outsider), { owner, wallet }, ring)).to.equal(false);
    expect(await provesWallet({ ...proof, signature: `0x${'00'.repeat(65)}` }, { owner, wallet }, ring)).to.equal(
      false,
    );
    expect(await provesWallet(proof, { owner: 'ptn_2', wallet }, ring)).to.equal(false);
    const others = outsider.address.toLowerCase();
    expect(await provesWallet(proof, { owner, wallet: others }, ring)).to.equal(false);
    expect(await provesWallet(await signed(message, outsider), { owner, wallet: others }, ring)).to.equal(false);
  });
});
