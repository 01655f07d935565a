import { expect } from 'chai';
import nock from 'nock';
import { recoverTypedDataAddress, verifyMessage } from 'viem';
import { registrar } from '../../src/adapters/registrar/index.ts';
import type { Payer, PaymentTerms, SignedPayment } from '../../src/adapters/registrar/types.ts';
import { alone } from '../support/alone.ts';

const BASE = 'http://registrar.test';
const ASSET = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const WALLET = `0x${'a'.repeat(40)}`;
const HASH = `0x${'1'.repeat(64)}`;
const KEY = `0x${'11'.repeat(32)}`;
const upstream = registrar({ url: `${BASE}/`, chainUrl: 'http://chain.test', network: 'eip155:8453', asset: ASSET });
const payer = upstream.payerOf(KEY) as Payer; // it is a key

const terms: PaymentTerms = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '119000000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
};
const quote = { accepts: [terms], resource: { url: `${BASE}/api/register`, method: 'POST' }, extensions: null };
const required = { x402Version: 2, accepts: quote.accepts, resource: quote.resource };
const base64 = (message: object) => Buffer.from(JSON.stringify(message)).toString('base64');
const times = { nonce: `0x${'ab'.repeat(32)}`, validBeforeS: 2_000_000_000 };

const registering = { minerSlug: 'vanta', exAddress: WALLET, accountSize: 25_000, email: 'a@b.example', tierIndex: 1 };
const body = upstream.bodyOf(registering);
const post = () => nock(BASE).post('/api/register');

