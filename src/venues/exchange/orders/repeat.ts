import { type UpstreamResult, unreachable } from '../../../kernel/upstream-result.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Posted } from '../adapter/action-types.ts';
import type { Signed } from '../signing/sign.ts';
import type { ExchangeDeps } from './calls.ts';

/** A repeat without a response is given up after this: the next look-up repeats the body again. */
const REPEAT_WITHIN_MS = 2_000;

/** Whether the venue would still execute the bodies. */
export const isValid = ({ expires_at_ms }: Signed): boolean => epochMs() < expires_at_ms;

/**
 * Posts a signed body once more, the same bytes: the venue executes a nonce once, so it acts only if the body has never arrived. A
 * result `accepted` or `rejected` says that it was executed now; after any other it may have been executed before. Only for what may
 * act late: exits that are still wanted, and cancellations.
 */
export const repeat = async (
  { exvenue }: Pick<ExchangeDeps, 'exvenue'>,
  signed: Signed,
  { body }: Signed['posts'][number],
): Promise<UpstreamResult<Posted>> =>
  isValid(signed)
    ? exvenue.post(body, { timeoutMs: REPEAT_WITHIN_MS, firstSend: false, account: signed.account })
    : unreachable('EXPIRED');
