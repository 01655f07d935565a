import type { IntentId } from './ids.ts';
/** The error catalogue: code → HTTP status and title. Codes are stable; clients branch on them. */
export const errors = {
  INVALID_REQUEST: [422, 'The request does not match the contract.'],
  MALFORMED_BODY: [400, 'The body is not UTF-8, names a member twice, or contains text that cannot be stored.'],
  MALFORMED_REQUEST: [400, 'Malformed HTTP request.'],
  REQUEST_TIMEOUT: [408, 'The request did not arrive completely in time.'],
  HEADERS_TOO_LARGE: [431, 'The headers exceed the size limit.'],
  BODY_TOO_LARGE: [413, 'The body exceeds the size limit.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The content type is not supported by this operation.'],
  NOT_FOUND: [404, 'Resource not found.'],
  METHOD_NOT_ALLOWED: [405, 'The method is not allowed for this path.'],
  INTERNAL: [500, 'Internal error.'],
  SERVICE_UNAVAILABLE: [503, 'The service is temporarily unavailable; retry later.'],
  NOT_READY: [503, 'This process is not ready to accept requests.'],
  IDEMPOTENCY_KEY_REUSED: [422, 'The Idempotency-Key was already used for a different request.'],
  RATE_LIMITED: [429, 'The quota of requests is exhausted; retry later.'],
  INTENT_UNKNOWN: [404, 'Intent not found.'],
  DEADLINE_PASSED: [503, 'The deadline passed before the request was sent; nothing was sent.'],
  NOT_CARRIED_OUT: [503, 'The venue provably did not act on this request.'],

  V1_KEY_INVALID: [401, 'A valid partner key is required.'],
  V1_TRADER_UNKNOWN: [404, 'Trader not found for this partner.'],
  V1_SESSION_UNKNOWN: [404, 'The wallet is not enrolled.'],
  V1_NOT_ENROLLED: [409, 'The wallet has no enrolled key; enroll one to write to the exchange.'],
  V1_KEY_UNUSABLE: [422, 'The value is not a valid private key.'],
  V1_KEY_NOT_AUTHORIZED: [422, 'The key is not authorized for this wallet at the exchange.'],
  V1_AGENT_RETIRED: [422, 'The agent was retired and its signed actions could be replayed; create a new one.'],
  V1_KEY_ROTATING: [503, 'An action signed with the previous key is still in doubt; nothing was sent.'],
  V1_PAIR_UNKNOWN: [422, 'The trade pair is not listed at the exchange.'],
  V1_NO_PRICE: [503, 'The exchange currently reports no price for this pair; nothing was sent.'],
  V1_ORDER_INVALID: [422, 'The amounts of the order are invalid for its asset.'],
  V1_TRADER_NOT_READY: [503, 'The subaccount did not become tradeable in time; nothing was sent.'],
  V1_ORDER_UNKNOWN: [404, 'Order not found.'],
  V1_ORDER_UUID_REUSED: [422, 'The order_uuid was already used for a different request.'],
  V1_ORDER_NOT_RESTING: [409, 'Order is no longer open.'],
  V1_ORDER_IN_DOUBT: [
    503,
    'The effect of this order is not known yet and the venue does not list it; nothing was changed.',
  ],
  V1_EDIT_INVALID: [422, 'The edit would make the terms of the order inconsistent.'],
  V1_PRICES_INVALID: [422, 'The prices of the order are inconsistent.'],
  V1_TRADE_PAIR_MISMATCH: [422, 'The order belongs to a different trade pair.'],
  V1_RULE_VIOLATED: [422, 'The order violates a rule of the account; nothing was sent.'],
  V1_NO_POSITION: [409, 'Position not found in this trade pair.'],
  V1_REGISTRATION_UNDER_WAY: [409, 'A registration of this address is already in progress.'],
  V1_ALREADY_REGISTERED: [409, 'The address is already registered.'],
  V1_REGISTRATION_UNRECORDED: [409, 'An earlier registration of this address was paid but never recorded.'],
  V1_REGISTRATION_CAP: [409, 'The registrar accepts no further registrations.'],
  V1_BALANCE_TOO_LOW: [422, 'The exchange balance of the wallet is below the minimum for registration.'],
  V1_MINER_UNKNOWN: [422, 'Miner not found at the registrar.'],
  V1_ACCOUNT_SIZE_UNKNOWN: [422, 'The miner does not offer this account size.'],
  V1_PAYMENT_TERMS_UNFIT: [502, 'The registrar requested a payment different from the one agreed; nothing was signed.'],
  V1_PAYMENT_REFUSED: [422, 'The payment was rejected; nothing was paid.'],
  V1_WALLET_UNPROVEN: [
    403,
    'Control of the exchange wallet is not proven: enroll its own key, or sign with it. Nothing was done.',
  ],
  V1_WEBHOOK_UNKNOWN_EVENT: [422, 'Event type not found.'],
  V1_WEBHOOK_URL_FORBIDDEN: [422, 'Webhook URLs must be public https addresses.'],
  V1_WEBHOOK_ENDPOINT_UNKNOWN: [404, 'Webhook endpoint not found.'],
  V1_WEBHOOK_DELIVERY_UNKNOWN: [404, 'Webhook delivery not found.'],
  V1_WEBHOOK_INACTIVE: [409, 'The webhook endpoint is inactive.'],
  V1_WEBHOOK_TOO_MANY: [409, 'The partner has reached its limit of active webhook endpoints.'],
  V1_WEBHOOK_RECOVERY_PAUSED: [429, 'The endpoint was recovered recently; retry later.'],
  V1_EVENT_UNKNOWN: [404, 'Event not found.'],
  V1_STREAM_LIMIT: [429, 'The caller has reached its limit of open streams; close one first.'],
  V1_REGISTRAR_UNREACHABLE: [503, 'The registrar or its chain is unreachable; nothing was paid.'],

  VENUE_REJECTED: [422, 'The venue rejected the request.'],
  VENUE_UNREACHABLE: [503, 'The venue is unreachable; nothing was sent.'],
  VENUE_AUTH: [502, 'The venue rejected the credentials of this service.'],
  VENUE_UNREADABLE: [503, 'The venue data is currently unavailable.'],
  VENUE_RATE_LIMITED: [429, 'The rate limit of the venue is exhausted; retry later.'],
  VENUE_COOLDOWN: [429, 'The venue requires a pause between orders; retry later.'],
  SUBACCOUNT_AMBIGUOUS: [
    502,
    'The subaccount created by this request could not be identified; an operator must decide.',
  ],

  FORBIDDEN_ORIGIN: [403, 'Requests from another origin are not allowed.'],
  V2_INVALID_CREDENTIALS: [401, 'The credentials are invalid.'],
  V2_UNSUPPORTED_GRANT: [400, 'Only the grant type client_credentials is supported.'],
  V2_INVALID_SCOPE: [400, 'None of the requested scopes is allowed for this app.'],
  V2_TOKEN_INVALID: [401, 'A valid access token is required.'],
  V2_SCOPE_MISSING: [403, 'The access token lacks a scope required by this operation.'],
  V2_SESSION_INVALID: [401, 'A valid session token of a user of this app is required.'],
  V2_SESSION_UNKNOWN: [404, 'Session not found.'],
  V2_USER_UNKNOWN: [404, 'User not found.'],
  V2_SECRET_SUPERSEDED: [409, 'The secret behind this token was rotated; obtain a token with the newest secret.'],
  V2_EMAIL_NOT_VERIFIED: [403, 'The e-mail address is not verified.'],
  V2_PASSWORD_GUESSABLE: [422, 'The password is too common; choose another.'],
  V2_OTP_INVALID: [400, 'The code or link is invalid.'],
  V2_OTP_EXPIRED: [400, 'The code for this address has expired; request a new one.'],
  V2_MFA_INVALID: [401, 'The authenticator code is invalid or was already used.'],
  V2_MFA_ALREADY_ENABLED: [409, 'An authenticator is already enrolled.'],
  V2_REAUTHENTICATION_REQUIRED: [403, 'The app requires a recent proof of the password; reauthenticate first.'],
  V2_EMAIL_CODE_REQUIRED: [
    403,
    'Too many wrong authenticator codes; a code was mailed to the user, send it as email_code as well.',
  ],
  V2_OPERATOR_RELEASE_REQUIRED: [
    403,
    'Too many wrong authenticator codes; another operator must release this account.',
  ],
  V2_OPERATOR_UNKNOWN: [404, 'Operator not found.'],
  V2_OPERATOR_SELF: [403, 'Another operator must do this.'],
  V2_MFA_NOT_STARTED: [409, 'No authenticator is enrolled.'],
  V2_THROTTLED: [429, 'Too many attempts; retry later.'],
  V2_ADMIN_SESSION_INVALID: [401, 'A valid operator session is required.'],
  V2_TOTP_REQUIRED: [403, 'An authenticator is required; enroll one first.'],
  V2_APP_UNKNOWN: [404, 'App not found.'],
  V2_APP_SLUG_TAKEN: [409, 'The slug is already used by another app.'],
  V2_APP_HOTKEY_TAKEN: [409, 'The network identity is already used by another app.'],
  V2_APP_CREDENTIALS_MISMATCH: [422, 'Give both entity_hotkey and network_api_key, or neither.'],
  V2_APP_REQUEST_UNKNOWN: [404, 'Access request not found.'],
  V2_APP_REQUEST_DECIDED: [409, 'The state of the access request does not allow this.'],
  V2_PARTNER_UNKNOWN: [404, 'Partner not found.'],
  V2_PARTNER_KEY_UNKNOWN: [404, 'Partner key not found, or already revoked.'],
  V2_JOB_UNKNOWN: [404, 'Job not found.'],
  V2_RERUN_REFUSED: [409, 'A worker is executing this intent, or a re-run could take effect twice.'],

  PROCESSOR_UNREACHABLE: [503, 'The payment processor is unreachable; nothing was sent.'],
  PROCESSOR_REJECTED: [422, 'The payment processor rejected the request.'],
  PROCESSOR_AUTH: [502, 'The payment processor rejected the credentials of this service.'],
  PROCESSOR_UNREADABLE: [503, 'The payment processor cannot be read at present; nothing was changed.'],
  PROCESSOR_SILENT: [502, 'The payment processor never reported the outcome; an operator must decide.'],
  V2_PAYMENTS_NOT_CONFIGURED: [503, 'No payment processor is configured.'],
  V2_SIGNATURE_INVALID: [401, 'The notification is not signed by the processor, or is too old.'],
  V2_TIER_UNKNOWN: [422, 'Tier not found, or not on sale.'],
  V2_TIER_MISMATCH: [422, 'The tier has a different market, asset class or size.'],
  V2_TIER_FREE: [422, 'The tier is free; no payment is accepted for it.'],
  V2_TIER_NOT_FREE: [422, 'The tier is not free; pay for it by a checkout.'],
  V2_AMOUNT_MISMATCH: [422, 'The amount differs from the price of the tier.'],
  V2_PAYMENT_UNKNOWN: [404, 'Payment not found.'],
  V2_PAYMENT_NOT_REFUNDABLE: [409, 'The payment has no amount left to refund.'],
  V2_PROP_ACCOUNT_UNKNOWN: [404, 'Prop account not found.'],
  V2_ACCOUNT_STOPPED: [409, 'Payment was refunded or disputed; the account is not created.'],
  V2_ACCOUNT_NOT_FAILED: [409, 'The state of the account does not allow this.'],
  V2_ACCOUNT_NOT_FUNDED: [409, 'The account is not funded; only funded accounts earn.'],
  V2_ACCOUNT_OWES: [409, 'Payment of the account was neither refunded nor disputed.'],
  V2_PAYMENT_RETURNED: [409, 'Payment of the account was refunded or is disputed.'],
  V2_RECOVERY_UNPROVEN: [409, 'A subaccount may already exist for this account; attach it or refund the payment.'],
  V2_SUBACCOUNT_INVALID: [409, 'The subaccount does not exist, has a different size or class, or has an owner.'],
  V2_KYC_REQUIRED: [403, 'The identity of the user is not verified.'],
  V2_KYC_VERIFIED: [409, 'The identity of the user is already verified.'],
  V2_CONNECT_URLS_NOT_CONFIGURED: [409, 'The app has no return URLs for payout onboarding; configure them first.'],
  V2_CONNECT_ACCOUNT_EXISTS: [409, 'The user already has a payout account.'],
  V2_CONNECT_ACCOUNT_UNKNOWN: [404, 'Payout account not found.'],
  V2_PAYOUT_ACCOUNT_NOT_READY: [409, 'The user has no payout account that can receive payouts.'],
  V2_PAYOUT_EXCEEDS_EARNINGS: [422, 'The amount exceeds the unpaid earnings of the account.'],
  V2_PAYOUT_UNKNOWN: [404, 'Payout not found.'],
  V2_PAYOUT_NOT_UNKNOWN: [409, 'The effect of every step of the payout is known.'],
  V2_PAYOUT_NOT_STRANDED: [409, 'The money of the payout is not at the payout account, or is on its way from there.'],
  V2_COUNTRY_UNSUPPORTED: [422, 'Accounts in this country cannot be paid out to.'],

  V2_TRADER_UNKNOWN: [404, 'Trader not found.'],
  V2_TRADER_NOT_READY: [503, 'The subaccount did not become tradeable in time; nothing was sent.'],
  V2_ORDER_UNKNOWN: [404, 'Order not found.'],
  V2_ORDER_UUID_REUSED: [422, 'The order_uuid was already used for a different request.'],
  V2_ORDER_NOT_RESTING: [409, 'Order is no longer open.'],
  V2_ORDER_IN_DOUBT: [
    503,
    'The effect of this order is not known yet and the venue does not list it; nothing was changed.',
  ],
  V2_EDIT_INVALID: [422, 'The edit would make the terms of the order inconsistent.'],
  V2_PRICES_INVALID: [422, 'The prices of the order are inconsistent.'],
  V2_TRADE_PAIR_MISMATCH: [422, 'The order belongs to a different trade pair.'],
  V2_RULE_VIOLATED: [422, 'The order violates a rule of the account; nothing was sent.'],
  V2_NO_POSITION: [409, 'Position not found in this trade pair.'],
  V2_WALLET_UNPROVEN: [
    403,
    'Control of the exchange wallet is not proven: enroll its own key, or sign with it. Nothing was done.',
  ],
  V2_WALLET_PROVEN: [409, 'The present owner of the link has proven control of the wallet.'],

  V2_API_KEY_INVALID: [401, 'The trader API key is invalid or revoked.'],
  V2_API_KEY_ACCOUNT_MISMATCH: [403, 'The trader API key belongs to a different prop account.'],
  V2_API_KEY_UNKNOWN: [404, 'Trader API key not found.'],
  V2_API_KEY_TOO_MANY: [409, 'The account has reached its limit of trader API keys; revoke one first.'],
  V2_SUBACCOUNT_NOT_READY: [409, 'The account has no provisioned subaccount.'],
  V2_ACCOUNT_NOT_TRADEABLE: [409, 'The account is not tradeable; it must be in evaluation or funded.'],
  V2_STREAM_LIMIT: [429, 'The account has reached its limit of open streams; close one first.'],

  V2_WEBHOOK_UNKNOWN_EVENT: [422, 'Event type not found.'],
  V2_WEBHOOK_URL_FORBIDDEN: [422, 'Webhook URLs must be public https addresses.'],
  V2_WEBHOOK_ENDPOINT_UNKNOWN: [404, 'Webhook endpoint not found.'],
  V2_WEBHOOK_DELIVERY_UNKNOWN: [404, 'Webhook delivery not found.'],
  V2_WEBHOOK_INACTIVE: [409, 'The webhook endpoint is inactive.'],
  V2_WEBHOOK_TOO_MANY: [409, 'The app has reached its limit of active webhook endpoints.'],
  V2_WEBHOOK_RECOVERY_PAUSED: [429, 'The endpoint was recovered recently; retry later.'],
  V2_EVENT_UNKNOWN: [404, 'Event not found.'],
  V2_NOTIFY_EMPTY: [422, 'Give at least one of email, user_id and fanout_event.'],
  V2_NOTIFY_RECIPIENT_FORBIDDEN: [403, 'The recipient is not a user of this app.'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

/** A code of the catalogue. */
export type ErrorCode = keyof typeof errors;
/** The effect of a write: it did not happen, it happened, or it is not known. */
export type Effect = 'none' | 'done' | 'unknown';
/** One invalid member of a request: its path, the reason, and the name of the rule. */
export type FieldError = { loc: (string | number)[]; msg: string; type: string };

/** Details of one occurrence of an error. `retryAfterS` is in seconds. */
export type ErrorDetails = {
  message?: string;
  retryable?: boolean;
  effect?: Effect;
  intent_id?: IntentId;
  reason?: string;
  retryAfterS?: number;
  fields?: FieldError[];
  /** Names of the checks that failed. */
  checks?: string[];
  headers?: Record<string, string>;
};

/** An error of the catalogue. Any code below a handler may throw it; the edge renders it. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.message ?? errors[code][1]);
    this.code = code;
    this.details = details;
  }

  /** The HTTP status of the response. */
  get status(): number {
    return errors[this.code][0];
  }

  /** Whether the same request may be sent again unchanged. */
  get retryable(): boolean {
    return this.details.retryable ?? (this.status === 503 || this.status === 429);
  }
}

/** Whether a stored text is a code of the catalogue. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errors, code);
