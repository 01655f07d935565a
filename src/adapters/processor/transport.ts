import Stripe from 'stripe';
import { type HttpClient, parseJson, type Reply } from '../http.ts';

const LONGEST_MS = 20_000; // below the 30 s of a router, and long for a party that answers in one

/** A fault of the way to the processor; `unsent` where provably nothing left. Its code makes stripe-node try nothing again. */
export class WayFault extends Error {
  readonly code: 'UNSENT' | 'LOST';
  readonly why: string;

  constructor({ kind, why }: Exclude<Reply, { kind: 'response' }>) {
    super(why);
    this.code = kind === 'unsent' ? 'UNSENT' : 'LOST';
    this.why = why;
  }
}

/**
 * Carries stripe-node's requests over the client of all adapters: it knows whether a request can have left, bounds the
 * whole answer in time, and never sends twice (stripe-node's own client sends once more after a reset).
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
      method: method as 'GET' | 'POST' | 'DELETE', // as: the API knows no other
      url: `${protocol}://${host}:${port}${path}`,
      headers: textsOf(headers),
      ...(method === 'POST' && { body: body ?? '' }),
      timeoutMs: LONGEST_MS,
    });
    if (reply.kind !== 'response') throw new WayFault(reply);
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

  /** Whatever is no JSON (a page of something in between, half an answer) decides nothing. */
  override async toJSON(): Promise<unknown> {
    const json = parseJson(this.#reply.text);
    if (json === undefined) throw new WayFault({ kind: 'lost', why: `unreadable body, status ${this.#reply.status}` });
    return json;
  }
}

const textsOf = (headers: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
