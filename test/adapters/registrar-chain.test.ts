import { expect } from 'chai';
import nock from 'nock';
import { registrar } from '../../src/adapters/registrar/index.ts';
import type { Payer, SignedPayment } from '../../src/adapters/registrar/types.ts';
import { scriptedFaults } from '../../src/sandbox/faults.ts';
import { openLedger } from '../../src/sandbox/ledger.ts';
import { openBookChain } from '../../src/sandbox/registrar/book-chain.ts';
import type { PayChain, Payment } from '../../src/sandbox/registrar/chain.ts';
import { startUpstream } from '../../src/sandbox/upstream.ts';
import { startChain } from '../support/chain.ts';

const TO = '0x00000000000000000000000000000000000000fe';
const MILLION = 1_000_000_000_000n;

type Played = PayChain & { url: string; close(): Promise<void> };

/** The real chain, and the book that replaces it where there is no chain. */
const chains: Record<string, () => Promise<Played>> = {
  'a development chain': async () => {
    const chain = await startChain();
    return chain;
  },
  'the book': async () => {
    const token = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: `0x${'c'.repeat(40)}` } as const;
    const book = openBookChain(openLedger('test'), { token, startUnits: MILLION });
    const { url, close } = await startUpstream({}, [book.route], scriptedFaults());
    return { ...book, url: `${url}/chain`, close };
  },
};

for (const [name, open] of Object.entries(chains)) {
  describe(`a payment on ${name}`, () => {
    let chain: Played;
    let upstream: ReturnType<typeof registrar>;
    let payer: Payer;
    let wasMocked: boolean;
    let block: number;
    let nonces = 0;
    before(async () => {
      wasMocked = nock.isActive();
      nock.restore();
      chain = await open();
      upstream = upstreamAt(chain);
      payer = upstream.payerOf('0x'.padEnd(66, '5')) as Payer; // it is a key
      if ('mint' in chain) await (chain.mint as (to: string, units: bigint) => Promise<void>)(payer.address, MILLION);
      const head = await upstream.head();
      block = head.kind === 'found' ? head.data.block : -1;
    });
    after(async () => {
      await chain.close();
      if (wasMocked) nock.activate();
    });

    const upstreamAt = ({ url, token }: Played, network = 'eip155:8453') =>
      registrar({ url: 'http://127.0.0.1:9', chainUrl: url, network, asset: token.verifyingContract });

    const signed = (validForS = 60, amount = '5'): Promise<SignedPayment> => {
      const { name, version, verifyingContract: asset } = chain.token;
      const terms = { scheme: 'exact', network: 'eip155:8453', amount, asset, payTo: TO, maxTimeoutSeconds: 60 };
      const nonce = `0x${String(++nonces).padStart(64, '0')}`;
      const validBeforeS = Math.floor(Date.now() / 1000) + validForS;
      return payer.authorize(
        { accepts: [], resource: null, extensions: null },
        { ...terms, extra: { name, version } },
        { nonce, validBeforeS },
      );
    };
    const settle = ({ header }: SignedPayment) => {
      const { payload } = JSON.parse(Buffer.from(header, 'base64').toString());
      const { value, validAfter, validBefore, ...rest } = payload.authorization;
      const times = { validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) };
      return chain.settle({ ...rest, ...times, value: BigInt(value), signature: payload.signature } as Payment);
    };

    it('is unused before, and found by its hash afterwards', async () => {
      const payment = await signed();
      const before_ = await upstream.payment(payment.authorization, block);

      const settled = await settle(payment);
      const after_ = await upstream.payment(payment.authorization, block);

      expect(before_).to.have.property('data').that.includes({ used: false, canceled: false, txHash: null });
      expect(settled)
        .to.have.property('txHash')
        .that.matches(/^0x[0-9a-f]{64}$/);
      expect(after_)
        .to.have.property('data')
        .that.includes({ used: true, ...settled });
    });

    it('is among all payments to its payee since its time, and not among those to others or later', async () => {
      const head = await upstream.head();
      const sinceS = head.kind === 'found' ? head.data.atS : -1;
      const payment = await signed();
      const settled = await settle(payment);
      const { from, nonce, value } = payment.authorization;

      const [made, toOthers, later] = [
        await upstream.paymentsTo([`0x${'1'.repeat(40)}`, TO.toUpperCase().replace('0X', '0x')], sinceS),
        await upstream.paymentsTo([from], sinceS),
        await upstream.paymentsTo([TO], sinceS + 3_600),
      ];

      const seen = made.kind === 'found' ? made.data.find((each) => each.nonce === nonce) : undefined;
      expect(seen).to.include({ ...settled, payer: from.toLowerCase(), payee: TO, units: value });
      expect([toOthers, later]).to.deep.equal([
        { kind: 'found', data: [] },
        { kind: 'found', data: [] },
      ]);
    });

    it('is accepted once', async () => {
      const payment = await signed();
      const [first, second] = await Promise.all([settle(payment), settle(payment)]);

      expect([first, second].filter((one) => 'txHash' in one)).to.have.length(1);
      expect([first, second].filter((one) => 'rejected' in one)).to.have.length(1);
    });

    it('is rejected when it has expired', async () => {
      expect(await settle(await signed(-10))).to.have.property('rejected');
    });

    it('is rejected when it has the wrong signer or different signed terms', async () => {
      const payment = await signed();
      const { payload } = JSON.parse(Buffer.from(payment.header, 'base64').toString());
      payload.authorization.value = '6';
      const other = { ...payment, header: Buffer.from(JSON.stringify({ payload })).toString('base64') };

      expect(await settle(other)).to.have.property('rejected');
    });

    it('is rejected beyond the balance of the payer', async () => {
      const held = await upstream.balanceOf(payer.address);

      expect(await settle(await signed(60, String(MILLION + 1n)))).to.have.property('rejected');
      expect(held)
        .to.have.property('data')
        .that.matches(/^9{5,}/);
    });

    it('is not found as paid when the amount differs', async () => {
      const payment = await signed();
      await settle(payment);

      const found = await upstream.payment({ ...payment.authorization, value: '4' }, block);

      expect(found).to.have.property('data').that.includes({ used: true, txHash: null });
    });

    it('is not read from a chain with a different chain id', async () => {
      const elsewhere = upstreamAt(chain, 'eip155:1');
      const payment = await signed();

      expect(await elsewhere.head()).to.deep.equal({ kind: 'unreadable', why: 'another chain' });
      expect((await elsewhere.payment(payment.authorization, block)).kind).to.equal('unreadable');
    });

    it('reads the time of the chain', async () => {
      const head = await upstream.head();

      expect(head)
        .to.have.nested.property('data.atS')
        .that.is.closeTo(Date.now() / 1000, 5);
    });
  });
}