describe('the registrar on the wire', () => {
  alone();

  it('receives the exact terms of the later payment in a price request', async () => {
    nock(BASE)
      .post('/api/register', {
        minerSlug: 'vanta',
        hlAddress: WALLET,
        accountSize: 25_000,
        email: 'a@b.example',
        tierIndex: 1,
      })
      .reply(402, {}, { 'PAYMENT-REQUIRED': base64(required) });

    expect(await upstream.quote(body)).to.deep.equal({ kind: 'accepted', data: quote });
  });

  it('may state its price in the body alone', async () => {
    post().reply(402, required);

    expect(await upstream.quote(body)).to.deep.equal({ kind: 'accepted', data: quote });
  });

  it('has its unreadable tiers left out', async () => {
    const broken = [{ ...terms, amount: '1.5' }, { ...terms, payTo: 'me' }, { ...terms, extra: {} }, null];
    post().reply(402, { ...required, accepts: [...broken, terms] });

    expect(await upstream.quote(body)).to.deep.equal({ kind: 'accepted', data: quote });
  });

  const noQuote: [string, number, string | object][] = [
    ['version 1', 402, { ...required, x402Version: 1 }],
    ['nonsense', 402, '<html>'],
    ['a page', 200, '<html>'],
    ['a fault', 500, { error: 'x' }],
    ['a fault between', 502, ''],
    ...[400, 401, 403, 409].map((status): [string, number, string] => [
      `a page of a proxy, ${status}`,
      status,
      '<html>',
    ]),
  ];
  for (const [what, status, data] of noQuote) {
    it(`is unreachable when it quotes no price: ${what}`, async () => {
      post().reply(status, data);

      expect((await upstream.quote(body)).kind).to.equal('unreachable');
    });
  }

  it('receives a payment and a proof that verify, and no key', async () => {
    const payment = await payer.authorize(quote, terms, times);
    const proof = await payer.prove(body, 1_700_000_000_000);
    const received: Record<string, string> = {};
    post().reply(function () {
      Object.assign(received, this.req.headers);
      return [200, { status: 'registered', txHash: HASH, message: 'Done.' }];
    });

    const response = await upstream.pay(body, payment, { firstSend: true, proof });

    expect(response).to.deep.equal({
      kind: 'accepted',
      data: { status: 'registered', txHash: HASH, message: 'Done.' },
    });
    const sent = JSON.parse(Buffer.from(String(received['payment-signature']), 'base64').toString());
    expect(sent).to.deep.include({ x402Version: 2, accepted: terms, resource: quote.resource });
    expect(sent.payload.authorization).to.deep.equal(payment.authorization);
    expect(await signerOf(sent.payload)).to.equal(payer.address);
    const message = `/api/register:1700000000000:${await sha256(body)}`;
    const claimed = { address: received['x-wallet'], message, signature: received['x-signature'] } as Parameters<
      typeof verifyMessage
    >[0]; // as: what was received is text
    expect(await verifyMessage(claimed)).to.equal(true);
    expect(JSON.stringify(received)).not.to.include(KEY.slice(2));
  });

  const data: [string, number, string | object, object][] = [
    [
      'pending',
      200,
      { status: 'pending', txHash: HASH },
      { kind: 'accepted', data: { status: 'pending', txHash: HASH, message: null } },
    ],
    [
      'paid, not recorded',
      500,
      { error: 'x', txHash: HASH },
      { kind: 'accepted', data: { status: 'unrecorded', txHash: HASH, message: null } },
    ],
    ['settlement failed', 500, { error: 'Payment settlement failed' }, { kind: 'unknown', why: 'settlement_unclear' }],
    ['facilitator down', 502, { error: 'x' }, { kind: 'unknown', why: 'facilitator_down' }],
    ['facilitator unavailable', 503, '', { kind: 'unknown', why: 'facilitator_down' }],
    ['a yes without a hash', 200, { status: 'registered' }, { kind: 'unknown', why: 'unclear_response' }],
    ['a page', 200, '<html>', { kind: 'unknown', why: 'unclear_response' }],
    ['a no with a hash', 402, { error: 'x', txHash: HASH }, { kind: 'unknown', why: 'unclear_response' }],
    ['a status of no meaning', 429, '', { kind: 'unknown', why: 'unclear_response' }],
    ...[400, 401, 403, 409].map((status): (typeof data)[number] => [
      ...([`a page of a proxy, which is no word of the registrar, ${status}`, status, '<html>'] as const),
      { kind: 'unknown', why: 'unclear_response' },
    ]),
  ];
  for (const [what, status, reply, response] of data) {
    it(`is read correctly: ${what}`, async () => {
      post().reply(status, reply);

      expect(await pay(true)).to.deep.equal(response);
    });
  }

  const rejected: [number, object, string][] = [
    [400, { error: 'Invalid tier' }, 'refused_for_form'],
    [401, { error: 'Missing' }, 'wallet_unproven'],
    [402, { ...required, error: 'insufficient_funds' }, 'insufficient_funds'],
    [402, { error: 'Sorry, no.' }, 'payment_refused'],
    [403, { error: 'x', code: 'REGISTRATION_PAID_CAP' }, 'cap_reached'],
    [403, { error: 'x', code: 'REGISTRATION_FREE_CAP' }, 'cap_reached'],
    [403, { error: 'Signer must match hlAddress' }, 'wallet_unproven'],
    [409, { error: 'This HL address is already registered with this miner.' }, 'already_registered'],
    [409, { error: 'A registration for this HL address is already being processed.' }, 'registration_pending'],
    [409, { error: 'This transaction has already been used for a registration.' }, 'payment_reused'],
  ];
  for (const [status, reply, slug] of rejected) {
    it(`may reject a first request, which proves nothing on a repeat: ${status} ${slug}`, async () => {
      post().twice().reply(status, reply);

      expect(await pay(true)).to.include({ kind: 'rejected', slug });
      expect(await pay(false)).to.deep.equal({ kind: 'unknown', why: 'rejected_on_repeat' });
    });
  }

  it('may have acted when it breaks off', async () => {
    post().replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));

    expect((await pay(true)).kind).to.equal('unknown');
  });

  it('has not acted when it does not exist', async () => {
    const absent = registrar({
      url: 'http://127.0.0.1:9',
      chainUrl: 'http://127.0.0.1:9',
      network: 'eip155:1',
      asset: ASSET,
    });
    nock.enableNetConnect('127.0.0.1');

    const response = await absent.pay(body, await signed(), { firstSend: true, proof: null });

    expect(response).to.include({ kind: 'unreachable' });
    nock.disableNetConnect();
  });

  for (const text of ['', '0x', 'f'.repeat(63), `0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, 'g'.repeat(64)]) {
    it(`rejects ${text.slice(0, 12) || 'nothing'} as a payer key`, () => {
      expect(upstream.payerOf(text)).to.equal(null);
    });
  }
});

const signed = (): Promise<SignedPayment> => payer.authorize(quote, terms, times);
const pay = async (firstSend: boolean) => upstream.pay(body, await signed(), { firstSend, proof: null });

const sha256 = async (text: string) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('hex');

async function signerOf({
  signature,
  authorization,
}: {
  signature: `0x${string}`;
  authorization: Record<string, string>;
}) {
  const address = await recoverTypedDataAddress({
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: ASSET },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: authorization as never, // as: texts of numbers serve as numbers
    signature,
  });
  return address.toLowerCase();
}
