/** Every expected no of this service: code → HTTP status and title. The code is stable; clients branch on it. */
export const refusals = {
  INVALID_REQUEST: [422, 'The request does not match the contract.'],
  MALFORMED_BODY: [422, 'The body is not valid JSON.'],
  MALFORMED_REQUEST: [400, 'This is no HTTP request that can be read.'],
  REQUEST_TIMEOUT: [408, 'The request did not come whole in time.'],
  HEADERS_TOO_LARGE: [431, 'The headers are larger than this service reads.'],
  BODY_TOO_LARGE: [413, 'The body is larger than this service reads.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'This operation does not read that content type.'],
  NOT_FOUND: [404, 'There is nothing here.'],
  METHOD_NOT_ALLOWED: [405, 'This path does not answer to that method.'],
  INTERNAL: [500, 'Something went wrong on our side.'],
  SERVICE_UNAVAILABLE: [503, 'The service cannot answer for a moment.'],
  NOT_READY: [503, 'This process takes no work at the moment.'],
  IDEMPOTENCY_KEY_REUSED: [422, 'This Idempotency-Key belongs to another request.'],
  INTENT_UNKNOWN: [404, 'No such intent.'],
  DEADLINE_PASSED: [503, 'The request waited too long; nothing was sent.'],
  NOT_CARRIED_OUT: [503, 'It is proven that the venue never acted on this request.'],

  V1_KEY_INVALID: [401, 'A valid partner key is required.'],
  V1_TRADER_UNKNOWN: [404, 'This partner has no such trader.'],
  V1_SESSION_UNKNOWN: [404, 'This wallet is not enrolled.'],
  V1_NOT_ENROLLED: [409, 'Exchange writes need an enrolled key for this wallet.'],
  V1_KEY_UNUSABLE: [422, 'This is no private key.'],
  V1_KEY_NOT_AUTHORIZED: [422, 'The exchange does not know this key for this wallet.'],
  V1_AGENT_RETIRED: [422, 'This agent was retired; make a new one. Its old signed actions could be replayed.'],
  V1_KEY_ROTATING: [503, 'Something signed with the earlier key is still being looked up; nothing was sent.'],
  V1_PAIR_UNKNOWN: [422, 'The exchange does not trade this pair.'],
  V1_NO_PRICE: [503, 'The exchange shows no price for this pair just now; nothing was sent.'],
  V1_ORDER_UNFIT: [422, 'The amounts of this order do not fit its asset.'],
  V1_TRADER_NOT_READY: [503, 'The subaccount did not become tradeable in time; nothing was sent.'],
  V1_ORDER_UNKNOWN: [404, 'No such order.'],
  V1_ORDER_UUID_REUSED: [422, 'This order_uuid was used for another request.'],
  V1_ORDER_NOT_RESTING: [409, 'This order rests no longer.'],
  V1_ORDER_IN_DOUBT: [
    503,
    'This order is still being looked up, and the venue holds none of it so far; nothing was changed.',
  ],
  V1_EDIT_UNFIT: [422, 'The order would not fit together after this edit.'],
  V1_PRICES_UNFIT: [422, 'The prices of this order do not fit together.'],
  V1_TRADE_PAIR_MISMATCH: [422, 'This order is for another trade pair.'],
  V1_RULE_VIOLATED: [422, 'The order breaks a rule of the account; nothing was sent.'],
  V1_NO_POSITION: [409, 'There is no open position in this trade pair.'],
  V1_REGISTRATION_UNDER_WAY: [409, 'A registration of this address is under way.'],
  V1_ALREADY_REGISTERED: [409, 'This address is registered already.'],
  V1_REGISTRATION_UNRECORDED: [409, 'An earlier registration of this address was paid for and never recorded.'],
  V1_REGISTRATION_CAP: [409, 'The registrar takes no more registrations.'],
  V1_BALANCE_TOO_LOW: [422, 'The exchange balance of this wallet is below the minimum for registration.'],
  V1_MINER_UNKNOWN: [422, 'The registrar knows no such miner.'],
  V1_ACCOUNT_SIZE_UNKNOWN: [422, 'This miner sells no account of that size.'],
  V1_PAYMENT_TERMS_UNFIT: [502, 'The registrar asked for another payment than agreed; nothing was signed.'],
  V1_PAYMENT_REFUSED: [422, 'The payment was refused; nothing was paid.'],
  V1_WALLET_UNPROVEN: [
    422,
    'The registrar wants a signature of the exchange wallet itself: enroll its own key, or pay from it. Nothing was paid.',
  ],
  V1_REGISTRAR_UNREACHABLE: [503, 'The registrar or its chain could not be reached; nothing was paid.'],

  VENUE_REJECTED: [422, 'The venue refused.'],
  VENUE_UNREACHABLE: [503, 'The venue could not be reached; nothing was sent.'],
  VENUE_AUTH: [502, 'The venue refused our credentials.'],
  VENUE_UNREADABLE: [503, 'The venue cannot be read just now.'],
  VENUE_RATE_LIMITED: [429, 'The venue takes no more requests for the moment.'],
  VENUE_COOLDOWN: [429, 'The venue wants a pause between orders.'],
  SUBACCOUNT_AMBIGUOUS: [502, 'It cannot be told which subaccount this request made; an operator must look.'],

  FORBIDDEN_ORIGIN: [403, 'This request comes from a page of another origin.'],
  V2_INVALID_CREDENTIALS: [401, 'These credentials are not valid.'],
  V2_UNSUPPORTED_GRANT: [400, 'Only the grant client_credentials is served.'],
  V2_INVALID_SCOPE: [400, 'None of the requested scopes is allowed for this app.'],
  V2_TOKEN_INVALID: [401, 'A valid access token is required.'],
  V2_SCOPE_MISSING: [403, 'The access token lacks a scope this operation needs.'],
  V2_SESSION_INVALID: [401, 'A valid session token of a user of this app is required.'],
  V2_SECRET_SUPERSEDED: [409, 'The secret behind this token was rotated already; get a token with the newest one.'],
  V2_EMAIL_NOT_VERIFIED: [403, 'This e-mail address has not been verified yet.'],
  V2_PASSWORD_GUESSABLE: [422, 'This password is among those that are tried first; choose another.'],
  V2_OTP_INVALID: [400, 'This code or link is not valid.'],
  V2_OTP_EXPIRED: [400, 'There is no valid code for this address any more; ask for a new one.'],
  V2_MFA_INVALID: [401, 'This authenticator code is not valid, or was used before.'],
  V2_MFA_ALREADY_ENABLED: [409, 'An authenticator is enrolled already.'],
  V2_MFA_NOT_STARTED: [409, 'No authenticator is enrolled.'],
  V2_THROTTLED: [429, 'Too many tries; wait before the next.'],
  V2_ADMIN_SESSION_INVALID: [401, 'A valid operator session is required.'],
  V2_TOTP_REQUIRED: [403, 'Enroll an authenticator first.'],
  V2_APP_UNKNOWN: [404, 'No such app.'],
  V2_APP_SLUG_TAKEN: [409, 'Another app has this slug.'],
  V2_APP_HOTKEY_TAKEN: [409, 'Another app has this network identity.'],
  V2_APP_CREDENTIALS_MISMATCH: [422, 'Give both entity_hotkey and network_api_key, or neither.'],
  V2_APP_REQUEST_UNKNOWN: [404, 'No such access request.'],
  V2_APP_REQUEST_DECIDED: [409, 'This access request is not in a state that allows it.'],
  V2_PARTNER_UNKNOWN: [404, 'No such partner.'],
  V2_PARTNER_KEY_UNKNOWN: [404, 'No such partner key, or it was revoked before.'],
  V2_RERUN_REFUSED: [409, 'A worker has this intent, or a re-run could act twice.'],

  PROCESSOR_UNREACHABLE: [503, 'The payment processor could not be reached; nothing was sent.'],
  PROCESSOR_REJECTED: [422, 'The payment processor refused.'],
  PROCESSOR_AUTH: [502, 'The payment processor refused our credentials.'],
  PROCESSOR_SILENT: [502, 'The payment processor never said what came of this; an operator must look.'],
  V2_PAYMENTS_NOT_CONFIGURED: [503, 'No payment processor is configured.'],
  V2_SIGNATURE_INVALID: [401, 'This notification is not signed by the processor, or too old.'],
  V2_TIER_UNKNOWN: [422, 'No tier of this id is on sale.'],
  V2_TIER_MISMATCH: [422, 'The tier is of another market, asset class or size.'],
  V2_TIER_FREE: [422, 'An account of this tier is free: nothing can be paid for it.'],
  V2_TIER_NOT_FREE: [422, 'An account of this tier has a price.'],
  V2_AMOUNT_MISMATCH: [422, 'The tier has another price.'],
  V2_PAYMENT_UNKNOWN: [404, 'No such payment.'],
  V2_PAYMENT_NOT_REFUNDABLE: [409, 'There is no money of this payment to give back.'],
  V2_PROP_ACCOUNT_UNKNOWN: [404, 'No such prop account.'],
  V2_ACCOUNT_STOPPED: [409, 'The money of this account is gone: it is not made.'],
  V2_ACCOUNT_NOT_FAILED: [409, 'This account is not in a state that allows it.'],
  V2_ACCOUNT_NOT_FUNDED: [409, 'Only a funded account earns.'],
  V2_ACCOUNT_OWES: [409, 'The money of this account was neither refunded nor disputed.'],
  V2_PAYMENT_RETURNED: [409, 'The money of this account was refunded or is disputed.'],
  V2_RECOVERY_UNPROVEN: [409, 'It is not proven that nothing was made for this account; attach or refund.'],
  V2_SUBACCOUNT_UNFIT: [409, 'There is no such subaccount, it is of another size or class, or it has an owner.'],
  V2_KYC_REQUIRED: [403, 'The identity of this user has not been verified.'],
  V2_KYC_VERIFIED: [409, 'The identity of this user is verified already.'],
  V2_CONNECT_URLS_NOT_CONFIGURED: [422, 'This app has no addresses to come back to from the processor.'],
  V2_CONNECT_ACCOUNT_EXISTS: [409, 'This user has an account to be paid out to already.'],
  V2_CONNECT_ACCOUNT_UNKNOWN: [404, 'No such account to be paid out to.'],
  V2_PAYOUT_ACCOUNT_NOT_READY: [409, 'This user has no account that can be paid out to.'],
  V2_PAYOUT_EXCEEDS_EARNINGS: [422, 'This is more than the account has earned and not been paid.'],
  V2_PAYOUT_UNKNOWN: [404, 'No such payout.'],

  V2_API_KEY_INVALID: [401, 'This trader API key is not valid, or was revoked.'],
  V2_API_KEY_ACCOUNT_MISMATCH: [403, 'This trader API key is bound to another prop account.'],
  V2_API_KEY_UNKNOWN: [404, 'No such trader API key.'],
  V2_API_KEY_TOO_MANY: [409, 'This account has as many trader API keys as it may have; revoke one first.'],
  V2_SUBACCOUNT_NOT_READY: [409, 'This account has no subaccount yet.'],
  V2_ACCOUNT_NOT_TRADEABLE: [409, 'Only accounts in evaluation or funded trade.'],
  V2_STREAM_LIMIT: [429, 'As many streams of this account are open as may be; end one first.'],

  V2_WEBHOOK_UNKNOWN_EVENT: [422, 'There is no event of this name to subscribe to.'],
  V2_WEBHOOK_URL_FORBIDDEN: [422, 'Webhooks go to public https addresses only.'],
  V2_WEBHOOK_ENDPOINT_UNKNOWN: [404, 'No such webhook endpoint.'],
  V2_WEBHOOK_DELIVERY_UNKNOWN: [404, 'No such webhook delivery.'],
  V2_WEBHOOK_INACTIVE: [409, 'This webhook endpoint is inactive.'],
  V2_WEBHOOK_TOO_MANY: [409, 'This app has as many active webhook endpoints as it may have.'],
  V2_WEBHOOK_RECOVERY_PAUSED: [429, 'This endpoint has only just been recovered; let it catch up first.'],
  V2_EVENT_UNKNOWN: [404, 'No such event.'],
  V2_NOTIFY_EMPTY: [422, 'Give at least one of email, user_id and fanout_event.'],
  V2_NOTIFY_RECIPIENT_FORBIDDEN: [403, 'The recipient is not a user of this app.'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type RefusalCode = keyof typeof refusals;
export type Effect = 'none' | 'done' | 'unknown';
/** One member of a request that was refused: where, why, and the rule's name. */
export type FieldError = { loc: (string | number)[]; msg: string; type: string };

export type RefusalDetails = {
  message?: string;
  retryable?: boolean;
  effect?: Effect;
  intent_id?: string;
  reason?: string;
  retryAfterS?: number;
  fields?: FieldError[];
  /** Names of the checks that failed. */
  checks?: string[];
  headers?: Record<string, string>;
};

/** An expected no. Thrown anywhere below a handler, rendered once at the edge. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly details: RefusalDetails;

  constructor(code: RefusalCode, details: RefusalDetails = {}) {
    super(details.message ?? refusals[code][1]);
    this.code = code;
    this.details = details;
  }

  /** The HTTP status it is answered with. */
  get status(): number {
    return refusals[this.code][0];
  }

  /** Whether the same request may be sent again unchanged. */
  get retryable(): boolean {
    return this.details.retryable ?? (this.status === 503 || this.status === 429);
  }
}

/** Whether a stored word is one of our refusal codes. */
export const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(refusals, code);
