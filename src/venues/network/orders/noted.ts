import { executedBy } from './evidence.ts';
import { protectionShown } from './protection.ts';
import { carriesExits, type Terms } from './rules.ts';
import { findProven, isShown, type Records } from './shown.ts';
import type { Noted } from './store.ts';

/** What the records prove of an order that rested; null if they do not show it, or if a record is missing that could. */
export function notedOf(records: Records, handle: string, terms: Terms): Noted | null {
  const shown = findProven(records, handle);
  if (!isShown(shown)) return null;
  const { lifecycle, name, order } = shown;
  if (lifecycle !== 'filled' || !carriesExits(terms))
    return {
      lifecycle,
      handle: name,
      executed: lifecycle === 'filled' && order ? executedBy(order) : null,
      protection: null,
    };
  const protection = protectionShown(terms, shown, records, null);
  return protection && { lifecycle, handle: name, executed: order && executedBy(order), protection };
}
