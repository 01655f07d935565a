import type { WalletAddress } from '../../kernel/ids.ts';
import { epochMs } from '../../kernel/work.ts';
import type { Agent, Exvenue } from '../../venues/exchange/adapter/types.ts';

/**
 * Whether a key may sign for a wallet: the wallet's key may, and so may an agent that the exchange lists for it
 * or reports as its key without a name. `unknown` if the exchange cannot be read.
 */
export async function checkSigner(
  exvenue: Exvenue,
  exWallet: WalletAddress,
  signer: WalletAddress,
): Promise<'confirmed' | 'rejected' | 'unknown'> {
  if (signer === exWallet) return 'confirmed';
  const agents = await exvenue.agents(exWallet);
  if (agents.kind === 'unreadable') return 'unknown';
  const named = agents.kind === 'found' ? agents.data : [];
  if (mayTrade(named, signer)) return 'confirmed';
  const unnamed = await exvenue.unnamedAgent(exWallet);
  if (unnamed.kind === 'unreadable') return 'unknown';
  return unnamed.kind === 'found' && mayTrade([unnamed.data], signer) ? 'confirmed' : 'rejected';
}

const mayTrade = (agents: Agent[], signer: WalletAddress): boolean =>
  agents.some(({ address, validUntilMs }) => address === signer && (validUntilMs === null || validUntilMs > epochMs()));
