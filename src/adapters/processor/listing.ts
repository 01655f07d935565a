import { z } from 'zod';
import { absent, found, type ReadResult, unreadable } from '../../kernel/upstream-result.ts';
import { id, reading } from './objects.ts';
import { readResultOf } from './responses.ts';

const PAGE_SIZE = 100; // the processor's maximum
const CLOCK_SKEW_S = 300;

/** The parameters of one page of a list. */
export type Paging = { limit: number; starting_after?: string };

/** How a list is read: a page of it, an object of it, and at most how many pages. */
type Listing<Seen> = {
  list: (paging: Paging) => Promise<unknown>;
  read: (object: unknown) => Seen | null;
  mostPages: number;
};

/**
 * The first object of a list, newest first, for which `isIt` holds. An object that `read` cannot read ends the search, and so does one that is
 * listed twice: it would count twice, and a page that comes again has no end. `absent` only if the list was read to its end.
 */
export async function search<Seen>(
  { list, read, mostPages }: Listing<Seen>,
  isIt: (seen: Seen) => boolean,
): Promise<ReadResult<Seen>> {
  const ids = new Set<string>();
  let after: string | null = null;
  for (let n = 0; n < mostPages; n += 1) {
    const page: ReadResult<Page> = await readResultOf(list(pageAfter(after)), readPage);
    if (page.kind !== 'found') return unreadable(page.kind === 'absent' ? 'the list does not exist' : page.why);
    for (const object of page.data.data) {
      if (ids.has(object.id)) return unreadable('an object is listed twice');
      ids.add(object.id);
      const seen = read(object);
      if (seen === null) return unreadable('an entry of the list lacks required fields');
      if (isIt(seen)) return found(seen);
    }
    if (!page.data.has_more) return absent;
    after = page.data.data.at(-1)?.id ?? null;
    if (after === null) return unreadable('an empty page is not the last');
  }
  return unreadable('the list is too long');
}

/** The page of a list behind an object, or its first one. */
export const pageAfter = (after: string | null): Paging => ({
  limit: PAGE_SIZE,
  ...(after !== null && { starting_after: after }),
});

/** All objects of a list, newest first. */
export async function listAll<Seen>(listing: Listing<Seen>): Promise<ReadResult<Seen[]>> {
  const all: Seen[] = [];
  const read = await search(listing, (seen) => {
    all.push(seen);
    return false;
  });
  return read.kind === 'unreadable' ? read : found(all);
}

/** The filter of a list by the time of creation, by the processor's clock. */
export const createdSince = (sinceMs: number) => ({ gte: Math.floor(sinceMs / 1000) - CLOCK_SKEW_S });

const page = z.object({ data: z.array(z.looseObject({ id })), has_more: z.boolean() });
type Page = z.infer<typeof page>;

const readPage = reading(page);
