import type { ErrorCode } from './error-codes.ts';
import { ApiError } from './errors.ts';

/** The names on routes of v2 of the codes that both generations have in common. */
const OF_V2: Partial<Record<ErrorCode, ErrorCode>> = {
  V1_TRADER_UNKNOWN: 'V2_TRADER_UNKNOWN',
  V1_TRADER_NOT_READY: 'V2_TRADER_NOT_READY',
  V1_ORDER_UNKNOWN: 'V2_ORDER_UNKNOWN',
  V1_ORDER_UUID_REUSED: 'V2_ORDER_UUID_REUSED',
  V1_ORDER_NOT_RESTING: 'V2_ORDER_NOT_RESTING',
  V1_ORDER_IN_DOUBT: 'V2_ORDER_IN_DOUBT',
  V1_EDIT_INVALID: 'V2_EDIT_INVALID',
  V1_PRICES_INVALID: 'V2_PRICES_INVALID',
  V1_TRADE_PAIR_MISMATCH: 'V2_TRADE_PAIR_MISMATCH',
  V1_RULE_VIOLATED: 'V2_RULE_VIOLATED',
  V1_NO_POSITION: 'V2_NO_POSITION',
  V1_WEBHOOK_UNKNOWN_EVENT: 'V2_WEBHOOK_UNKNOWN_EVENT',
  V1_WEBHOOK_URL_FORBIDDEN: 'V2_WEBHOOK_URL_FORBIDDEN',
  V1_WEBHOOK_ENDPOINT_UNKNOWN: 'V2_WEBHOOK_ENDPOINT_UNKNOWN',
  V1_WEBHOOK_DELIVERY_UNKNOWN: 'V2_WEBHOOK_DELIVERY_UNKNOWN',
  V1_WEBHOOK_INACTIVE: 'V2_WEBHOOK_INACTIVE',
  V1_WEBHOOK_TOO_MANY: 'V2_WEBHOOK_TOO_MANY',
  V1_WEBHOOK_RECOVERY_PAUSED: 'V2_WEBHOOK_RECOVERY_PAUSED',
  V1_EVENT_UNKNOWN: 'V2_EVENT_UNKNOWN',
  V1_STREAM_LIMIT: 'V2_STREAM_LIMIT',
  V1_STREAM_TICKET_INVALID: 'V2_STREAM_TICKET_INVALID',
};

/** The code of an error on a route of v2: `V2_…` or a general one. */
export const codeOfV2 = (code: ErrorCode): ErrorCode => OF_V2[code] ?? code;

/** An error with its code of v2; unchanged if it has no other there. */
export const errorOfV2 = (apiError: ApiError): ApiError => {
  const code = codeOfV2(apiError.code);
  return code === apiError.code ? apiError : new ApiError(code, apiError.details);
};
