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
    return new Response(reply);
  }
}

type Client = InstanceType<typeof Stripe.HttpClient>;
type Answered = Extract<Reply, { kind: 'response' }>;

class Response extends Stripe.HttpClientResponse {
  readonly #reply: Answered;

  constructor(reply: Answered) {
    super(reply.status, textsOf(reply.headers));
    this.#reply = reply;
  }

  override getRawResponse(): unknown {
    return this.#reply;
  }

  /** A body that is not JSON (a proxy's page, a truncated response) is not conclusive. */
  override async toJSON(): Promise<unknown> {
    const json = parseJson(this.#reply.text);
    if (json === undefined)
      throw new TransportFault({ kind: 'lost', why: `unreadable body, status ${this.#reply.status}` });
    return json;
  }
}

const textsOf = (headers: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
