import { createHash } from 'node:crypto';
import type { PrivateKeyAccount } from 'viem/accounts';
import { parseAbiParameters } from 'viem/utils';
import { accountOf } from '../../kernel/evm-key.ts';
import { encodeHeader } from './headers.ts';
import type { Authorization, Payer, PaymentTerms, Quote, SignedPayment, WalletProof } from './types.ts';

/** The signed path: the registrar's only route that accepts payments. */
export const REGISTER_PATH = '/api/register';

/** Creates a payer that does not expose its key. Null if the text is not a private key. */
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

/** EIP-3009, typehash of transferWithAuthorization. */
const TRANSFER = {
  TransferWithAuthorization: parseAbiParameters(
    'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce',
  ),
};

/** Signs the `exact` scheme on an EVM chain (x402 v2, sections 5.2 and 6.1). No library allows choosing the nonce. */
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
  const { name, version } = terms.extra; // its other members are no part of the domain
  const signature = await account.signTypedData({
    domain: { name, version, chainId: chainIdOf(terms.network), verifyingContract: hexOf(terms.asset) },
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
  const echoed = {
    ...(quote.resource && { resource: quote.resource }),
    ...(quote.extensions && { extensions: quote.extensions }),
  };
  return { authorization, header: encodeHeader({ x402Version: 2, ...echoed, accepted: terms, payload }) };
}

/**
 * Wallet-ownership headers: EIP-191 over path, nonce and the body's SHA-256. See venues/registrar.md#ownership-of-the-wallet.
 */
async function prove(account: PrivateKeyAccount, body: string, nonce: string): Promise<WalletProof> {
  const hash = createHash('sha256').update(body).digest('hex');
  const signature = await account.signMessage({ message: `${REGISTER_PATH}:${nonce}:${hash}` });
  return { wallet: account.address, signature, nonce };
}

/** The chain id from a CAIP-2 name. */
export const chainIdOf = (network: string): number => Number(network.replace(/^eip155:/, ''));

/** Lower case: the library treats mixed case as a checksum. */
const hexOf = (text: string): `0x${string}` => `0x${text.slice(2).toLowerCase()}`;
