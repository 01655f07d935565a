import { z } from 'zod';
import type { ErrorCode } from '../../../kernel/error-codes.ts';
import { ApiError } from '../../../kernel/errors.ts';

/** The row that the SQL functions of account recovery return. */
export const verdictRow = z.object({ verdict: z.string() });

/** The operator who recovers an account, as `admin:<id>`, and the reason. Both are recorded. */
export type Recovery = { operator: string; reason: string };

const errorCodes: Record<string, ErrorCode> = {
  unknown: 'V2_PROP_ACCOUNT_UNKNOWN',
  not_failed: 'V2_ACCOUNT_NOT_FAILED',
  not_stopped: 'V2_ACCOUNT_NOT_FAILED',
  abandoned: 'V2_ACCOUNT_NOT_FAILED',
  owes: 'V2_ACCOUNT_OWES',
  returned: 'V2_PAYMENT_RETURNED',
  refunding: 'V2_PAYMENT_RETURNED',
  unproven: 'V2_RECOVERY_UNPROVEN',
  open: 'V2_RECOVERY_UNPROVEN',
  taken: 'V2_SUBACCOUNT_INVALID',
};

/** Throws the `ApiError` of a verdict other than `done`, and a plain error for an unknown verdict. */
export function requireDone(verdict: string, codes = errorCodes): void {
  if (verdict === 'done') return;
  const code = codes[verdict];
  throw code ? new ApiError(code, { effect: 'none' }) : new Error(`Unknown verdict ${verdict}`);
}
