import { expect } from 'chai';
import { type Ask, asking, bearer } from '../support/identity.ts';
import { eventually } from '../support/money.ts';
import { readStream } from '../support/stream.ts';
import { startTrading, type Trading } from '../support/trading.ts';

describe('the credentials of a caller', function () {
  this.timeout(60_000);
  let service: Trading;
  before(async () => {
    service = await startTrading();
  });
  after(() => service.stop());

  const partner = async () => {
    const { key } = await service.partner();
    return { key, ask: asking(service.url, bearer(key)) };
  };
  const codeOf = async (reply: ReturnType<Ask>) => (await reply).body.error?.code;

  it('are listed by their first characters, with their last use', async () => {
    const { key, ask } = await partner();
    const app = await service.app(['api']);
    const used = (path: string, by: Ask) =>
      eventually(async () => {
        const [first] = (await by('GET', path)).body;
        return first.last_used_at && first;
      });
    const [ofPartner, ofApp] = [await used('/v1/keys', ask), await used('/v2/apps/me/secrets', app.ask)];

    expect(ofPartner).to.include({ hint: key.slice(0, 8), expires_at: null, revoked_at: null });
    expect(ofApp).to.include({ hint: app.secret.slice(0, 8), expires_at: null, superseded_at: null });
    for (const text of [JSON.stringify(ofPartner), JSON.stringify(ofApp)])
      expect(text).to.not.include(key).and.not.include(app.secret);
  });

  it('a key rolls itself once: both are valid for the overlap, and the old one rolls nothing more', async () => {
    const { key, ask } = await partner();
    const rolled = await ask('POST', '/v1/keys/roll', { json: { overlap_seconds: 600 } });
    const next = asking(service.url, bearer(rolled.body.key));
    const [old, made] = (await next('GET', '/v1/keys')).body;

    expect(rolled.headers.get('cache-control')).to.equal('no-store');
    expect(Date.parse(old.expires_at)).to.equal(Date.parse(rolled.body.previous_key_expires_at));
    expect([old.hint, made.hint]).to.deep.equal([key.slice(0, 8), rolled.body.key.slice(0, 8)]);
    expect((await ask('GET', '/v1/keys')).status).to.equal(200);
    expect(await codeOf(ask('POST', '/v1/keys/roll'))).to.equal('V1_KEY_SUPERSEDED');
  });

  it('of many rolls at once with one key a single one succeeds', async () => {
    const { ask } = await partner();
    const replies = await Promise.all(Array.from({ length: 8 }, () => ask('POST', '/v1/keys/roll', { json: {} })));

    expect(replies.filter(({ status }) => status === 200)).to.have.length(1);
    expect((await ask('GET', '/v1/keys')).body).to.have.length(2);
  });

  it('without an overlap the old key ends as soon as the process hears of it, and its stream with it', async () => {
    const { key, ask } = await partner();
    const stream = await readStream(`${service.url}/v1/stream`, bearer(key));
    const { body } = await ask('POST', '/v1/keys/roll', { json: { overlap_seconds: 0 } });

    await eventually(async () => (await codeOf(ask('GET', '/v1/keys'))) === 'V1_KEY_INVALID', 2_000);
    expect((await asking(service.url, bearer(body.key))('GET', '/v1/keys')).status).to.equal(200);
    await eventually(async () => stream.ended());
    expect(stream.events.at(-1)).to.deep.include({ type: 'closed', data: { reason: 'revoked' } });
  });
});
