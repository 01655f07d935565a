import { errorOf, retryAfterMs, ServiceError, throwAsUnknown } from './errors.ts';
import { pause } from './retry.ts';
import { type Exchange, isOtherForm, type SentRequest, type Transport } from './transport.ts';

/** What a call resolves to: data, or an error, and the response. */
export type Reply<Data> = { data?: Data; error?: unknown; response: Response };
/** The data of a write that has ended: that of a 202 is left out where it has another shape. */
export type Settled<Data> = Exclude<Data, { status: 'pending'; message: string }>;
/** Limits of a wait. By default it takes at most 2 minutes. */
export type SettleOptions = { withinMs?: number; signal?: AbortSignal };

const WITHIN_MS = 120_000;
const LEAST_WAIT_MS = 200;
const LONGEST_TIMER_MS = 2 ** 31 - 1; // a longer timer would fire at once

/**
 * The data of a reply; throws its error as a `ServiceError`. A 202 is polled until its write has ended; then the same
 * request under the same key reads its response, or is a new attempt where the write failed without effect and may be
 * repeated. Throws STILL_PENDING if that takes longer than `withinMs`: the write continues. Throws the problem of a write
 * that failed without effect if another attempt would come later.
 */
export async function settle<Data>(
  calls: Transport,
  baseUrl: string,
  { response: first }: Reply<Data>,
  { withinMs = WITHIN_MS, signal }: SettleOptions = {},
): Promise<Settled<Data>> {
  const until = Date.now() + withinMs;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.min(withinMs, LONGEST_TIMER_MS));
  const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  let intentId: string | undefined;
  try {
    for (let response = first; ; ) {
      const { sent, text, mayHaveActed } = requireExchange(calls, response);
      const isFirst = response === first && !mayHaveActed;
      if (!response.ok) throw errorOf({ text, response, idempotencyKey: keyOf(sent), isFirst, intentId });
      if (response.status !== 202) return dataOf(text, sent) as Settled<Data>; // as: by the contract
      intentId = response.headers.get('Intent-Id') ?? intentId;
      const again = async () => {
        await ended({ calls, sent, baseUrl, until, response, signal: either });
        return calls.send(sent, either).catch((error) => throwAsUnknown(error, keyOf(sent), intentId));
      };
      response = await again().catch((error) => {
        throw error === late.signal.reason ? stillPending(sent, intentId) : error;
      });
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The exchange of a response. Throws for a response that another client received. */
export function requireExchange({ exchangeOf }: Transport, response: Response): Exchange {
  const exchange = exchangeOf(response);
  if (!exchange) throw new Error('The response is not one of this client');
  return exchange;
}

const dataOf = (text: string, sent: SentRequest): unknown =>
  isOtherForm(sent) ? text : text === '' ? undefined : JSON.parse(text);

const keyOf = ({ headers }: SentRequest) => headers.get('Idempotency-Key') ?? undefined;

type Wait = {
  calls: Transport;
  sent: SentRequest;
  baseUrl: string;
  until: number;
  response: Response;
  signal: AbortSignal;
};

/** Polls the intent of a 202 until it has settled, and until the pause has passed that comes before another attempt. */
async function ended({ calls, sent, baseUrl, until, response, signal }: Wait): Promise<void> {
  const intentId = response.headers.get('Intent-Id') ?? undefined;
  const waitMs = Math.max(retryAfterMs(response.headers), LEAST_WAIT_MS);
  const headers = new Headers(sent.headers);
  for (const name of ['Idempotency-Key', 'Content-Type', 'Prefer']) headers.delete(name);
  const url = `${baseUrl}${routesOf(sent.url, baseUrl)}/intents/${intentId}`;
  for (;;) {
    await pause(waitMs, signal);
    if (intentId === undefined) return; // the repeat returns the result
    const asked = calls.send({ method: 'GET', url, headers, body: '' }, signal);
    const shown = await asked.catch((error) => throwAsUnknown(error, keyOf(sent), intentId));
    const text = await shown.text();
    if (!shown.ok) throwAsUnknown(errorOf({ text, response: shown }), keyOf(sent), intentId);
    const { settled_at, problem, effect } = JSON.parse(text);
    if (settled_at === null) continue;
    if (!problem?.retryable) return;
    const againMs = 1_000 * (problem.retry_after_s ?? 0);
    if (Date.now() + againMs > until) throw notRepeated({ ...problem, effect, intent_id: intentId }, sent, againMs);
    return pause(againMs, signal);
  }
}

/**
 * The generation, or the part of it that a trader's key may call, whose intents a request belongs to. `sentTo` is normalized, unlike
 * `baseUrl`: it has no default port, and no capital letters in its host.
 */
const routesOf = (sentTo: string, baseUrl: string): string => {
  const prefix = new URL(`${baseUrl}/`, sentTo).pathname;
  const path = new URL(sentTo).pathname.slice(prefix.length - 1);
  return ['/v1', '/v2/trading'].find((routes) => path.startsWith(`${routes}/`)) ?? '/v2';
};

/** The error of a write that failed without effect when no time was left for another attempt. */
const notRepeated = (problem: ConstructorParameters<typeof ServiceError>[0], sent: SentRequest, againMs: number) =>
  new ServiceError(problem, { status: 202, retryAfterMs: againMs, idempotencyKey: keyOf(sent) });

const stillPending = (sent: SentRequest, intent_id: string | undefined) =>
  new ServiceError(
    {
      code: 'STILL_PENDING',
      message: 'The write has not ended yet.',
      effect: 'unknown',
      retryable: true,
      ...(intent_id !== undefined && { intent_id }),
    },
    { status: 202, idempotencyKey: keyOf(sent) },
  );
