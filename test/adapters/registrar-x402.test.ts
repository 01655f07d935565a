import { decodePaymentSignatureHeader, encodePaymentRequiredHeader } from '@x402/core/http';
import { validatePaymentPayload } from '@x402/core/schemas';
import { x402ResourceServer } from '@x402/core/server';
import type { PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { expect } from 'chai';
import nock from 'nock';
import { verifyTypedData } from 'viem';
import { registrar } from '../../src/adapters/registrar/index.ts';
import { validBefore } from '../../src/capabilities/registration/rules.ts';
import { alone } from '../support/alone.ts';

const BASE = 'http://registrar.test';
const ASSET = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const NETWORK = 'eip155:8453';
const upstream = registrar({ url: BASE, chainUrl: 'http://chain.test', network: NETWORK, asset: ASSET });
const payer = upstream.payerOf(`0x${'11'.repeat(32)}`);

/** Payment terms with members of later versions of the protocol, at every level. */
const quoted = {
  scheme: 'exact',
  network: NETWORK,
  amount: '119000000',
  asset: ASSET,
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 300,
  extra: {
    name: 'USD Coin',
    version: '2',
    assetTransferMethod: 'eip3009',
    chainId: 1, // not the domain's: the network is
    salt: `0x${'22'.repeat(32)}`, // not the domain's either
    facilitator: { id: 'cdp', regions: ['eu'] },
  },
  quoteId: 'q_1',
} satisfies PaymentRequirements & { quoteId: string };
const resource = { url: `${BASE}/api/register`, description: 'Registration', mimeType: 'application/json' };
const extensions = { bazaar: { info: { input: 1 } } };

/** The published facilitator. Of the chain it sees a token contract that accepts the transfer. */
const facilitator = new ExactEvmScheme({
  getAddresses: () => [],
  readContract: async () => undefined,
  verifyTypedData: (args) => verifyTypedData(args as Parameters<typeof verifyTypedData>[0]), // as: the library's looser type
  writeContract: async () => '0x',
  sendTransaction: async () => '0x',
  waitForTransactionReceipt: async () => ({ status: 'success' }),
  getCode: async ({ address }) => (address.toLowerCase() === ASSET.toLowerCase() ? '0x60' : undefined),
});

describe('a payment to the registrar, checked with the published x402 library', () => {
  alone();

  /** What the registrar receives for these terms. */
  async function paid(offered: object) {
    const required = { x402Version: 2, resource, accepts: [offered], extensions };
    const header = encodePaymentRequiredHeader(required as Parameters<typeof encodePaymentRequiredHeader>[0]); // as: some are no offers
    nock(BASE).post('/api/register').reply(402, {}, { 'PAYMENT-REQUIRED': header });
    const quote = await upstream.quote('{}');
    const terms = quote.kind === 'accepted' ? quote.data.accepts[0] : undefined;
    if (quote.kind !== 'accepted' || !terms || !payer) return null;
    const validBeforeS = validBefore(Date.now(), terms, 300);
    const signed = await payer.authorize(quote.data, terms, { nonce: `0x${'ab'.repeat(32)}`, validBeforeS });
    return decodePaymentSignatureHeader(signed.header);
  }

  it('is valid for whole seconds, no longer than terms that name a fraction', async () => {
    const offered = { ...quoted, maxTimeoutSeconds: 59.5 };
    const payload = await paid(offered);

    expect(payload)
      .to.have.nested.property('payload.authorization.validBefore')
      .that.matches(/^\d+$/)
      .and.satisfies((until: string) => Math.abs(Number(until) - Date.now() / 1000 - 55) < 5);
    expect(validatePaymentPayload(payload)).to.include({ x402Version: 2 });
    expect(payload && (await facilitator.verify(payload, offered))).to.include({ isValid: true });
  });

  it('is a valid payload that names the terms whole, unknown members too', async () => {
    const payload = await paid(quoted);

    expect(validatePaymentPayload(payload)).to.include({ x402Version: 2 });
    expect(payload?.accepted).to.deep.equal(quoted);
    expect(payload).to.deep.include({ resource, extensions });
    const server = new x402ResourceServer();
    expect(payload && server.findMatchingRequirements([quoted], payload)).to.equal(quoted);
  });

  it('carries a signature that the published facilitator accepts', async () => {
    const payload = await paid(quoted);

    expect(payload && (await facilitator.verify(payload, quoted))).to.include({
      isValid: true,
      payer: payload?.payload && payerIn(payload.payload),
    });
  });

  it('is not made by another method of transfer than the one that is signed', async () => {
    expect(await paid({ ...quoted, extra: { ...quoted.extra, assetTransferMethod: 'permit2' } })).to.equal(null);
  });
});

const payerIn = (payload: Record<string, unknown>) => Object(payload.authorization).from;
