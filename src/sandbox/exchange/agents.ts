import { accountOf, type World } from './world.ts';

/** See venues/exchange.md#agents. */
const LIFE_MS = 90 * 86_400_000;

/**
 * Lets a key trade for a wallet; the same name again takes the place of the earlier key. A time in the past revokes it.
 */
export const approveAgent = (
  world: World,
  wallet: string,
  agent: string,
  name = '',
  validUntil = Date.now() + LIFE_MS,
): void => {
  const account = accountOf(world, wallet.toLowerCase());
  const address = agent.toLowerCase();
  for (const other of [...account.agents.values()].filter((known) => known.name === name)) {
    account.agents.delete(other.address); // still remembered as an agent: its key never trades for itself
  }
  account.agents.set(address, { address, name, validUntil });
  world.masters.set(address, account);
};
