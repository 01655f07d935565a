import { type IntentDatabase, type Item, item } from './intent-database.ts';

/** A purchase of a registration for an address that pays for itself, as `accept_registrations` takes it. */
export const purchaseOf = (address: string, more: object = {}): Item =>
  item({
    ...{ kind: 'registration/purchase', lane: `registrar:${address}`, ex_address: address, miner_slug: 'vanta' },
    ...{ account_size: 25_000, payer: address, sealed: 'c0ffee' },
    ...more,
  });

/** Accepts a purchase. Returns the verdict. */
export async function acceptPurchase(intentDb: IntentDatabase, purchase: Item): Promise<string | undefined> {
  const batch = JSON.stringify([{ ...purchase, n: 0 }]);
  const [row] = await intentDb.query<{ verdict: string }>('select verdict from accept_registrations($1)', [batch]);
  return row?.verdict;
}
