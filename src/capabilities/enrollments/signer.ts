import type { WalletAddress } from '../../kernel/ids.ts';
import { epochMs } from '../../kernel/work.ts';
import type { Agent, Exvenue } from '../../venues/exchange/adapter/types.ts';

/**
 * Whether a key may sign for a wallet. `validUntilMs` (epoch ms): when its agent ends, null without an end. `agent_of`: the
 * wallet itself is an agent's address, and `master` is the account that it trades for. `unknown`: the exchange cannot be read.
 */
export type SignerCheck =
  | { kind: 'confirmed'; validUntilMs: number | null }
  | { kind: 'agent_of'; master: WalletAddress }
  | { kind: 'rejected' }
  | { kind: 'unknown' };

/** The limits of the reads. */
type Limits = NonNullable<Parameters<Exvenue['role']>[1]>;

const UNKNOWN = { kind: 'unknown' } as const;

/**
 * Checks a key: the wallet's key may sign, unless the wallet is an agent, and so may an agent that the exchange lists for
 * the wallet or reports as its key without a name.
 */
export async function checkSigner(
  exvenue: Exvenue,
  exWallet: WalletAddress,
  signer: WalletAddress,
  limits: Limits = {},
): Promise<SignerCheck> {
  const agent = signer === exWallet ? null : await findAgent(exvenue, { exWallet, signer }, limits);
  if (agent === 'unreadable') return UNKNOWN;
  if (agent) return { kind: 'confirmed', validUntilMs: agent.validUntilMs };
  const role = await exvenue.role(exWallet, limits);
  if (role.kind !== 'found') return UNKNOWN;
  if (role.data.kind === 'agent') return { kind: 'agent_of', master: role.data.master };
  return signer === exWallet ? { kind: 'confirmed', validUntilMs: null } : { kind: 'rejected' };
}

/** The agent of a wallet with this address; null if it may not trade for the wallet. */
async function findAgent(
  exvenue: Exvenue,
  { exWallet, signer }: { exWallet: WalletAddress; signer: WalletAddress },
  limits: Limits,
): Promise<Agent | 'unreadable' | null> {
  const agents = await exvenue.agents(exWallet, limits);
  if (agents.kind === 'unreadable') return 'unreadable';
  const named = agents.kind === 'found' ? agents.data : [];
  const known = named.find((agent) => mayTrade(agent, signer));
  if (known) return known;
  const unnamed = await exvenue.unnamedAgent(exWallet, limits);
  if (unnamed.kind === 'unreadable') return 'unreadable';
  return unnamed.kind === 'found' && mayTrade(unnamed.data, signer) ? unnamed.data : null;
}

const mayTrade = ({ address, validUntilMs }: Agent, signer: WalletAddress): boolean =>
  address === signer && (validUntilMs === null || validUntilMs > epochMs());
