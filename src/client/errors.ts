/** What a write has done at the venue or elsewhere, as far as the service knows. */
export type Effect = 'none' | 'done' | 'unknown';

type Members = {
  code: string;
  message: string;
  retryable?: boolean;
  effect?: Effect;
  intent_id?: string;
  request_id?: string;
  fields?: { loc: (string | number)[]; msg: string; type: string }[];
};

/** Beyond the members: the response's status (0 without a response), and the key of the write. */
type Occurrence = { status: number; idempotencyKey?: string | undefined; cause?: unknown };

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
  readonly effect: Effect | undefined;
  readonly intentId: string | undefined;
  readonly requestId: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Invalid members of the request. */
  readonly fields: NonNullable<Members['fields']>;

  constructor(members: Members, { status, idempotencyKey, cause }: Occurrence) {
    super(members.message, { cause });
    this.name = 'ServiceError';
    this.status = status;
    this.code = members.code;
    this.retryable = members.retryable ?? false;
    this.effect = members.effect;
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

/** The error of a response whose text was read. */
export const errorOf = (text: string, occurrence: Occurrence): ServiceError =>
  new ServiceError(
    membersOf(text) ?? { code: 'UNREADABLE', message: `Status ${occurrence.status} without a problem document.` },
    occurrence,
  );
