import { signL1Action } from '@nktkas/hyperliquid/signing';
import type { PrivateKeyAccount } from 'viem/accounts';
import { accountOf } from '../../../kernel/evm-key.ts';
import type { Signer } from './action-types.ts';
import type { Network } from './types.ts';
import { type WireAction, wireAction } from './wire.ts';

/** The data signed together with the action. Times and nonce are epoch ms. */
export type Terms = { nonce: number; network: Network; expiresAfterMs?: number; vaultAddress?: string };

/**
 * The exact JSON text to post for an action. See venues/exchange.md#signing. The hash covers the action's members
 * in order, the nonce, the vault and the expiry. A letter stands for the network.
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

/** Creates a signer that does not expose its key. Null if the text is not a private key. */
export const signerOf = (privateKey: string, network: Network): Signer | null => {
  const account = accountOf(privateKey);
  return (
    account && {
      address: account.address.toLowerCase(),
      sign: (action, terms) => signedBody(wireAction(action), account, { ...terms, network }),
    }
  );
};

const optionalTerms = ({ vaultAddress, expiresAfterMs }: Terms) => ({
  ...(vaultAddress !== undefined && { vaultAddress: hexOf(vaultAddress) }),
  ...(expiresAfterMs !== undefined && { expiresAfter: expiresAfterMs }),
});

const hexOf = (address: string): `0x${string}` => `0x${address.slice(2).toLowerCase()}`;
