import type { ErrorCode } from './error-codes.ts';

const CORRECT = 'Correct the request; `fields` lists what is wrong.';
const REPEAT = 'Repeat the request after `Retry-After` with the same `Idempotency-Key`.';
const ID = 'Check the id. An id of somebody else is reported as unknown, too.';
const OPERATOR = 'Do not repeat. An operator decides; read the outcome by `intent_id`.';
const CALL_US = 'Contact the operator of this service, with `request_id`; until then a repeat ends in the same way.';
const READ_FIRST = 'Read the present state, then decide.';
const UUID = 'Use a new UUID for a new order; to repeat an order, send the same request.';
const LOG_IN = 'Let the user log in again.';
const TOKEN = 'Get a new token at `POST /v2/oauth/token` and repeat.';
const BY_RULES = 'Change the order; `POST /v1/rules/validate` and the rules of the account say what would pass.';
const PROOF =
  'Enroll the key of the wallet, or send `ownership_proof` over a challenge of `POST /v1/register/challenge`.';

/**
 * What follows from an error for a repeat of its request. `spends`: a recorded failure keeps its Idempotency-Key, and a repeat
 * under it returns the failure again; else the repeat is a new attempt. `retryAfterS`: the pause before a repeat where the
 * error names none; null: time alone changes nothing, and the error is not retryable. `advice`: what the caller does.
 */
export type Law = { spends: boolean; retryAfterS: number | null; advice: string };

/** Passes by itself, and is proven to have had no effect. */
const wait = (advice: string, retryAfterS = 1): Law => ({ spends: false, retryAfterS, advice });
/** Had no effect, and lasts until somebody does something about it. Then the same request may succeed. */
const remedy = (advice: string): Law => ({ spends: false, retryAfterS: null, advice });
/** The end of the request: it was rejected as it is, or an operator decides. Another attempt is another request. */
const final = (advice: string): Law => ({ spends: true, retryAfterS: null, advice });

