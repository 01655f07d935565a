import { type ErrorCode, errors } from './error-codes.ts';
import { laws } from './error-laws.ts';
import type { IntentId } from './ids.ts';

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
  /** The request for another operator's approval. */
  approval_id?: string;
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

  /** Whether the same request may be sent again unchanged, after a pause alone. */
  get retryable(): boolean {
    return this.details.retryable ?? laws[this.code].retryAfterS !== null;
  }

  /** The pause before a repeat, in seconds; undefined where a repeat is not the way on. */
  get retryAfterS(): number | undefined {
    return this.details.retryAfterS ?? (this.retryable ? (laws[this.code].retryAfterS ?? 1) : undefined);
  }
}
