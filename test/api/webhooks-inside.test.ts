import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { ENDPOINTS, expectProblem } from '../support/endpoints.ts';
import { insideForms } from '../support/forms.ts';
import { type Identity, startIdentity, type TestApp } from '../support/identity.ts';
import { type Listeners, listenInside } from '../support/sockets.ts';

describe('webhook endpoints where loopback is not allowed', () => {
  let service: Identity;
  let app: TestApp;
  let inside: Listeners;
  before(async () => {
    service = await startIdentity({ WEBHOOK_LOOPBACK: 'false' });
    app = await service.app();
    inside = await listenInside();
  });
  after(async () => {
    await inside.close();
    await service.stop();
  });

  it('reject every form of an internal address, at create, update and test, without a connection', async () => {
    const forms = insideForms(inside.port).filter(({ url, responses }) => !responses && !url.includes('\t'));
    const { body: endpoint } = await app.ask('POST', ENDPOINTS, {
      json: { url: 'https://192.0.66.2/hook', events: ['*'] },
    });

    for (const { url } of forms) {
      expectProblem(await app.ask('POST', ENDPOINTS, { json: { url, events: ['*'] } }), 'V2_WEBHOOK_URL_FORBIDDEN');
      expectProblem(
        await app.ask('PATCH', `${ENDPOINTS}/${endpoint.id}`, { json: { url } }),
        'V2_WEBHOOK_URL_FORBIDDEN',
      );
      await service.db.query(
        sql.type(z.object({}))`update webhook_endpoints set url = ${url} where id = ${endpoint.id}`,
      );
      expectProblem(await app.ask('POST', `${ENDPOINTS}/${endpoint.id}/test`), 'V2_WEBHOOK_URL_FORBIDDEN');
    }

    console.log(`    ${forms.length} forms at create, update and test: ${inside.connections()} connections`);
    expect(forms.length).to.be.at.least(150);
    expect(inside.connections()).to.equal(0);
  });

  it('respond alike to an internal name, whether it exists or not, and to an internal address', async () => {
    const create = (host: string) => app.ask('POST', ENDPOINTS, { json: { url: `https://${host}/`, events: ['*'] } });
    const shown = ({ status, body: { error, ...rest } }: Awaited<ReturnType<typeof create>>) =>
      JSON.stringify([status, rest, { ...error, request_id: '' }]);

    const address = shown(await create('10.0.0.1'));

    for (const host of [
      ...['postgres', 'metadata', 'metadata.google.internal', 'db.internal.', 'printer.local', 'nas.lan', 'wiki.corp'],
      ...[
        'router.home.arpa',
        'api.default.svc',
        'api.default.svc.cluster.local',
        'REDIS',
        'ｐｏｓｔｇｒｅｓ',
        'a.intranet',
      ],
    ])
      expect(shown(await create(host)), host).to.equal(address);
    expect(address).to.include('V2_WEBHOOK_URL_FORBIDDEN');
  });
});
