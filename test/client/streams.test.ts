import { mock } from 'node:test';
import { expect } from 'chai';
import { connect } from '../../src/client/index.ts';
import { problem, type Reply, scripted } from '../support/scripted-client.ts';

const [LIFETIME_MS, HEARTBEAT_MS] = [900_000, 15_000]; // of a stream of the service

/** The body of a stream on which nothing happens until it ends. */
const quietFor = (ms: number): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(body) {
      const beat = (left: number) => {
        body.enqueue(new TextEncoder().encode(':\n\n'));
        if (left <= 0) body.close();
        else setTimeout(beat, HEARTBEAT_MS, left - HEARTBEAT_MS);
      };
      beat(ms);
    },
  });

describe('streams of the client', () => {
  const TOKEN: Reply = { status: 200, text: '{"access_token":"apt_1","expires_in":3600}' };
  const EVENT: Reply = { status: 200, text: 'id: a:1\nevent: order\ndata: {"n":1}\n\n' };
  const credentials = { clientId: 'app_1', clientSecret: 'csk_1' };
  const wrong = (code: string, challenge: string) =>
    problem(401, { code, retryable: false }, { 'WWW-Authenticate': challenge });
  const first = (replies: Reply[]) => {
    const { service, received } = scripted(replies, { credentials });
    const event = service.events('/v2/trading/stream').next();
    return {
      received,
      event: event.then(
        ({ value }) => value,
        (error) => error,
      ),
    };
  };

  it('open with a new token where theirs has ended, once', async () => {
    const ended = wrong('V2_TOKEN_INVALID', 'Bearer realm="v2", error="invalid_token"');

    expect(await first([TOKEN, ended, TOKEN, EVENT]).event).to.deep.equal({ id: 'a:1', type: 'order', data: { n: 1 } });
    expect(await first([TOKEN, ended, TOKEN, ended]).event).to.include({ status: 401, code: 'V2_TOKEN_INVALID' });
  });

  it('end with a session that has ended, and outlast a service that is away', async () => {
    const session = wrong('V2_SESSION_INVALID', 'Session realm="v2 users"');
    const away = problem(503, { code: 'NOT_READY', retryable: true });
    const waiting = first(['lost', TOKEN, 'lost', away, EVENT]);

    expect(await first([TOKEN, session]).event).to.include({ status: 401, code: 'V2_SESSION_INVALID' });
    expect(await waiting.event).to.include({ id: 'a:1' });
    expect(waiting.received).to.have.length(5);
  });

  it('open with a new token each time theirs has ended, also if no event came between', async () => {
    const ended = wrong('V2_TOKEN_INVALID', 'Bearer realm="v2", error="invalid_token"');
    const quiet: Reply = { status: 200, text: ':\n\n' };

    expect(await first([TOKEN, ended, TOKEN, quiet, ended, TOKEN, EVENT]).event).to.include({ id: 'a:1' });
  });

  it('deliver every event, also with Unicode line separators in its text', async () => {
    const label = 'one\u2028two\u2029three\u0085four';
    const text = `id: a:1\nevent: enrollment.updated\ndata: ${JSON.stringify({ label })}\n\n`;

    expect(await first([TOKEN, { status: 200, text }, EVENT]).event).to.deep.equal({
      id: 'a:1',
      type: 'enrollment.updated',
      data: { label },
    });
  });

  it('are opened again at once after hours in which nothing happened, as after a minute', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const opened: number[] = [];
    const pauses: number[] = [];
    const service = connect({
      baseUrl: 'https://service.example',
      credentials: { apiKey: 'tk_1.secret' },
      fetch: async () => {
        pauses.push(Date.now() - (opened.at(-1) ?? Date.now()) - LIFETIME_MS);
        opened.push(Date.now());
        return new Response(opened.length > 10 ? EVENT.text : quietFor(LIFETIME_MS));
      },
    });
    let received: unknown;
    void service
      .events('/v2/trading/stream', { after: 'a:0' })
      .next()
      .then(({ value }) => {
        received = value;
      });
    try {
      for (let ticks = 0; received === undefined && ticks < 20_000; ticks += 1) {
        await new Promise(setImmediate);
        mock.timers.tick(1_000);
      }
    } finally {
      mock.timers.reset();
    }

    expect(received).to.include({ id: 'a:1' });
    expect(Math.max(...pauses)).to.be.below(2_000); // the steps of the clock are a second
  }).timeout(20_000);

  it('are opened again where no response to the request comes', async () => {
    let opened = 0;
    const service = connect({
      baseUrl: 'https://service.example',
      credentials: { apiKey: 'tk_1.secret' },
      fetch: async (_url, init) => {
        opened += 1;
        if (opened > 1) return new Response(EVENT.text);
        return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
      },
    });
    const { value } = await service.events('/v2/trading/stream', { silenceMs: 100 }).next();

    expect(value).to.include({ id: 'a:1' });
    expect(opened).to.equal(2);
  });

  it('follow no redirect: it would be sent the key', async () => {
    const inits: (RequestInit | undefined)[] = [];
    const service = connect({
      baseUrl: 'https://service.example',
      credentials: { apiKey: 'tk_1.secret' },
      fetch: async (_url, init) => {
        inits.push(init);
        return new Response(EVENT.text);
      },
    });
    await service.events('/v2/trading/stream').next();

    expect(inits.map((init) => init?.redirect)).to.deep.equal(['error']);
  });
});
