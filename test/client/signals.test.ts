import { expect } from 'chai';
import { connect } from '../../src/client/index.ts';
import { ORDER, scripted } from '../support/scripted-client.ts';

const credentials = { clientId: 'app_1', clientSecret: 'csk_1' };

describe('a signal that is aborted', () => {
  it('ends a request with its reason, which is not repeated', async () => {
    const { service, received } = scripted(['lost']);
    const ended = new AbortController();

    const calling = service.api.POST('/v1/orders/netvenue', { ...ORDER, signal: ended.signal }).catch((error) => error);
    ended.abort(new Error('enough'));

    expect((await calling).message).to.equal('enough');
    expect(received).to.have.length.below(2);
  });

  it('ends a request with its reason also while its token is awaited, and it is not sent after that', async () => {
    const paths: string[] = [];
    const token = Promise.withResolvers<Response>();
    const { api } = connect({
      baseUrl: 'https://service.example',
      credentials,
      fetch: async (url) => {
        paths.push(new URL(String(url)).pathname);
        return paths.length === 1 ? token.promise : new Response('{}');
      },
    });
    const calling = (signal: AbortSignal) =>
      api.POST('/v1/orders/netvenue', { ...ORDER, signal }).catch((error) => error);

    const ended = await calling(AbortSignal.timeout(50));
    token.resolve(new Response('{"access_token":"apt_1","expires_in":3600}'));
    await calling(AbortSignal.timeout(5_000));

    expect(ended).to.include({ name: 'TimeoutError' });
    expect(paths).to.deep.equal(['/v2/oauth/token', '/v1/orders/netvenue']);
  });

  for (const [what, nth] of [
    ['the poll', 2],
    ['the request for its result', 3],
  ] as const)
    it(`is not needed where a wait has a limit: it ends on time, also while no response comes to ${what}`, async () => {
      const replies = [
        new Response('{"status":"pending"}', { status: 202, headers: { 'Intent-Id': 'i', 'Retry-After': '0' } }),
        new Response('{"settled_at":"2026-01-01T00:00:00Z","problem":null}'),
      ];
      let asked = 0;
      const { api, settled } = connect({
        baseUrl: 'https://service.example',
        credentials: { partnerKey: 'tpk_1' },
        fetch: async (_url, init) => {
          asked += 1;
          const reply = asked < nth ? replies[asked - 1] : undefined;
          if (reply) return reply;
          return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
        },
      });
      const from = performance.now();

      const error = await settled(api.POST('/v1/orders/netvenue', ORDER), { withinMs: 500 }).catch((each) => each);

      expect(error).to.include({ code: 'STILL_PENDING', effect: 'unknown', intentId: 'i', retryable: true });
      expect(performance.now() - from).to.be.below(1_500);
      expect(asked).to.equal(nth);
    });

  it('ends a stream also while its token is awaited', async () => {
    const ended = new AbortController();
    const service = connect({ baseUrl: 'https://service.example', credentials, fetch: () => new Promise(() => {}) });

    const next = service.events('/v2/trading/stream', { signal: ended.signal }).next();
    ended.abort();

    expect(await next).to.deep.equal({ done: true, value: undefined });
  });
});
