import { createHash } from 'node:crypto';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { encodeHeader } from './headers.ts';
import type { Authorization, Payer, PaymentTerms, Quote, SignedPayment, WalletProof } from './types.ts';

/** The path that is signed for: the registrar's one route that takes payments. */
export const REGISTER_PATH = '/api/register';

const KEY = /^(0x)?[0-9a-f]{64}$/i;

/** A payer that keeps its key to itself; null where the text is no private key. */
export const payerOf = (privateKey: string): Payer | null => {
  const account = accountOf(privateKey);
  return (
    account && {
      address: account.address.toLowerCase(),
      authorize: (quote, terms, times) => authorize(account, quote, terms, times),
      prove: (body, nonceMs) => prove(account, body, String(nonceMs)),
    }
  );
};

/** Errors of the library may quote the key, so none of them gets out of here. */
const accountOf = (privateKey: string): PrivateKeyAccount | null => {
  if (!KEY.test(privateKey)) return null;
  try {
    return privateKeyToAccount(`0x${privateKey.slice(-64)}`);
  } catch {
    return null; // zero, or not below the order of the curve
  }
};

/** EIP-3009, typehash of transferWithAuthorization. */
const TRANSFER = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** The exact scheme on an EVM chain (x402 v2, sections 5.2 and 6.1); no library lets the nonce be chosen. */
async function authorize(
  account: PrivateKeyAccount,
  quote: Quote,
  terms: PaymentTerms,
  { nonce, validBeforeS }: { nonce: string; validBeforeS: number },
): Promise<SignedPayment> {
  const authorization: Authorization = {
    from: account.address,
    to: terms.payTo,
    value: terms.amount,
    validAfter: '0',
    validBefore: String(validBeforeS),
    nonce,
  };
  const signature = await account.signTypedData({
    domain: { ...terms.extra, chainId: chainIdOf(terms.network), verifyingContract: hexOf(terms.asset) },
    types: TRANSFER,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: account.address,
      to: hexOf(terms.payTo),
      value: BigInt(terms.amount),
      validAfter: 0n,
      validBefore: BigInt(validBeforeS),
      nonce: hexOf(nonce),
    },
  });
  const payload = { signature, authorization };
  const resource = quote.resource && { resource: quote.resource };
  return { authorization, header: encodeHeader({ x402Version: 2, ...resource, accepted: terms, payload }) };
}

/** Wallet-ownership headers: EIP-191 over path, nonce and the body's SHA-256. Venue facts: purchase, "Break to know". */
async function prove(account: PrivateKeyAccount, body: string, nonce: string): Promise<WalletProof> {
  const hash = createHash('sha256').update(body).digest('hex');
  const signature = await account.signMessage({ message: `${REGISTER_PATH}:${nonce}:${hash}` });
  return { wallet: account.address, signature, nonce };
}

/** The number of a chain named by CAIP-2. */
export const chainIdOf = (network: string): number => Number(network.replace(/^eip155:/, ''));

/** In lower case: the library takes mixed case for a checksum. */
const hexOf = (text: string): `0x${string}` => `0x${text.slice(2).toLowerCase()}`;
