import { expect } from 'chai';
import { connect } from '../../src/client/index.ts';
import { problem, type Reply, scripted } from '../support/scripted-client.ts';

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

  it('have every event, whatever marks of Unicode are in its text', async () => {
    const label = 'one\u2028two\u2029three\u0085four';
    const text = `id: a:1\nevent: enrollment.updated\ndata: ${JSON.stringify({ label })}\n\n`;

    expect(await first([TOKEN, { status: 200, text }, EVENT]).event).to.deep.equal({
      id: 'a:1',
      type: 'enrollment.updated',
      data: { label },
    });
  });

  it('are opened anew where no response to the request comes', async () => {
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
