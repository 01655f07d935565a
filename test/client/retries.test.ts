import { expect } from 'chai';
import { OK, ORDER, problem, type Reply, scripted } from '../support/scripted-client.ts';

describe('requests of the client', () => {
  it('are repeated under one key after a lost response, and where the error allows it', async () => {
    const { received, place } = scripted([
      'lost',
      problem(503, { retryable: true, effect: 'unknown' }),
      { status: 502, text: '<html>bad gateway</html>' },
      OK,
    ]);

    expect(await place()).to.deep.equal({ success: true });
    expect(received).to.have.length(4);
    expect(new Set(received.map(({ key }) => key)).size).to.equal(1);
    expect(received[0]?.key).to.match(/^[0-9a-f-]{36}$/);
  });

  it('are repeated under one key after a success that is no response of the service, or only a part of one', async () => {
    const { received, place } = scripted([
      { status: 200, text: '<html>Log in</html>' },
      { status: 200, text: '{"succ' },
      OK,
    ]);
    const lost = scripted([{ status: 200, text: '<html>Log in</html>' }], { retries: 1 });

    expect(await place()).to.deep.equal({ success: true });
    expect(received).to.have.length(3);
    expect(new Set(received.map(({ key }) => key)).size).to.equal(1);
    const error = await lost.failure();
    expect(error).to.include({ code: 'NO_RESPONSE', effect: 'unknown', idempotencyKey: lost.received[0]?.key });
  });

  it('take what they asked for in another form as it is', async () => {
    const { service, received } = scripted([{ status: 200, text: 'id,kind\n' }]);

    const reply = await service.api.GET('/v1/statements', { headers: { Accept: 'text/csv' }, parseAs: 'text' });

    expect(reply.data).to.equal('id,kind\n');
    expect(await service.settled(reply)).to.equal('id,kind\n');
    expect(received).to.have.length(1);
  });

  it('are no new attempt of a write once no time is left for it: its end is the result', async () => {
    const pending: Reply = { status: 202, headers: { 'Intent-Id': 'i', 'Retry-After': '0' }, text: '{}' };
    const failed = { code: 'VENUE_COOLDOWN', message: 'Wait.', retryable: true, retry_after_s: 5 };
    const settled_at = new Date().toISOString();
    const shown: Reply = { status: 200, text: JSON.stringify({ settled_at, effect: 'none', problem: failed }) };
    const { service, received } = scripted([pending, shown, OK]);

    const ended = service.settled(service.api.POST('/v1/orders/netvenue', ORDER), { withinMs: 1_000 });
    const error = await ended.catch((each) => each);

    expect(error).to.include({
      code: 'VENUE_COOLDOWN',
      effect: 'none',
      retryable: true,
      retryAfterMs: 5_000,
      intentId: 'i',
    });
    expect(received.map(({ method }) => method)).to.deep.equal(['POST', 'GET']);
  });

  it('are not repeated where the error forbids it, whatever its status', async () => {
    for (const status of [409, 422, 429, 500, 503]) {
      const { received, failure } = scripted([problem(status, { retryable: false, effect: 'none' }), OK]);

      expect(await failure()).to.include({ status, code: 'VENUE_UNREACHABLE', retryable: false, effect: 'none' });
      expect(received).to.have.length(1);
    }
  });

  it('are repeated after the page of a gateway or of a content network, which may pass them later', async () => {
    for (const status of [408, 429, 500, 502, 504, 520, 524]) {
      const page: Reply = { status, text: '<html>Sorry</html>' };
      const { received, place } = scripted([page, OK]);

      expect(await place(), String(status)).to.deep.equal({ success: true });
      expect(new Set(received.map(({ key }) => key)).size).to.equal(1);
      expect(await scripted([page], { retries: 0 }).failure()).to.include({ effect: 'unknown', retryable: true });
    }
    const { received, failure } = scripted([{ status: 403, text: '<html>Blocked</html>' }]);
    expect(await failure()).to.include({ effect: 'unknown', retryable: false });
    expect(received).to.have.length(1);
  });

  it('are repeated as often as by default where an option is given without a value', async () => {
    const none = { retries: undefined, longestWaitMs: undefined, timeoutMs: undefined, headers: undefined };
    const { received, failure } = scripted([problem(429, { retryable: true }, { 'Retry-After': '31' })], none as never);
    const again = scripted(['lost'], { ...none, retries: 1 } as never);

    expect(await failure()).to.include({ status: 429 });
    expect(received).to.have.length(1);
    expect(await again.failure()).to.include({ code: 'NO_RESPONSE' });
    expect(again.received).to.have.length(2);
  });

  it('wait as long as Retry-After asks, in seconds or as a date', async () => {
    const soon = new Date(Date.now() + 2_000).toUTCString(); // whole seconds: 1 to 2 s from now
    for (const asked of ['1', soon]) {
      const { received, place } = scripted([problem(429, { retryable: true }, { 'Retry-After': asked }), OK]);

      await place();

      const [first, second] = received.map(({ at }) => at) as [number, number];
      expect(second - first).to.be.above(asked === '1' ? 990 : 100);
    }
  });

  it('leave a long Retry-After to the caller', async () => {
    const { received, failure } = scripted([problem(429, { retryable: true }, { 'Retry-After': '60' })]);

    expect(await failure()).to.include({ status: 429, retryable: true });
    expect(received).to.have.length(1);
  });

  it('end with the key of a write whose effect is not known, so that the caller can repeat it', async () => {
    const { received, failure } = scripted(['lost'], { retries: 1 });

    const error = await failure();

    expect(error).to.include({ status: 0, code: 'NO_RESPONSE', effect: 'unknown', retryable: true });
    expect(error.idempotencyKey).to.equal(received[0]?.key);
    expect(received).to.have.length(2);
  });

  for (const [came, last] of [
    ['nothing', 'lost'],
    ['a page of a gateway', { status: 502, text: '<html>bad gateway</html>' }],
  ] as const)
    it(`end with the id of a write that was accepted, although ${came} came instead of its result`, async () => {
      const pending: Reply = { status: 202, headers: { 'Intent-Id': 'i' }, text: '{"status":"pending"}' };
      const ended: Reply = {
        status: 200,
        text: '{"settled_at":"2026-01-01T00:00:00Z","problem":null,"effect":"done"}',
      };
      const { failure } = scripted([pending, ended, last], { retries: 0 });
      expect(await failure()).to.include({ effect: 'unknown', intentId: 'i' });
    });

  for (const baseUrl of ['https://service.example:443', 'https://SERVICE.example', 'https://service.example:443/gate/'])
    it(`poll a write under the generation of its path where the address is ${baseUrl}`, async () => {
      const pending: Reply = { status: 202, headers: { 'Intent-Id': 'i', 'Retry-After': '0' }, text: '{}' };
      const ended: Reply = { status: 200, text: '{"settled_at":"2026-01-01T00:00:00Z","problem":null}' };
      const { received, place } = scripted([pending, ended, OK], { baseUrl });

      await place();

      expect(received[1]?.path).to.match(/^(\/gate)?\/v1\/intents\/i$/);
    });

  it('are reported to have had no effect only where that holds for every attempt', async () => {
    const none = { retryable: false, effect: 'none' };
    const [rejected, ofIntent] = [problem(401, none), problem(422, { ...none, intent_id: '01' })];
    const unknown = problem(503, { retryable: true, effect: 'unknown' });
    const html: Reply = { status: 502, text: '<html>' };

    for (const [replies, effect] of [
      [[rejected], 'none'],
      [['lost', rejected], 'unknown'],
      [[unknown, rejected], 'unknown'],
      [[html, rejected], 'unknown'],
      [['lost', ofIntent], 'none'],
      [[problem(429, { ...none, retryable: true }), rejected], 'none'],
      [[{ status: 403, text: '<html>' }], 'unknown'],
      [[{ status: 202, text: '{}' }, rejected], 'unknown'],
      [[{ status: 202, headers: { 'Intent-Id': '01' }, text: '{}' }, rejected], 'unknown'],
    ] as [Reply[], string][]) {
      const error = await scripted(replies).failure();

      expect(error.effect, JSON.stringify(replies)).to.equal(effect);
      expect(error.idempotencyKey).to.match(/^[0-9a-f-]{36}$/);
    }
  });

  it('were not sent where no token could be obtained: a write had no effect, and its key is named', async () => {
    const credentials = { clientId: 'app_1', clientSecret: 'csk_1' };
    const rejected = problem(401, { code: 'V2_INVALID_CREDENTIALS', retryable: false, effect: 'none' });
    for (const token of ['lost', { status: 502, text: '<html>' }, rejected] as Reply[]) {
      const { service, received, failure } = scripted([token], { credentials, retries: 0 });

      const error = await failure();
      const read = await service.settled(service.api.GET('/v2/apps/me')).catch((each) => each);

      expect(new Set(received.map(({ path }) => path))).to.deep.equal(new Set(['/v2/oauth/token']));
      expect(error.effect).to.equal('none');
      expect(error.idempotencyKey).to.match(/^[0-9a-f-]{36}$/);
      expect(read).to.include({ code: error.code, effect: undefined, idempotencyKey: undefined });
    }
  });

  it('keep the key that the caller gives', async () => {
    const { service, received } = scripted(['lost', OK]);
    const header = { 'Trader-ID': '7', 'Idempotency-Key': 'mine' };

    await service.api.POST('/v1/orders/netvenue', { ...ORDER, params: { header } });

    expect(received.map(({ key }) => key)).to.deep.equal(['mine', 'mine']);
  });

  it('have the usual headers, and a header of their own in place of the usual one', async () => {
    const { service, received } = scripted([{ status: 200, text: '{}' }], { headers: { 'X-Session-Token': 'usual' } });

    await service.api.GET('/v2/auth/me');
    await service.api.GET('/v2/auth/me', { headers: { 'X-SESSION-TOKEN': 'own' } });

    expect(received.map(({ session }) => session)).to.deep.equal(['usual', 'own']);
  });

  it('read without a key', async () => {
    const { service, received } = scripted(['lost', { status: 200, text: '[]' }]);

    const rows = await Array.fromAsync(service.rows(service.api.GET('/v1/sessions')));

    expect(rows).to.deep.equal([]);
    expect(received.map(({ key }) => key)).to.deep.equal([null, null]);
  });

  it('are repeated for the end of a 202 that names no intent', async () => {
    const { received, place } = scripted([{ status: 202, text: '{"success":true,"status":"pending"}' }, OK]);

    expect(await place()).to.deep.equal({ success: true });
    expect(new Set(received.map(({ key }) => key)).size).to.equal(1);
  });
});
