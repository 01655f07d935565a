import { executedBy } from './evidence.ts';
import { protectionShown } from './protection.ts';
import { carriesExits, type Terms } from './rules.ts';
import { findShown, type Records } from './shown.ts';
import type { Noted } from './store.ts';

/** What the records show of an order that rested; null if they do not show it. */
export function notedOf(records: Records, handle: string, terms: Terms): Noted | null {
  const shown = findShown(records, handle);
  if (!shown) return null;
  const { lifecycle, name, order } = shown;
  const isFilled = lifecycle === 'filled';
  return {
    lifecycle,
    handle: name,
    executed: isFilled && order ? executedBy(order) : null,
    protection: isFilled && carriesExits(terms) ? protectionShown(terms, shown, records, null) : null,
  };
}
