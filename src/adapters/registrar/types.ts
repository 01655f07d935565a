import type { Answer, Lookup } from '../../kernel/answer.ts';

/** Where the registrar lives, and the chain it is paid on: a JSON-RPC address, a CAIP-2 name and the token's contract. */
export type RegistrarAccess = { url: string; chainUrl: string; network: string; asset: string };

/** `notAfter` (epoch ms): past it nothing is sent any more and the answer is `unreachable`. */
export type CallLimits = { timeoutMs?: number; signal?: AbortSignal; notAfter?: number };

/** An account a miner sells. `index` is its place in the catalogue, which the registrar wants back. */
export type Tier = { index: number; accountSize: number; priceUsdc: string };

/** What a registration asks for. Addresses in lower case. */
export type Registering = {
  minerSlug: string;
  exAddress: string;
  accountSize: number;
  email: string;
  tierIndex: number;
  payoutAddress?: string;
};

/** One way to pay (x402 v2, section 5.1.2). `amount` in the token's smallest units; `extra` names its EIP-712 domain. */
export type PaymentTerms = {
  scheme: string;
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: { name: string; version: string };
};

/** What the registrar wants to be paid, and for what; `resource` goes back as it came. */
export type Quote = { accepts: PaymentTerms[]; resource: Record<string, unknown> | null };

/** EIP-3009: moves `value` once, between two times (epoch seconds); the token takes a payer's nonce (32 bytes) once. */
export type Authorization = {
  from: string;
  to: string;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: string;
};

/** An authorization as it goes out: `header` is the text of PAYMENT-SIGNATURE. */
export type SignedPayment = { authorization: Authorization; header: string };

/** Proof of holding a wallet for one exact body. `nonce` (epoch ms) is taken once, within five minutes of its time. */
export type WalletProof = { wallet: string; signature: string; nonce: string };

/** A key of the payment chain that signs, and nothing that tells it. `address` in lower case. */
export type Payer = {
  address: string;
  authorize(quote: Quote, terms: PaymentTerms, times: { nonce: string; validBeforeS: number }): Promise<SignedPayment>;
  /** Signs for the wallet of this key that it posts this body. */
  prove(body: string, nonceMs: number): Promise<WalletProof>;
};

/** A paid registration. `unrecorded`: the registrar says that it was paid and could not write it down. */
export type Registered = { status: 'registered' | 'pending' | 'unrecorded'; txHash: string; message: string | null };

/** `firstSend`: these bytes never went out before. On a repeat only a yes proves anything. */
type Paying = CallLimits & { firstSend: boolean; proof: WalletProof | null };

/** The registrar's word on an address, as it comes. */
export type RegistrationView = { status: string; message: string | null; estimatedTime: string | null };

/** The chain's newest block and its time (epoch seconds). */
export type Head = { block: number; atS: number };

/**
 * What the chain says of an authorization at `atS` (epoch seconds). `txHash` only where that transaction moved exactly its amount
 * between its two parties; `used` without one: the node does not show the transaction yet.
 */
export type PaymentOnChain = { atS: number; used: boolean; canceled: boolean; txHash: string | null };

/** The registrar and the chain it is paid on. */
export type Registrar = {
  network: string;
  asset: string;
  /** Null where the text is no private key (32 bytes in hex, `0x` optional). The key is never shown again. */
  payerOf(privateKey: string): Payer | null;
  /** The exact body of a registration: the same text is quoted, signed and paid for. */
  bodyOf(asked: Registering): string;
  /** The accounts of a miner in the catalogue's order; `absent` for an unknown miner. */
  tiers(minerSlug: string, limits?: CallLimits): Promise<Lookup<Tier[]>>;
  /** Asks what this registration costs; nothing is done yet. */
  quote(body: string, limits?: CallLimits): Promise<Answer<Quote>>;
  /** Posts exactly this body with this payment, once. */
  pay(body: string, payment: SignedPayment, how: Paying): Promise<Answer<Registered>>;
  /** `absent`: the registrar knows no such address, which proves little while a registration is young. */
  status(exAddress: string, limits?: CallLimits): Promise<Lookup<RegistrationView>>;
  head(limits?: CallLimits): Promise<Lookup<Head>>;
  /** What an address holds of the token, in its smallest units. */
  balanceOf(address: string, limits?: CallLimits): Promise<Lookup<string>>;
  /** What became of an authorization that was signed when the chain was at `sinceBlock`. */
  payment(authorization: Authorization, sinceBlock: number, limits?: CallLimits): Promise<Lookup<PaymentOnChain>>;
};
