import { expect } from 'chai';
import { sql } from 'slonik';
import { atOnce, fresh, type Identity, linkIn, startIdentity, statuses, type TestAdmin } from '../support/identity.ts';

describe('access requests', () => {
  let service: Identity;
  let admin: TestAdmin;
  before(async () => {
    service = await startIdentity();
    admin = await service.admin();
  });
  after(() => service.stop());

  const file = async (email = `${fresh('dev')}@example.com`) => {
    const slug = fresh('tenant');
    const json = { company_name: 'Example & <Sons>', slug, contact_email: email, use_case: 'Challenge accounts' };
    const { status, body } = await service.ask('POST', '/v2/app-requests', { json });
    return { status, body, email, slug, path: `/v2/admin/app-requests/${body.request_id}` };
  };
  const approve = (path: string, json: object = {}) =>
    admin.ask('POST', `${path}/approve`, { json: { entity_hotkey: fresh('hotkey'), ...json } });
  /** An approved request, and the path of its link. */
  const approved = async () => {
    const request = await file();
    const reply = await approve(request.path);
    const link = linkIn((await service.mailTo(request.email)).text);
    return { ...request, appId: reply.body.app_id, link: new URL(link).pathname };
  };
  const secretIn = (page: string) => /csk_[\w-]+/.exec(page)?.[0] ?? '';

  it('lead from the public form to an operator, a link, credentials, and a token', async () => {
    const request = await file();
    const listed = await admin.ask('GET', '/v2/admin/app-requests?status=pending');
    const reply = await approve(request.path, { allowed_scopes: ['api', 'webhooks'] });
    const mail = await service.mailTo(request.email);

    const page = await service.ask('POST', new URL(linkIn(mail.text)).pathname);
    const token = await service.token({ appId: reply.body.app_id, secret: secretIn(page.body) });

    expect(request.body).to.include({ status: 'pending' });
    expect(listed.body[0]).to.include({ request_id: request.body.request_id, slug: request.slug, status: 'pending' });
    expect(reply.body).to.include({ status: 'approved', link_opened_at: null });
    expect(mail.html).to.include('Example &amp; &lt;Sons&gt;').and.not.include('<Sons>');
    expect(token.body.scope).to.equal('api webhooks');
  });

  it('can be approved or declined once, and exactly one of 100 concurrent decisions succeeds', async () => {
    const one = await file();
    const two = await file();

    const approvals = await atOnce(50, () => approve(one.path));
    const declined = await admin.ask('POST', `${two.path}/decline`, { json: { reason: 'Not a fit' } });

    expect(statuses(approvals)).to.deep.equal({ 200: 1, 409: 49 });
    expect(declined.body).to.include({ status: 'declined', decline_reason: 'Not a fit', app_id: null });
    expect((await service.mailTo(two.email)).text).not.to.include('Not a fit');
    expect((await approve(two.path)).body.error.code).to.equal('V2_APP_REQUEST_DECIDED');
    expect((await admin.ask('POST', `${one.path}/decline`)).body.error.code).to.equal('V2_APP_REQUEST_DECIDED');
    expect((await admin.ask('POST', `${two.path}/reissue`)).body.error.code).to.equal('V2_APP_REQUEST_DECIDED');
    expect((await approve('/v2/admin/app-requests/req_aaaaaaaaaaaaaaaaaaaaaaa')).body.error.code).to.equal(
      'V2_APP_REQUEST_UNKNOWN',
    );
  });

  it('require a network identity and a free slug', async () => {
    const taken = await approved();
    const request = await file();

    const withoutHotkey = await admin.ask('POST', `${request.path}/approve`, { json: {} });
    const sameSlug = await approve(request.path, { slug: taken.slug });
    const mails = service.mailbox.mails(request.email);

    expect(withoutHotkey.status).to.equal(422);
    expect(sameSlug.body.error.code).to.equal('V2_APP_SLUG_TAKEN');
    expect(mails).to.have.length(0);
    expect((await approve(request.path)).status).to.equal(200);
  });

  it('are listed in pages', async () => {
    await atOnce(5, () => file());

    const first = await admin.ask('GET', '/v2/admin/app-requests?limit=3');
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await admin.ask('GET', next);

    const ids = [...first.body, ...second.body].map(({ request_id }: { request_id: string }) => request_id);
    expect(first.body).to.have.length(3);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  describe('reveal link', () => {
    it('still shows the secret, once, after 20 visits of scanners', async () => {
      const { link } = await approved();

      const visits = await atOnce(20, () => service.ask('GET', link));
      const heads = await atOnce(20, () => service.ask('HEAD', link));
      const opened = await service.ask('POST', link);
      const again = [await service.ask('POST', link), await service.ask('GET', link)];

      expect(statuses([...visits, ...heads])).to.deep.equal({ 200: 40 });
      expect(visits.map(({ body }) => secretIn(body)).join('')).to.equal('');
      expect(secretIn(opened.body)).to.match(/^csk_[\w-]{43}$/);
      for (const { status, body } of again) {
        expect(status).to.equal(410);
        expect(body).to.match(/opened at <time datetime="[\d-]+T[\d:.]+Z">/);
        expect(secretIn(body)).to.equal('');
      }
    });

    it('returns the secret exactly once out of 100 concurrent requests', async () => {
      const { link, appId } = await approved();

      const replies = await atOnce(100, () => service.ask('POST', link));
      const secrets = replies.map(({ body }) => secretIn(body)).filter(Boolean);

      expect(statuses(replies)).to.deep.equal({ 200: 1, 410: 99 });
      expect((await service.token({ appId, secret: secrets[0] ?? '' })).status).to.equal(200);
    });

    it('is invalidated by a newer one, and so is the secret it showed', async () => {
      const { link, path, email, appId } = await approved();
      const first = secretIn((await service.ask('POST', link)).body);
      const token = (await service.token({ appId, secret: first })).body.access_token;

      const reissued = await admin.ask('POST', `${path}/reissue`);
      const second = new URL(linkIn((await service.mailTo(email, 2)).text)).pathname;
      const old = await service.ask('GET', link);
      const withToken = await service.ask('GET', '/v2/oauth/me', { headers: { Authorization: `Bearer ${token}` } });
      const fresh = secretIn((await service.ask('POST', second)).body);

      expect(reissued.body.link_opened_at).to.equal(null);
      expect([old.status, withToken.status]).to.deep.equal([410, 401]);
      expect((await service.token({ appId, secret: first })).status).to.equal(401);
      expect((await service.token({ appId, secret: fresh })).status).to.equal(200);
    });

    it('of an app that is disabled shows nothing until it is enabled', async () => {
      const { link, appId } = await approved();
      await admin.ask('POST', `/v2/admin/apps/${appId}/disable`);

      const [seen, opened] = [await service.ask('GET', link), await service.ask('POST', link)];
      await admin.ask('POST', `/v2/admin/apps/${appId}/enable`);
      const later = await service.ask('POST', link);

      expect([seen.status, opened.status, later.status]).to.deep.equal([410, 410, 200]);
      expect(opened.body).to.include('is disabled at present');
      expect(secretIn(opened.body)).to.equal('');
      expect(secretIn(later.body)).not.to.equal('');
    });

    it('is valid for 72 hours, and an unknown one gets the same response', async () => {
      const { link, appId } = await approved();
      const left = await service.db.oneFirst(
        sql.unsafe`select extract(epoch from expires_at - now())::int from reveal_links where app_id = ${appId}`,
      );
      await service.db.query(sql.unsafe`update reveal_links set expires_at = now() where app_id = ${appId}`);

      expect(left).to.be.within(72 * 3600 - 10, 72 * 3600);
      expect((await service.ask('POST', link)).body).to.include('Expired link');
      expect((await service.ask('GET', '/v2/reveal/rvl_unknown')).status).to.equal(404);
    });

    it('shows pages that load nothing, cannot be framed, and are never cached', async () => {
      const { link } = await approved();

      const { headers, body } = await service.ask('GET', link);

      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).to.match(
        /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(headers.get('referrer-policy')).to.equal('no-referrer');
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(body).not.to.match(/\b(src|href)=|https?:\/\//);
      expect(JSON.stringify(service.log.lines)).not.to.include(link.split('/').at(-1) ?? '');
    });
  });
});
