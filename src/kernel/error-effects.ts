import type { ErrorCode } from './error-codes.ts';

const OPENED = '`done` if the payout account was opened without its link';
const EDITED = '`none`; `unknown` of an edit, if the order ended without a record of its terms';

/** The effects of the write that an error can report, where they are not `none` alone. */
export const effects: Partial<Record<ErrorCode, string>> = {
  INTERNAL: '`none` or `unknown`',
  SERVICE_UNAVAILABLE: '`none` or `unknown`',
  RATE_LIMITED:
    '`none`; `unknown` of an order under an id or key of yours: an earlier request under it may be on its way',
  V1_ORDER_NOT_RESTING: EDITED,
  V2_ORDER_NOT_RESTING: EDITED,
  SUBACCOUNT_AMBIGUOUS: '`unknown`',
  PROCESSOR_SILENT: `\`unknown\`; ${OPENED}`,
  DEADLINE_PASSED: `\`none\`; ${OPENED}`,
  PROCESSOR_UNREACHABLE: `\`none\`; ${OPENED}`,
  PROCESSOR_REJECTED: `\`none\`; ${OPENED}`,
  PROCESSOR_AUTH: `\`none\`; ${OPENED}`,
  V2_CONNECT_URLS_NOT_CONFIGURED: `\`none\`; ${OPENED}`,
  V2_SESSION_INVALID: `\`none\`; ${OPENED}`,
  V2_CONNECT_ACCOUNT_UNKNOWN: '`none`; `done` if the request opened an account, which has been detached since',
};
