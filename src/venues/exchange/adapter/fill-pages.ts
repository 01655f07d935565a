import type { WalletAddress } from '../../../kernel/ids.ts';
import { found, type ReadResult } from '../../../kernel/upstream-result.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { CallLimits } from './action-types.ts';
import { ROWS_PER_PAGE, readFills } from './fills.ts';
import type { Sources } from './shared-read.ts';
import type { Fill } from './types.ts';

/** One page of a user's executions, oldest first. `isNext`: it follows a full one, so it is probably full as well. */
type PageOf = { user: WalletAddress; fromMs: number; toMs: number | undefined; isNext: boolean };

/** Later than the venue's reads may be behind: an older page no longer changes. */
const SETTLED_MS = 10 * 60_000;

/**
 * Reads pages of executions. A full page of the past stays as it is, so it is kept for all processes: a long history is
 * read once, in as many calls as the budget takes, and from then on only its end.
 */
export const fillPages =
  ({ query, responses }: Sources) =>
  async ({ user, fromMs, toMs, isNext }: PageOf, limits?: CallLimits): Promise<ReadResult<Fill[]>> => {
    const name = `userFillsByTime ${user.toLowerCase()} ${fromMs}`;
    const kept = await responses.find(name).catch(() => null);
    const known = kept && readFills(user)(kept.body);
    if (known) return found(known.filter(({ timeMs }) => timeMs <= (toMs ?? Number.POSITIVE_INFINITY)));
    const body = {
      type: 'userFillsByTime',
      user: user.toLowerCase(),
      startTime: fromMs,
      ...(toMs !== undefined && { endTime: toMs }),
    };
    const request = { body, costsRows: true, ...(isNext && { expectRows: ROWS_PER_PAGE }) };
    return query(request, limits, (json) => {
      const fills = readFills(user)(json);
      if (fills && isSettled(fills)) void responses.keep(name, json).catch(() => {}); // it is read again then
      return fills && found(fills);
    });
  };

const isSettled = (fills: Fill[]): boolean =>
  fills.length >= ROWS_PER_PAGE && fills.every(({ timeMs }) => timeMs < epochMs() - SETTLED_MS);
