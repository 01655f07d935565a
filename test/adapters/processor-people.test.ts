import { expect } from 'chai';
import nock from 'nock';
import { processor } from '../../src/adapters/processor/index.ts';
import type { AppId, UserId } from '../../src/kernel/ids.ts';

const URL = 'https://processor.test';
const OF = { userId: 'usr_1' as UserId, appId: 'app_1' as AppId };
const METADATA = { 'metadata[user_id]': 'usr_1', 'metadata[app_id]': 'app_1' };
const AGREEMENT = 'tos_acceptance[service_agreement]';

describe('what the processor is asked for of people', () => {
  const upstream = processor({ url: URL, secretKey: 'sk_test_1', notificationSecret: 'whsec_1' });
  before(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  after(() => {
    nock.enableNetConnect();
    nock.restore();
  });

  /** The members of the form that a call posts to `path`. */
  async function posted(path: string, call: () => Promise<unknown>): Promise<Record<string, string>> {
    let form: Record<string, string> = {};
    nock(URL)
      .post(path, (body) => {
        form = body;
        return true;
      })
      .reply(200, {});
    await call();
    return form;
  }
  const opened = (country: string, isAbroad: boolean) =>
    posted('/v1/accounts', () => upstream.createAccount({ ...OF, country, isAbroad }, 'intent-1'));
  const verified = (withSelfie: boolean, returnUrl: string | null) =>
    posted('/v1/identity/verification_sessions', () =>
      upstream.createVerification({ ...OF, withSelfie, returnUrl }, 'intent-1'),
    );

  it('is an account that may receive transfers and pays nothing out by itself, which would pay twice', async () => {
    const form = await opened('US', false);

    expect(form).to.include({
      ...METADATA,
      country: 'US',
      type: 'express',
      'capabilities[transfers][requested]': 'true',
    });
    expect(form).to.include({ 'settings[payouts][schedule][interval]': 'manual' }).and.not.have.property(AGREEMENT);
  });

  it('is, of an account abroad, the agreement under which it can be paid', async () => {
    expect(await opened('DE', true)).to.include({ [AGREEMENT]: 'recipient' });
  });

  for (const [withSelfie, wanted] of [
    [true, 'true'],
    [false, 'false'],
  ] as const)
    it(`is a verification by document, with a selfie: ${withSelfie}`, async () => {
      const form = await verified(withSelfie, 'https://app.example/back');

      expect(form).to.include({ ...METADATA, type: 'document', client_reference_id: 'usr_1' });
      expect(form).to.include({
        'options[document][require_matching_selfie]': wanted,
        return_url: 'https://app.example/back',
      });
    });

  it('is no address to return to where the app has none', async () => {
    expect(await verified(false, null)).not.to.have.property('return_url');
  });
});
