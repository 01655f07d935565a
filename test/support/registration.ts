import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import {
  type RegistrarUpstream,
  type RegistrarUpstreamOptions,
  startRegistrarUpstream,
} from '../../src/sandbox/registrar/index.ts';
import type { Caller, Reply } from './caller.ts';
import { startChain, type TestChain, type Transferred } from './chain.ts';
import { until } from './processes.ts';
import { startService, type TestService } from './service.ts';

export const REGISTER = '/v1/register/exvenue';
/** Settings with which purchases end within seconds, also those whose response is lost. */
export const QUICK_PURCHASES = {
  REGISTRAR_PATIENCE_MS: '700',
  REGISTRATION_DEADLINE_MS: '40000',
  REGISTRATION_VALID_S: '6',
  REGISTRATION_MARGIN_S: '1',
  REGISTRATION_POLL_MS: '200',
  REGISTRATION_GRACE_MS: '2000',
};
export const MILLION = 1_000_000n * 1_000_000n;
const PRICE = 119_000_000n;

/** A caller who registers: a wallet on the exchange and a key that pays, by default the wallet's own. */
export type Buyer = { wallet: string; payer: string; privateKey: `0x${string}` };

/** The service with a registrar that settles on a real chain. */
export type RegistrationService = TestService & {
  chain: TestChain;
  registrar: RegistrarUpstream;
  /** A buyer with money on the chain. */
  buyer(units?: bigint): Promise<Buyer>;
  /** Buys with `more` over the usual body. */
  buy(partner: Caller, buyer: Buyer, more?: object, extra?: Parameters<Caller['post']>[2]): Promise<Reply>;
  /** The status of an address, once it is final or `enough` accepts it. */
  status(partner: Caller, wallet: string, enough?: (body: Reply['body']) => boolean): Promise<Reply['body']>;
  /** The transfers on chain out of this payer's account. */
  paidBy(buyer: Buyer): Promise<Transferred[]>;
  /** The number of sealed keys. */
  keys(): Promise<number>;
};

/** Short times: an authorization is valid for 3 s and the registrar is polled every 100 ms. */
const QUICK = {
  REGISTRAR_PATIENCE_MS: '700',
  REGISTRATION_VALID_S: '3',
  REGISTRATION_MARGIN_S: '0',
  REGISTRATION_POLL_MS: '100',
  REGISTRATION_GRACE_MS: '800',
  REGISTRATION_DEADLINE_MS: '2000',
};

/** Starts the service with a registrar on a development chain. */
export async function startRegistrationService(
  upstream: RegistrarUpstreamOptions = {},
  options: Parameters<typeof startService>[0] = {},
): Promise<RegistrationService> {
  const chain = await startChain();
  const registrar = await startRegistrarUpstream({ chain, miningMs: 300, ...upstream });
  const service = await startService({
    ...options,
    settings: { ...QUICK, ...registrar.settings, ...options.settings },
  });
  const buy: RegistrationService['buy'] = (partner, buyer, more = {}, extra) =>
    partner.post(REGISTER, { ...purchaseBody(buyer), ...more }, extra);
  return {
    ...service,
    chain,
    registrar,
    buy,
    buyer: (units = MILLION) => newBuyer(chain, units),
    async status(partner, wallet, enough = ({ is_terminal }) => is_terminal) {
      return until(`status of ${wallet}`, async () => {
        const { body } = await partner.get(`${REGISTER}/status/${wallet}`);
        return enough(body) ? body : null;
      });
    },
    paidBy: async ({ payer }) => (await chain.transfers()).filter(({ from }) => from.toLowerCase() === payer),
    keys: () => service.db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from registration_keys`),
    async stop() {
      await service.stop();
      await registrar.close();
      await chain.close();
    },
  };
}

/** The body of a purchase. */
export const purchaseBody = ({ wallet, privateKey }: Buyer) => ({
  miner_slug: 'vanta',
  account_size: 25_000,
  ex_wallet: wallet,
  email: 'trader@example.com',
  private_key: privateKey,
});

/** A new wallet that pays for itself. */
export async function newBuyer(chain: TestChain, units: bigint): Promise<Buyer> {
  const privateKey = generatePrivateKey();
  const wallet = privateKeyToAddress(privateKey).toLowerCase();
  await chain.mint(wallet, units);
  return { wallet, payer: wallet, privateKey };
}

/**
 * For a suite: the service and a partner of it; after each test no key may be left. Returns the expectations about a
 * purchase, and the faults to apply.
 */
export function purchasesSuite() {
  const fixture = {} as { service: RegistrationService; partner: Caller }; // as: created before they are used
  before(async () => {
    fixture.service = await startRegistrationService();
    fixture.partner = await fixture.service.partner();
  });
  after(() => fixture.service.stop());
  afterEach('no key is left', async () => {
    expect(await fixture.service.keys()).to.equal(0);
    fixture.service.registrar.faults.clear();
    fixture.service.exchange.faults.clear();
  });

  return {
    fixture,
    /** Lets the registrar fail once at a step of a registration. */
    scriptFault: (step: string, kind: FaultKind, more: object = {}) =>
      fixture.service.registrar.faults.add({ kind, route: `register/${step}`, times: 1, delayMs: 1_000, ...more }),
    /** Expects one transfer of the price, and that the registration names it. */
    async expectPaidOnce(buyer: Buyer, { tx_hash }: { tx_hash: string }): Promise<void> {
      const transfers = await fixture.service.paidBy(buyer);
      expect(transfers.map(({ txHash, to, value }) => ({ txHash, to, value }))).to.deep.equal([
        { txHash: tx_hash, to: fixture.service.registrar.payTo, value: PRICE },
      ]);
    },
    async expectUnpaid(buyer: Buyer, reply: Reply): Promise<void> {
      expect(await fixture.service.paidBy(buyer)).to.be.empty;
      const { body } = await fixture.partner.get(`${REGISTER}/status/${buyer.wallet}`);
      expect(body).to.include({ status: 'failed', tx_hash: null, is_terminal: true, is_success: false });
      expect(body.message).to.equal(reply.body.error.message);
    },
  };
}
