import type { WalletAddress } from '../../kernel/ids.ts';
import type { ReadResult, UpstreamResult } from '../../kernel/upstream-result.ts';

/**
 * Address of the registrar, and its payment chain: a JSON-RPC URL, a CAIP-2 name and the token's contract. `most`: how many requests
 * may be outstanding at each of the two at once; absent: any number.
 */
export type RegistrarAccess = { url: string; chainUrl: string; network: string; asset: string; most?: number };

/** After `notAfter` (epoch ms) nothing is sent and the result is `unreachable`. */
export type CallLimits = { timeoutMs?: number; signal?: AbortSignal; notAfter?: number };

/** An account that a miner sells. The registrar requires its position in the catalogue, `index`. */
export type Tier = { index: number; accountSize: number; priceUsdc: string };

/** One registration request. Addresses are in lower case. */
export type Registering = {
  minerSlug: string;
  exAddress: WalletAddress;
  accountSize: number;
  email: string;
  tierIndex: number;
  payoutAddress?: string;
};

/**
 * One way to pay (x402 v2, section 5.1.2), as the registrar offers it: with all its members, known here or not, because
 * the payment names the chosen terms unchanged. `amount` is in the token's smallest unit; `extra` names its EIP-712
 * domain.
 */
export type PaymentTerms = {
  scheme: string;
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: { name: string; version: string; [member: string]: unknown };
  [member: string]: unknown;
};

/** The registrar's payment requirements. `resource` and `extensions` must be sent back unchanged. */
export type Quote = {
  accepts: PaymentTerms[];
  resource: Record<string, unknown> | null;
  extensions: Record<string, unknown> | null;
};

/**
 * EIP-3009: moves `value` once, between two times (epoch seconds). The token accepts each nonce (32 bytes) of a payer
 * once.
 */
export type Authorization = {
  from: string;
  to: string;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: string;
};

/** A signed authorization. `header` is the value of the PAYMENT-SIGNATURE header. */
export type SignedPayment = { authorization: Authorization; header: string };

/** Proof of wallet ownership for one exact body. `nonce` (epoch ms) is accepted once, within 5 minutes of its time. */
export type WalletProof = { wallet: WalletAddress; signature: string; nonce: string };

/** A signing key of the payment chain. It never exposes the key. `address` is in lower case. */
export type Payer = {
  address: WalletAddress;
  authorize(quote: Quote, terms: PaymentTerms, times: { nonce: string; validBeforeS: number }): Promise<SignedPayment>;
  /** Signs that the wallet of this key posts this body. */
  prove(body: string, nonceMs: number): Promise<WalletProof>;
};

/** A paid registration. `unrecorded`: the registrar reports the payment but failed to store the registration. */
export type Registered = { status: 'registered' | 'pending' | 'unrecorded'; txHash: string; message: string | null };

/** `firstSend`: these bytes were never sent before. On a repeat only an accepted result proves anything. */
type Paying = CallLimits & { firstSend: boolean; proof: WalletProof | null };

/** The registration status of an address, unchanged from the registrar. */
export type RegistrationView = { status: string; message: string | null; estimatedTime: string | null };

/** The chain's newest block and its time (epoch seconds). */
export type Head = { block: number; atS: number };

/**
 * State of an authorization on the chain at `atS` (epoch seconds). `txHash` is set only if that transaction moved
 * exactly the authorized amount from payer to payee. `used` without `txHash`: the node does not show the transaction
 * yet.
 */
export type PaymentOnChain = { atS: number; used: boolean; canceled: boolean; txHash: string | null };

/** A payment by authorization that the chain shows. Addresses and hashes are in lower case; `units` in the token's smallest unit. */
export type PaymentMade = {
  payer: WalletAddress;
  payee: WalletAddress;
  units: string;
  nonce: string;
  txHash: string;
  block: number;
};

/** The registrar and the chain it is paid on. */
export type Registrar = {
  network: string;
  asset: string;
  /** Null if the text is not a private key (32 bytes in hex, `0x` optional). The key is never exposed. */
  payerOf(privateKey: string): Payer | null;
  /** The exact body of a registration. Quote, signature and payment use the same text. */
  bodyOf(requested: Registering): string;
  /** The tiers of a miner in catalogue order. `absent` for an unknown miner. */
  tiers(minerSlug: string, limits?: CallLimits): Promise<ReadResult<Tier[]>>;
  /** Reads the price of this registration. Has no effect. */
  quote(body: string, limits?: CallLimits): Promise<UpstreamResult<Quote>>;
  /** Posts exactly this body with this payment, once. */
  pay(body: string, payment: SignedPayment, how: Paying): Promise<UpstreamResult<Registered>>;
  /** `absent`: the registrar does not know the address. This proves little shortly after a registration was sent. */
  status(exAddress: WalletAddress, limits?: CallLimits): Promise<ReadResult<RegistrationView>>;
  /** The newest block of the chain. */
  head(limits?: CallLimits): Promise<ReadResult<Head>>;
  /** Token balance of an address, in the token's smallest unit. */
  balanceOf(address: WalletAddress, limits?: CallLimits): Promise<ReadResult<string>>;
  /** State of an authorization that was signed when the chain was at `sinceBlock`. */
  payment(authorization: Authorization, sinceBlock: number, limits?: CallLimits): Promise<ReadResult<PaymentOnChain>>;
  /** All payments by authorization to these payees since then (epoch seconds), of any payer. Reads thousands of blocks: for recovery. */
  paymentsTo(payees: readonly string[], sinceS: number): Promise<ReadResult<PaymentMade[]>>;
};
