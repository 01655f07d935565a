import Stripe from 'stripe';
import { type HttpClient, parseJson, type Reply } from '../http.ts';

const LONGEST_MS = 20_000; // below a router's 30 s; the processor usually responds within 1 s

/** A transport fault. `UNSENT`: provably no byte left. With this code stripe-node does not retry. */
export class TransportFault extends Error {
  readonly code: 'UNSENT' | 'LOST';
  readonly why: string;

  constructor({ kind, why }: Exclude<Reply, { kind: 'response' }>) {
    super(why);
    this.code = kind === 'unsent' ? 'UNSENT' : 'LOST';
    this.why = why;
  }
}

/**
 * Sends stripe-node's requests through the HTTP client of all adapters. That client knows whether a request may have
 * left, bounds the whole response in time, and never resends (stripe-node's own client resends once after a reset).
 */
export class Transport extends Stripe.HttpClient {
  readonly #send: HttpClient;

  constructor(send: HttpClient) {
    super();
    this.#send = send;
  }

  override getClientName(): string {
    return 'node';
  }

  override async makeRequest(
    ...[host, port, path, method, headers, body, protocol]: Parameters<Client['makeRequest']>
  ): ReturnType<Client['makeRequest']> {
    const reply = await this.#send({
      method: method as 'GET' | 'POST' | 'DELETE', // as: the API uses no other method
      url: `${protocol}://${host}:${port}${path}`,
      headers: textsOf(headers),
      ...(method === 'POST' && { body: body ?? '' }),
      timeoutMs: LONGEST_MS,
    });
    if (reply.kind !== 'response') throw new TransportFault(reply);
    if (isToAnother(reply, headers))
      throw new TransportFault({ kind: 'lost', why: 'the response is to another request' });
    return new Response(reply);
  }
}

/** Whether a response names the idempotency key of another request. */
const isToAnother = ({ headers }: HttpReply, sent: object): boolean => {
  const [named, own] = [headers['idempotency-key'], textsOf(sent)['Idempotency-Key']];
  return named !== undefined && named !== own;
};

type Client = InstanceType<typeof Stripe.HttpClient>;
type HttpReply = Extract<Reply, { kind: 'response' }>;

class Response extends Stripe.HttpClientResponse {
  readonly #reply: HttpReply;

  constructor(reply: HttpReply) {
    super(reply.status, textsOf(reply.headers));
    this.#reply = reply;
  }

  override getRawResponse(): unknown {
    return this.#reply;
  }

  /**
   * A response in another form than the API's (a proxy's page, a truncated body, a bare JSON value) is not conclusive.
   * stripe-node does not look at the status: it takes an object without `error` for a success, and never resolves for a
   * value that is not an object.
   */
  override async toJSON(): Promise<unknown> {
    const { status, text } = this.#reply;
    const json = parseJson(text);
    if (!hasForm(json, status)) throw new TransportFault({ kind: 'lost', why: `unreadable body, status ${status}` });
    return json;
  }
}

/** A success is an object without `error`. Any other status comes with an `error` object. */
const hasForm = (json: unknown, status: number): boolean => {
  const error = isObject(json) && 'error' in json ? json.error : undefined;
  return status >= 200 && status < 300 ? isObject(json) && error === undefined : isObject(error);
};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textsOf = (headers: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
