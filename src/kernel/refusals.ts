/** Every expected no of this service: code → HTTP status and title. The code is stable; clients branch on it. */
export const refusals = {
  INVALID_REQUEST: [422, 'The request does not match the contract.'],
  MALFORMED_BODY: [422, 'The body is not valid JSON.'],
  BODY_TOO_LARGE: [413, 'The body is larger than this service reads.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'This operation does not read that content type.'],
  NOT_FOUND: [404, 'There is nothing here.'],
  METHOD_NOT_ALLOWED: [405, 'This path does not answer to that method.'],
  INTERNAL: [500, 'Something went wrong on our side.'],
  SERVICE_UNAVAILABLE: [503, 'The service cannot answer for a moment.'],
  IDEMPOTENCY_KEY_REUSED: [422, 'This Idempotency-Key belongs to another request.'],
  INTENT_UNKNOWN: [404, 'No such intent.'],
  DEADLINE_PASSED: [503, 'The request waited too long; nothing was sent.'],
  NOT_CARRIED_OUT: [503, 'It is proven that the venue never acted on this request.'],

  V1_KEY_INVALID: [401, 'A valid partner key is required.'],
  V1_TRADER_UNKNOWN: [404, 'This partner has no such trader.'],
  V1_TRADER_NOT_READY: [503, 'The subaccount did not become tradeable in time; nothing was sent.'],
  V1_ORDER_UNKNOWN: [404, 'No such order.'],
  V1_ORDER_UUID_REUSED: [422, 'This order_uuid was used for another request.'],
  V1_ORDER_NOT_RESTING: [409, 'This order rests no longer.'],
  V1_EDIT_UNFIT: [422, 'The order would not fit together after this edit.'],
  V1_PRICES_UNFIT: [422, 'The prices of this order do not fit together.'],
  V1_TRADE_PAIR_MISMATCH: [422, 'This order is for another trade pair.'],
  V1_NO_POSITION: [409, 'There is no open position in this trade pair.'],

  VENUE_REJECTED: [422, 'The venue refused.'],
  VENUE_UNREACHABLE: [503, 'The venue could not be reached; nothing was sent.'],
  VENUE_AUTH: [502, 'The venue refused our credentials.'],
  VENUE_COOLDOWN: [429, 'The venue wants a pause between orders.'],
  SUBACCOUNT_AMBIGUOUS: [502, 'It cannot be told which subaccount this request made; an operator must look.'],
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
