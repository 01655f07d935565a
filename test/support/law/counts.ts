import { sql } from 'slonik';
import { z } from 'zod';
import type { Entry } from '../../../src/sandbox/ledger.ts';
import type { Trading } from '../trading.ts';

/** Counts something that happened, beside any response. */
export type Count = () => Promise<number>;

/** What scenes count: rows of this service, and what the other side took, by its own ledger. */
export function countsOf(service: () => Trading) {
  const taken = (entries: () => readonly Entry[], kinds: string[], of?: (entry: Entry) => boolean) => async () =>
    entries().filter((entry) => (kinds.length === 0 || kinds.includes(entry.kind)) && (of?.(entry) ?? true)).length;
  return {
    /** Rows of a table, or of a table and a condition. */
    rows:
      (from: string): Count =>
      () =>
        service().db.oneFirst({
          ...sql.type(z.object({ count: z.number() }))``,
          sql: `select count(*)::integer as count from ${from}`,
          values: [],
        }),
    /** What the network did for its accounts. */
    atNetwork: (...kinds: string[]): Count =>
      taken(() => service().miner.ledger.entries(), kinds.length > 0 ? kinds : ['market', 'limit']),
    /** Orders that the exchange placed. */
    atExchange: (...kinds: string[]): Count =>
      taken(() => service().exchange.ledger.entries(), kinds.length > 0 ? kinds : ['placed']),
    /** What the processor made. */
    atProcessor: (kind: string, of?: (entry: Entry) => boolean): Count =>
      taken(() => service().processor.ledger.entries(), [kind], of),
    /** Mails to an address. */
    mailsTo:
      (address: string): Count =>
      async () =>
        service().mailbox.mails(address).length,
  };
}
