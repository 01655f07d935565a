import { expect } from 'chai';
import { connect } from '../../src/client/index.ts';
import { type Ask, asking, bearer, fresh } from '../support/identity.ts';
import { keyed } from '../support/law/scene.ts';
import { eventually } from '../support/money.ts';
import { type Relay, relayTo } from '../support/relay.ts';
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
  const roll = (ask: Ask, json: object = {}) => ask('POST', '/v1/keys/roll', keyed(fresh('roll'), json));
  /** A way to the service on which the first response to a roll is lost, after the roll has been committed. */
  const losing = async (path: string): Promise<Relay> => {
    const relay = await relayTo(service.url);
    let isFirst = true;
    relay.handle = async ({ name, forward }) => {
      const reply = await forward();
      const isLost = name === `POST ${path}` && isFirst;
      if (isLost) isFirst = false;
      return isLost ? 'lost' : reply;
    };
    return relay;
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
    const rolled = await roll(ask, { overlap_seconds: 600 });
    const next = asking(service.url, bearer(rolled.body.key));
    const [old, made] = (await next('GET', '/v1/keys')).body;

    expect(rolled.headers.get('cache-control')).to.equal('no-store');
    expect(Date.parse(old.expires_at)).to.equal(Date.parse(rolled.body.previous_key_expires_at));
    expect([old.hint, made.hint]).to.deep.equal([key.slice(0, 8), rolled.body.key.slice(0, 8)]);
    expect((await ask('GET', '/v1/keys')).status).to.equal(200);
    expect(await codeOf(roll(ask))).to.equal('V1_KEY_SUPERSEDED');
  });

  it('a roll without an Idempotency-Key is rejected, and rolls nothing: its lost response could not be had again', async () => {
    const { ask } = await partner();
    const app = await service.app(['api']);
    const rejected = [
      await ask('POST', '/v1/keys/roll', { json: {} }),
      await app.ask('POST', '/v2/apps/me/rotate-secret', { json: {} }),
    ];

    for (const { status, body } of rejected) {
      expect(status).to.equal(422);
      expect(body.error.fields[0].loc).to.deep.equal(['header', 'Idempotency-Key']);
    }
    expect((await ask('GET', '/v1/keys')).body).to.have.length(1);
    expect((await app.ask('GET', '/v2/apps/me/secrets')).body).to.have.length(1);
  });

  it('a roll whose response is lost is repeated with the old key: the same new key is returned, also much later in the overlap', async () => {
    const { key, ask } = await partner();
    const relay = await losing('/v1/keys/roll');
    const lost = keyed(fresh('roll'), { overlap_seconds: 600 });

    await asking(relay.url, bearer(key))('POST', '/v1/keys/roll', lost).then(
      () => expect.fail('the response was lost'),
      () => {},
    );
    const repeats = [await ask('POST', '/v1/keys/roll', lost), await ask('POST', '/v1/keys/roll', lost)];
    await relay.close();

    expect(repeats.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(repeats[1]?.body).to.deep.equal(repeats[0]?.body);
    const next = asking(service.url, bearer(repeats[0]?.body.key));
    expect((await next('GET', '/v1/keys')).body).to.have.length(2);
    expect((await roll(next)).status).to.equal(200);
  });

  it('a rotation whose response is lost is repeated by the client with a token of the old secret', async () => {
    const { appId, secret } = await service.app(['api']);
    const relay = await losing('/v2/apps/me/rotate-secret');
    const client = connect({ baseUrl: relay.url, credentials: { clientId: appId, clientSecret: secret } });
    const header = { 'Idempotency-Key': fresh('rotation') };

    const rotated = await client.settled(
      client.api.POST('/v2/apps/me/rotate-secret', { params: { header }, body: {} }),
    );
    await relay.close();

    const issued = await service.token({ appId, secret: rotated.client_secret });
    expect(issued.status).to.equal(200);
    const own = await asking(service.url, bearer(issued.body.access_token))('GET', '/v2/apps/me/secrets');
    expect(own.body).to.have.length(2);
  });

  it('of many rolls at once with one key a single one succeeds', async () => {
    const { ask } = await partner();
    const replies = await Promise.all(Array.from({ length: 8 }, () => roll(ask)));

    expect(replies.filter(({ status }) => status === 200)).to.have.length(1);
    expect((await ask('GET', '/v1/keys')).body).to.have.length(2);
  });

  it('without an overlap the old key ends as soon as the process hears of it, and its stream with it', async () => {
    const { key, ask } = await partner();
    const stream = await readStream(`${service.url}/v1/stream`, bearer(key));
    const { body } = await roll(ask, { overlap_seconds: 0 });

    await eventually(async () => (await codeOf(ask('GET', '/v1/keys'))) === 'V1_KEY_INVALID', 2_000);
    expect((await asking(service.url, bearer(body.key))('GET', '/v1/keys')).status).to.equal(200);
    await eventually(async () => stream.ended());
    expect(stream.events.at(-1)).to.deep.include({ type: 'closed', data: { reason: 'revoked' } });
  });
});
