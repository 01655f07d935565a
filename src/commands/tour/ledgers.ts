import { ask } from './ask.ts';

/** One entry of a sandbox ledger, with the members that the tour reads. */
export type LedgerEntry = {
  kind: string;
  key: string;
  pair?: string;
  subaccount_id?: number;
  detail: Record<string, unknown>;
};

/** Returns a function for the entries that all ledgers have gained since its last call. The first call happens here. */
export async function openLedgers(addresses: string[]): Promise<() => Promise<LedgerEntry[]>> {
  const readUpTo = new Map<string, number>();
  const readNew = async (address: string): Promise<LedgerEntry[]> => {
    const after = readUpTo.get(address) ?? 0;
    const entries = (await (await ask(`${address}?after=${after}`)).json()) as LedgerEntry[];
    readUpTo.set(address, after + entries.length);
    return entries;
  };
  const readAll = async () => (await Promise.all(addresses.map(readNew))).flat();
  await readAll();
  return readAll;
}
