/** What a write has done at the venue or elsewhere, as far as the service knows. */
export type Effect = 'none' | 'done' | 'unknown';

type Members = {
  code: string;
  message: string;
  retryable?: boolean;
  effect?: Effect;
  reason?: string | null;
  intent_id?: string;
  request_id?: string;
  fields?: { loc: (string | number)[]; msg: string; type: string }[];
};

/** Beyond the members: the response's status (0 without a response), and the key of the write. */
type Occurrence = { status: number; retryAfterMs?: number; idempotencyKey?: string | undefined; cause?: unknown };

/** An error response. `isFirst`: no earlier attempt of the same write can have acted. `intentId`: the write's, if an earlier response named it. */
type Failed = {
  text: string;
  response: Response;
  idempotencyKey?: string | undefined;
  isFirst?: boolean;
  intentId?: string | undefined;
};

/**
 * An error response of the service, or (code `NO_RESPONSE`) the lack of one after every attempt. A write whose `effect`
 * is `unknown` is repeated safely under its `idempotencyKey` only.
 */
export class ServiceError extends Error {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Stable code of the service's catalogue, or `NO_RESPONSE`, `STILL_PENDING`, `UNREADABLE`. */
  readonly code: string;
  readonly retryable: boolean;
  /** The pause that the service asks for before a repeat, in ms; 0 if none. */
  readonly retryAfterMs: number;
  readonly effect: Effect | undefined;
  /** Stable slug of why a venue rejected the request. */
  readonly reason: string | undefined;
  readonly intentId: string | undefined;
  readonly requestId: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Invalid members of the request. */
  readonly fields: NonNullable<Members['fields']>;

  constructor(members: Members, { status, retryAfterMs = 0, idempotencyKey, cause }: Occurrence) {
    super(members.message, { cause });
    this.name = 'ServiceError';
    this.status = status;
    this.code = members.code;
    this.retryable = members.retryable ?? false;
    this.retryAfterMs = retryAfterMs;
    this.effect = members.effect;
    this.reason = members.reason ?? undefined;
    this.intentId = members.intent_id;
    this.requestId = members.request_id;
    this.idempotencyKey = idempotencyKey;
    this.fields = members.fields ?? [];
  }
}

/** The members of a problem document, which token errors have under `detail`. Null: the text is none, as of a proxy. */
export function membersOf(text: string): Members | null {
  try {
    const { error, detail } = JSON.parse(text);
    const members = typeof error === 'object' ? error : detail;
    return typeof members?.code === 'string' ? members : null;
  } catch {
    return null;
  }
}

/** Whether the same request may succeed later: these are the statuses of a busy or failing gateway or content network in front of the service. */
export const isPassing = (status: number): boolean => status >= 500 || status === 408 || status === 429;

/**
 * The error of a response whose text was read. Its `effect` is none only if that holds for every attempt: the error of
 * a repeat that the service did not recognise, as it has no intent, is no proof.
 */
export function errorOf({ text, response, idempotencyKey, isFirst = true, intentId }: Failed): ServiceError {
  const { status, headers } = response;
  const members = membersOf(text);
  const isProof = isFirst || members?.intent_id !== undefined;
  const isWrite = idempotencyKey !== undefined;
  const message = `Status ${status} without a problem document.`;
  const unreadable = { code: 'UNREADABLE', message, retryable: isPassing(status) };
  return new ServiceError(
    {
      ...(intentId !== undefined && { intent_id: intentId }),
      ...(members ?? unreadable),
      ...(isWrite && !(members && isProof) && { effect: 'unknown' as const }),
    },
    { status, retryAfterMs: retryAfterMs(headers), idempotencyKey },
  );
}

/** The wait that a response asks for, in seconds or as a date (RFC 9110, section 10.2.3); 0 if none. */
export function retryAfterMs(headers: Headers): number {
  const asked = headers.get('Retry-After');
  if (asked === null) return 0;
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1_000 : Date.parse(asked) - Date.now();
  return Math.max(0, ms || 0);
}

/** Throws an error that ended the wait for a write again: what the write has done is not known. */
export function throwAsUnknown(error: unknown, idempotencyKey: string | undefined, intent_id?: string): never {
  throw ofWrite(error, 'unknown', { idempotencyKey, ...(intent_id !== undefined && { intent_id }) });
}

/** Throws the error with which no credentials could be obtained again, as that of the request, which was not sent. */
export function throwAsUnsent(error: unknown, idempotencyKey: string | undefined): never {
  throw ofWrite(error, idempotencyKey === undefined ? undefined : 'none', { idempotencyKey });
}

type Write = { idempotencyKey: string | undefined; intent_id?: string };

function ofWrite(error: unknown, effect: Effect | undefined, { idempotencyKey, intent_id }: Write): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, message, retryable, status, retryAfterMs, requestId } = error;
  const members = {
    code,
    message,
    retryable,
    ...(requestId !== undefined && { request_id: requestId }),
    ...(effect !== undefined && { effect }),
    ...(intent_id !== undefined && { intent_id }),
  };
  return new ServiceError(members, { status, retryAfterMs, idempotencyKey, cause: error });
}
