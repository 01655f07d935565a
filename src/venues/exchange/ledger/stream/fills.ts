import type { WalletAddress } from '../../../../kernel/ids.ts';
import type { Fill } from '../../adapter/types.ts';
import { nameExits } from '../exits.ts';
import type { LedgerDeps } from '../read-orders.ts';
import { readSoon, recordStreamed } from '../store.ts';
import { linksOf, nameOf } from './links.ts';
import { findLedgerEnd } from './queries.ts';

/** Executions that were streamed and are not recorded yet. */
type StreamedFills = {
  take(wallet: WalletAddress, fills: readonly Fill[]): void;
  /** The wallets with executions to record. */
  wallets(): WalletAddress[];
  /** Records the executions of a wallet that continue the recorded ones. Resolves to whether any were recorded. */
  record(wallet: WalletAddress): Promise<boolean>;
  /** Forgets those that are not recorded: they are read. */
  clear(): void;
};

/** For how long executions wait for those before them. After that the wallet is read, which shows all. */
const LATE_MS = 1_000;

type Waiting = Map<string, { fill: Fill; sinceMs: number }>;

/** Collects executions, each once, until they can be recorded. */
export function streamedFills({ db }: Pick<LedgerDeps, 'db'>): StreamedFills {
  const all = new Map<WalletAddress, Waiting>();

  async function record(wallet: WalletAddress): Promise<boolean> {
    const waiting = all.get(wallet);
    if (!waiting) return false;
    const taken = [...waiting.values()];
    const end = await findLedgerEnd(db, wallet);
    const links =
      end &&
      linksOf(
        taken.map(({ fill }) => fill),
        end,
      );
    if (links && links.next.length > 0) await recordStreamed(db, wallet, await nameExits(db, wallet, links.next), []);
    const late = performance.now() - LATE_MS;
    const left = taken.filter(({ fill, sinceMs }) => links?.waiting.includes(fill) && sinceMs > late);
    for (const { fill } of taken) waiting.delete(nameOf(fill));
    for (const one of left) waiting.set(nameOf(one.fill), one);
    if (waiting.size === 0) all.delete(wallet);
    if (!links || left.length < links.waiting.length) await readSoon(db, wallet);
    return links !== null && links.next.length > 0;
  }

  return {
    take(wallet, fills) {
      const waiting = all.get(wallet) ?? new Map();
      for (const fill of fills) {
        const name = nameOf(fill);
        if (fill.tradeId !== null && !waiting.has(name)) waiting.set(name, { fill, sinceMs: performance.now() });
      }
      if (waiting.size > 0) all.set(wallet, waiting);
    },
    wallets: () => [...all.keys()],
    record,
    clear: () => all.clear(),
  };
}