/** The law of repeating: of each code, what a caller does and what becomes of the Idempotency-Key. */
export const laws = {
  INVALID_REQUEST: final(CORRECT),
  MALFORMED_BODY: final('Send UTF-8, each member once, and no text with NUL or half a surrogate pair.'),
  MALFORMED_REQUEST: final('Send valid HTTP/1.1.'),
  REQUEST_TIMEOUT: wait('Repeat; send the whole request within 30 s.'),
  HEADERS_TOO_LARGE: final('Send fewer or shorter headers: at most 16 KiB in all.'),
  BODY_TOO_LARGE: final('Send a smaller body; see Limits.'),
  UNSUPPORTED_MEDIA_TYPE: final('Send `Content-Type: application/json`.'),
  NOT_FOUND: final('Check method and path against the reference.'),
  METHOD_NOT_ALLOWED: final('Use a method that `Allow` lists.'),
  INTERNAL: final(
    'If `retryable`, repeat with the same `Idempotency-Key`; else read the state first. Report `request_id`.',
  ),
  SERVICE_UNAVAILABLE: wait(
    'If `retryable`, repeat with the same `Idempotency-Key`; else read the intent by `intent_id`.',
  ),
  NOT_READY: wait('Nothing: a load balancer sends requests to another process.'),
  IDEMPOTENCY_KEY_REUSED: final('Use a new key for a new request.'),
  RATE_LIMITED: wait(REPEAT),
  INTENT_UNKNOWN: final(ID),
  DEADLINE_PASSED: wait(REPEAT),
  NOT_CARRIED_OUT: wait(REPEAT),

  V1_KEY_INVALID: remedy('Check the key; it may have been revoked.'),
  V1_KEY_SUPERSEDED: remedy(
    'Send the newest key. If its response was lost, repeat the roll under its own `Idempotency-Key`; else an operator makes another key.',
  ),
  V1_TRADER_UNKNOWN: final('Check `Trader-ID`: a subaccount or wallet that this partner registered.'),
  V1_SESSION_UNKNOWN: final('Enroll the wallet at `POST /v1/sessions`.'),
  V1_NOT_ENROLLED: remedy('Enroll the wallet at `POST /v1/sessions`, then repeat.'),
  V1_KEY_UNUSABLE: final('Send a secp256k1 private key: 32 bytes in hexadecimal.'),
  V1_KEY_NOT_AUTHORIZED: remedy('Approve the agent at the exchange for this wallet, then repeat.'),
  V1_WALLET_IS_AGENT: final('Send the master that `reason` names as `ex_wallet`.'),
  V1_KEY_REJECTED: remedy('Approve the agent again or create a new one at the exchange, then enroll its key.'),
  V1_AGENT_RETIRED: final('Create a new agent at the exchange and enroll its key.'),
  V1_KEY_ROTATING: wait(REPEAT, 2),
  V1_PAIR_UNKNOWN: final('Choose a pair of `GET /v1/rules/pairs`.'),
  V1_NO_PRICE: wait(`If \`retryable\`: ${REPEAT} Else give the price of the order, or its size in USD.`, 2),
  V1_ORDER_INVALID: final('Correct price and size: positive, and large enough for the grid of the asset.'),
  V1_TRADER_NOT_READY: wait(REPEAT, 2),
  V1_ORDER_UNKNOWN: final(ID),
  V1_ORDER_UUID_REUSED: final(UUID),
  V1_ORDER_NOT_RESTING: final('Read the order: it was filled or cancelled.'),
  V1_ORDER_IN_DOUBT: wait('Poll the order until its `status` is final, then repeat.'),
  V1_EDIT_INVALID: final('Read the order and send terms that fit together.'),
  V1_PRICES_INVALID: final('Take-profit and stop-loss belong on either side of the price; a limit has no stop price.'),
  V1_TRADE_PAIR_MISMATCH: final("Leave out `trade_pair`, or send the order's own."),
  V1_RULE_VIOLATED: final(BY_RULES),
  V1_NO_POSITION: final('Read the positions: there is none in this pair.'),
  V1_REGISTRATION_UNDER_WAY: remedy('Poll `GET /v1/register/exvenue/status/{ex_address}`; repeat if it failed.'),
  V1_ALREADY_REGISTERED: final('Use the existing registration.'),
  V1_REGISTRATION_UNRECORDED: final('Do not register again: it was paid. An operator can release the address.'),
  V1_REGISTRATION_CAP: remedy('Register later.'),
  V1_BALANCE_TOO_LOW: remedy("Fund the wallet at the exchange up to the registrar's minimum."),
  V1_MINER_UNKNOWN: final('Choose a miner that the registrar lists.'),
  V1_ACCOUNT_SIZE_UNKNOWN: final('Choose an account size of the miner.'),
  V1_PAYMENT_TERMS_UNFIT: remedy('Check the fee you agreed with the registrar, then repeat.'),
  V1_PAYMENT_REFUSED: remedy('Check the balance and key of the paying wallet, then register again.'),
  V1_WALLET_UNPROVEN: remedy(PROOF),
  V1_REGISTRAR_UNREACHABLE: wait(REPEAT),
  V1_WEBHOOK_UNKNOWN_EVENT: final('Subscribe to types of Events and webhooks, or to `*`.'),
  V1_WEBHOOK_URL_FORBIDDEN: final('Use https and a public address.'),
  V1_WEBHOOK_ENDPOINT_UNKNOWN: final(ID),
  V1_WEBHOOK_DELIVERY_UNKNOWN: final(ID),
  V1_WEBHOOK_INACTIVE: remedy('Reactivate the endpoint with `active: true` first.'),
  V1_WEBHOOK_TOO_MANY: remedy('Deactivate an endpoint first.'),
  V1_WEBHOOK_RECOVERY_PAUSED: wait(REPEAT),
  V1_EVENT_UNKNOWN: final('Read from the start of the log, or from the newest id you stored.'),
  V1_STREAM_LIMIT: wait('Close a stream, then open another.'),
  V1_STREAM_TICKET_INVALID: remedy('Get a new ticket at `POST /v1/stream-tickets`.'),

  VENUE_REJECTED: final("Read `reason` and `message`: the venue's own words. Change the request."),
  VENUE_UNREACHABLE: wait(REPEAT),
  VENUE_AUTH: remedy(CALL_US),
  VENUE_UNREADABLE: wait(REPEAT),
  VENUE_RATE_LIMITED: wait(REPEAT),
  VENUE_COOLDOWN: wait(REPEAT),
  SUBACCOUNT_AMBIGUOUS: final(OPERATOR),

  FORBIDDEN_ORIGIN: remedy(
    'Use the console of this service; elsewhere send the session token as `Authorization: Bearer`, without the cookie.',
  ),
  V2_INVALID_CREDENTIALS: final('Check the credentials. The response is the same for an unknown account.'),
  V2_UNSUPPORTED_GRANT: final('Send `grant_type=client_credentials`.'),
  V2_INVALID_SCOPE: final('Ask for scopes that `GET /v2/apps/me` lists, or leave `scope` out.'),
  V2_TOKEN_INVALID: remedy(TOKEN),
  V2_SCOPE_MISSING: remedy('Get a token with the scope that the operation names.'),
  V2_SESSION_INVALID: remedy(LOG_IN),
  V2_SESSION_UNKNOWN: final(ID),
  V2_USER_UNKNOWN: final(ID),
  V2_SECRET_SUPERSEDED: remedy(TOKEN),
  V2_PASSWORD_RESET_REQUIRED: remedy('Let the user set a password: `POST /v2/auth/password-reset/request`.'),
  V2_EMAIL_NOT_VERIFIED: remedy(
    'Verify the address with the mailed code; `POST /v2/auth/resend-otp` mails another, or what else to do.',
  ),
  V2_PASSWORD_GUESSABLE: final('Let the user choose a longer, less common password.'),
  V2_OTP_INVALID: final('Let the user type the code again.'),
  V2_OTP_EXPIRED: final('Request a new code.'),
  V2_MFA_INVALID: final('Let the user type the next code; each counts once.'),
  V2_MFA_ALREADY_ENABLED: final('Nothing: the user has an authenticator.'),
  V2_REAUTHENTICATION_REQUIRED: remedy('Call `POST /v2/auth/reauthenticate`, then repeat within five minutes.'),
  V2_EMAIL_CODE_REQUIRED: final('Ask for the mailed code and send it as `email_code`.'),
  V2_OPERATOR_RELEASE_REQUIRED: remedy('Ask another operator.'),
  V2_OPERATOR_UNKNOWN: final(ID),
  V2_LINK_PAYS_OTHERS: final('Have the network end the subaccount; then the partner links the wallet anew.'),
  V2_OPERATOR_EXISTS: final('Change the role of the existing operator, or reset the authenticator.'),
  V2_OPERATOR_LAST_ADMIN: remedy('Make another operator an admin first.'),
  V2_INVITATION_INVALID: final('Ask an admin for a new invitation.'),
  V2_APPROVAL_REQUIRED: remedy('Repeat the same request once another operator has approved it at `Location`.'),
  V2_APPROVAL_UNKNOWN: final(ID),
  V2_APPROVAL_DECIDED: final('Read the list of approvals; a new request asks anew.'),
  V2_OPERATOR_SELF: final('Ask another operator.'),
  V2_MFA_NOT_STARTED: remedy('Start with `POST /v2/auth/totp/enroll`.'),
  V2_THROTTLED: wait(REPEAT),
  V2_ADMIN_SESSION_INVALID: remedy('Log in again.'),
  V2_ROLE_MISSING: remedy('Ask an admin to do it, or for the role that `message` names.'),
  V2_TOTP_REQUIRED: remedy('Enroll an authenticator.'),
  V2_APP_UNKNOWN: final(ID),
  V2_APP_SLUG_TAKEN: final('Choose another slug.'),
  V2_APP_HOTKEY_TAKEN: final('Each app has a network identity of its own.'),
  V2_APP_CREDENTIALS_MISMATCH: final('Send both members or neither.'),
  V2_APP_REQUEST_UNKNOWN: final(ID),
  V2_APP_REQUEST_DECIDED: final(READ_FIRST),
  V2_PARTNER_UNKNOWN: final(ID),
  V2_PARTNER_KEY_UNKNOWN: final(ID),
  V2_JOB_UNKNOWN: final(READ_FIRST),
  V2_PAUSE_UNKNOWN: final(READ_FIRST),
  V2_RERUN_REFUSED: final(READ_FIRST),

  PROCESSOR_UNREACHABLE: wait(REPEAT),
  PROCESSOR_REJECTED: final("Read `reason` and `message`: the processor's own words. Change the request."),
  PROCESSOR_AUTH: remedy(CALL_US),
  PROCESSOR_SHORT: wait('Wait: the payout goes on by itself.'),
  PROCESSOR_UNREADABLE: wait(REPEAT),
  PROCESSOR_SILENT: final(OPERATOR),
  V2_PAYMENTS_NOT_CONFIGURED: remedy(CALL_US),
  V2_SIGNATURE_INVALID: final('Only the payment processor calls this; check its signing secret.'),
  V2_TIER_UNKNOWN: final('Choose a tier of `GET /v2/tiers`.'),
  V2_TIER_MISMATCH: final('Send the market, class and size of the tier, or leave them out.'),
  V2_TIER_FREE: final('Open it at `POST /v2/payments/free`.'),
  V2_TIER_NOT_FREE: final('Sell it by `POST /v2/payments/checkout`.'),
  V2_AMOUNT_MISMATCH: final("Read the tier and send its price, or ask for the customer's consent to the new one."),
  V2_PAYMENT_UNKNOWN: final(ID),
  V2_PAYMENT_NOT_REFUNDABLE: final(READ_FIRST),
  V2_PROP_ACCOUNT_UNKNOWN: final(ID),
  V2_ACCOUNT_STOPPED: final('Sell a new account.'),
  V2_ACCOUNT_NOT_FAILED: final(READ_FIRST),
  V2_ACCOUNT_NOT_FUNDED: remedy('Wait until the account is funded.'),
  V2_ACCOUNT_OWES: final(READ_FIRST),
  V2_PAYMENT_RETURNED: final(READ_FIRST),
  V2_RECOVERY_UNPROVEN: final('Attach the subaccount that exists, or refund the payment.'),
  V2_SUBACCOUNT_INVALID: final('Choose a subaccount of the right size and class without an owner.'),
  V2_KYC_REQUIRED: remedy('Start at `POST /v2/kyc/processor-identity/session`.'),
  V2_KYC_VERIFIED: final('Nothing: the user is verified.'),
  V2_CONNECT_URLS_NOT_CONFIGURED: remedy('Have an operator set the return URLs of the app.'),
  V2_CONNECT_ACCOUNT_EXISTS: final('Use the account of `GET /v2/connect/accounts`, or replace it.'),
  V2_CONNECT_ACCOUNT_UNKNOWN: final(ID),
  V2_PAYOUT_DESTINATION_HELD: wait(
    'Repeat later: 24 hours after the account was opened or its bank account changed, unless the deployment says otherwise.',
    3_600,
  ),
  V2_PAYOUT_QUARANTINED: final('Request the payout again, once the user has opened a payout account of their own.'),
  V2_PAYOUT_ACCOUNT_NOT_READY: remedy('Let the user finish the onboarding.'),
  V2_PAYOUT_EXCEEDS_EARNINGS: final('Request at most what `GET /v2/payouts/estimate` reports.'),
  V2_PAYOUT_UNKNOWN: final(ID),
  V2_PAYOUT_NOT_UNKNOWN: final(READ_FIRST),
  V2_PAYOUT_NOT_STRANDED: final(READ_FIRST),
  V2_PAYOUT_NOT_AVAILABLE: final('Wait: the payout goes on by itself, and an event follows.'),
  V2_PAYOUT_UNDER_REVIEW: remedy('Ask the operator of the service; then submit again.'),
  V2_PAYOUT_REVERSED: final('Request another payout.'),
  V2_PAYOUT_NOT_PENDING: final(READ_FIRST),
  V2_PAYOUT_CANCELED: final('Request another payout.'),
  V2_COUNTRY_UNSUPPORTED: final('Choose a country that the processor pays out to.'),

  V2_TRADER_UNKNOWN: final(ID),
  V2_TRADER_NOT_READY: wait(REPEAT, 2),
  V2_ORDER_UNKNOWN: final(ID),
  V2_ORDER_UUID_REUSED: final(UUID),
  V2_ORDER_NOT_RESTING: final('Read the order: it was filled or cancelled.'),
  V2_ORDER_IN_DOUBT: wait('Poll the order until its `status` is final, then repeat.'),
  V2_EDIT_INVALID: final('Read the order and send terms that fit together.'),
  V2_PRICES_INVALID: final('Take-profit and stop-loss belong on either side of the price; a limit has no stop price.'),
  V2_TRADE_PAIR_MISMATCH: final("Leave out `trade_pair`, or send the order's own."),
  V2_RULE_VIOLATED: final('Change the order; `GET /v2/trading/rules` says what would pass.'),
  V2_NO_POSITION: final('Read the positions: there is none in this pair.'),
  V2_WALLET_UNPROVEN: remedy(PROOF),
  V2_WALLET_PROVEN: final(READ_FIRST),

  V2_API_KEY_INVALID: remedy('Check the key; it may have been revoked.'),
  V2_API_KEY_ACCOUNT_MISMATCH: final("Leave out `X-Prop-Account`, or send the key's own."),
  V2_API_KEY_UNKNOWN: final(ID),
  V2_API_KEY_TOO_MANY: remedy('Revoke a key first.'),
  V2_SUBACCOUNT_NOT_READY: remedy('Wait until the account is in `evaluation`.'),
  V2_ACCOUNT_NOT_TRADEABLE: remedy('Read the account; one that is eliminated stays so.'),
  V2_STREAM_TICKET_INVALID: remedy('Get a new ticket at `POST /v2/stream-tickets`.'),
  V2_STREAM_LIMIT: wait('Close a stream of the account, then open another.'),

  V2_WEBHOOK_UNKNOWN_EVENT: final('Subscribe to types of Events and webhooks, or to `*`.'),
  V2_WEBHOOK_URL_FORBIDDEN: final('Use https and a public address.'),
  V2_WEBHOOK_ENDPOINT_UNKNOWN: final(ID),
  V2_WEBHOOK_DELIVERY_UNKNOWN: final(ID),
  V2_WEBHOOK_INACTIVE: remedy('Reactivate the endpoint with `active: true` first.'),
  V2_WEBHOOK_TOO_MANY: remedy('Deactivate an endpoint first.'),
  V2_WEBHOOK_RECOVERY_PAUSED: wait(REPEAT),
  V2_EVENT_UNKNOWN: final('Read from the start of the log, or from the newest id you stored.'),
  V2_NOTIFY_EMPTY: final('Send at least one of the three.'),
  V2_NOTIFY_RECIPIENT_FORBIDDEN: final('Write to users of your app only.'),
} as const satisfies Record<ErrorCode, Law>;

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
