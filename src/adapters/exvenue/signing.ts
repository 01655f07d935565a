import { signL1Action } from '@nktkas/hyperliquid/signing';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Network, Signer } from './types.ts';
import { type WireAction, wireAction } from './wire.ts';

/** What is signed beside the action. Times and nonce in epoch milliseconds. */
export type Terms = { nonce: number; network: Network; expiresAfterMs?: number; vaultAddress?: string };

/**
 * The exact JSON text to post for an action. Venue facts: signing of L1 actions; the hash covers the action's members in
 * their order, the nonce, the vault and the expiry, and the network by a letter.
 */
export const signedBody = async (action: WireAction, account: PrivateKeyAccount, terms: Terms): Promise<string> => {
  const { nonce, network } = terms;
  const optional = optionalTerms(terms);
  const signature = await signL1Action({
    wallet: account,
    action,
    nonce,
    isTestnet: network === 'testnet',
    ...optional,
  });
  return JSON.stringify({ action, nonce, signature, ...optional });
};

/** A signer that keeps its key to itself; null where the text is no private key. */
export const signerOf = (privateKey: string, network: Network): Signer | null => {
  const account = accountOf(privateKey);
  return (
    account && {
      address: account.address.toLowerCase(),
      sign: (action, terms) => signedBody(wireAction(action), account, { ...terms, network }),
    }
  );
};

const KEY = /^(0x)?[0-9a-f]{64}$/i;

/** Errors of the library may quote the key, so none of them gets out of here. */
const accountOf = (privateKey: string): PrivateKeyAccount | null => {
  if (!KEY.test(privateKey)) return null;
  try {
    return privateKeyToAccount(`0x${privateKey.slice(-64)}`);
  } catch {
    return null; // zero, or not below the order of the curve
  }
};

const optionalTerms = ({ vaultAddress, expiresAfterMs }: Terms) => ({
  ...(vaultAddress !== undefined && { vaultAddress: hexOf(vaultAddress) }),
  ...(expiresAfterMs !== undefined && { expiresAfter: expiresAfterMs }),
});

const hexOf = (address: string): `0x${string}` => `0x${address.slice(2).toLowerCase()}`;
