import { expect } from 'chai';
import nock from 'nock';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import { alone } from '../support/alone.ts';

const ADDRESS = `0x${'aB'.repeat(20)}`;
const venue = netvenue({
  minerUrl: 'http://miner.test',
  minerKey: 'miner-key',
  validatorUrl: 'http://validator.test',
  validatorKey: 'validator-key',
  entityHotkey: '5Entity',
});
const request = { assetClass: 'crypto', accountSize: 10_000 };
const made = {
  subaccount_id: 7,
  subaccount_uuid: 'sub-uuid',
  synthetic_hotkey: '5Entity_7',
  asset_class: 'crypto',
  account_size: 10_000,
  status: 'pending',
  created_at_ms: 5,
  eliminated_at_ms: null,
};
const miner = () => nock('http://miner.test').post('/api/create-subaccount');
const entity = (subaccounts: unknown, entity_hotkey = '5Entity') =>
  nock('http://validator.test')
    .get('/entity/5Entity')
    .reply(200, { status: 'success', entity: { entity_hotkey, subaccounts, next_subaccount_id: 8 } });

describe('creating a subaccount at the network', () => {
  alone();

  it('sends class and size, and reads the pending subaccount', async () => {
    nock('http://miner.test')
      .post('/api/create-subaccount', { asset_class: 'crypto', account_size: 10_000 })
      .reply(200, { status: 'success', message: '', subaccount: made });

    expect(await venue.createSubaccount(request)).to.deep.equal({
      kind: 'accepted',
      data: {
        subaccountId: 7,
        subaccountUuid: 'sub-uuid',
        syntheticHotkey: '5Entity_7',
        assetClass: 'crypto',
        accountSize: 10_000,
        status: 'pending',
        createdMs: 5,
        exAddress: null,
      },
    });
  });

  it('sends the address in lower case and a size for a linked subaccount', async () => {
    nock('http://miner.test')
      .post('/api/create-hl-subaccount', {
        hl_address: ADDRESS.toLowerCase(),
        account_size: 5_000,
        payout_address: ADDRESS,
      })
      .reply(200, { status: 'success', subaccount: { ...made, asset_class: 'hl_all', hl_address: ADDRESS } });

    const response = await venue.createSubaccount({ exAddress: ADDRESS, payoutAddress: ADDRESS, accountSize: 5_000 });

    expect(response).to.nested.include({ kind: 'accepted', 'data.exAddress': ADDRESS.toLowerCase() });
  });

  for (const [text, slug] of [
    ['Insufficient collateral: needs 66.67 theta', 'insufficient_collateral'],
    ['Unable to verify collateral balance', 'collateral_unverified'],
    ['0xab is already registered to subaccount 5Entity_1', 'already_registered'],
    ['Entity has reached the maximum subaccounts', 'max_subaccounts'],
    ['account_size exceeds the maximum of 100000', 'size_over_max'],
    ['Entity 5Entity is not registered', 'entity_unknown'],
    ['Missing required field: asset_class', 'bad_request'],
    ['Invalid asset_class: stamps', 'bad_request'],
    ['a reason nobody has heard of', 'rejected_by_venue'],
  ] as const) {
    it(`is rejected as ${slug}: ${text}`, async () => {
      miner().reply(400, { status: 'error', message: text });

      const response = await venue.createSubaccount(request);

      expect(response).to.include({ kind: 'rejected', slug });
      expect(response).to.have.property('message').that.does.not.contain(text);
    });
  }

  it('distinguishes a rejected key from a full miner', async () => {
    miner().reply(401, { error: 'Unauthorized access' });
    miner().reply(403, { status: 'error', message: 'Maximum HL traders' });
    miner().reply(403, { error: 'Your API key does not have access to tier 200 data' });

    expect(await venue.createSubaccount(request)).to.include({ kind: 'rejected', slug: 'venue_auth' });
    expect(await venue.createSubaccount(request)).to.include({ kind: 'rejected', slug: 'trader_cap' });
    expect(await venue.createSubaccount(request)).to.include({ kind: 'rejected', slug: 'venue_auth' });
  });

  for (const [what, status, body] of [
    ['the validator was unreachable for the miner', 503, { status: 'error', message: 'Validator unreachable' }],
    ['the validator was too slow for the miner', 504, { status: 'error', message: 'timed out' }],
    ['the miner broke', 500, { status: 'error', message: 'Wallet error' }],
    ['a page', 200, '<html>'],
    ['a cut-off yes', 200, '{"status": "success", "subacc'],
    ['a yes without a subaccount', 200, { status: 'success' }],
    ['a yes about another size', 200, { status: 'success', subaccount: { ...made, account_size: 100_000 } }],
    ['a yes about another class', 200, { status: 'success', subaccount: { ...made, asset_class: 'forex' } }],
    ['a yes with the number of another', 200, { status: 'success', subaccount: { ...made, subaccount_id: 8 } }],
    ['a yes about another entity', 200, { status: 'success', subaccount: { ...made, synthetic_hotkey: '5Other_7' } }],
    ['a yes with no number', 200, { status: 'success', subaccount: { ...made, subaccount_id: 7.5 } }],
    ['a yes with no hotkey', 200, { status: 'success', subaccount: { ...made, synthetic_hotkey: '5Entity 7' } }],
    ['a subaccount with 400', 400, { status: 'error', message: 'bad', subaccount: made }],
    ['a subaccount with 401', 401, { error: 'Unauthorized access', subaccount: made }],
    ['a subaccount with 403', 403, { status: 'error', subaccount: made }],
    ['a page with 400', 400, '<html>'],
    ['401 with a page', 401, '<html>'],
    ['403 with a page', 403, '<html>'],
    ['403 in the words of a gateway', 403, { message: 'Forbidden' }],
    ['400 in the words of a gateway', 400, { message: 'Bad Request' }],
    ['400 without a reason', 400, {}],
    ['400 after an exception', 400, { status: 'error', message: 'Internal error: request timed out' }],
  ] as const) {
    it(`is in doubt because the subaccount may exist: ${what}`, async () => {
      miner().reply(status, body);

      expect(await venue.createSubaccount(request)).to.include({ kind: 'unknown' });
    });
  }

  for (const [who, body, ended] of [
    ['the miner', { status: 'error', message: 'timed out' }, true],
    ['a proxy, while the miner may still work on it', '<html>', undefined],
    ['a gateway, in JSON', { message: 'Endpoint request timed out' }, undefined],
  ] as const)
    it(`is over only once the miner has responded: 504 of ${who}`, async () => {
      miner().reply(504, body);

      const response = await venue.createSubaccount(request);

      expect('ended' in response ? response.ended : undefined).to.equal(ended);
    });

  it('of a wallet is in doubt where another wallet is named', async () => {
    nock('http://miner.test')
      .post('/api/create-hl-subaccount')
      .reply(200, { status: 'success', subaccount: { ...made, hl_address: `0x${'12'.repeat(20)}` } });

    expect(await venue.createSubaccount({ exAddress: ADDRESS, accountSize: 5_000 })).to.include({ kind: 'unknown' });
  });

  it('is in doubt when no response arrives in time', async () => {
    miner().delay(500).reply(200, { subaccount: made });

    expect(await venue.createSubaccount(request, { timeoutMs: 50 })).to.include({ kind: 'unknown' });
  });
});

describe('listing the subaccounts of an entity', () => {
  alone();

  it('reads a dictionary and a list to the same result', async () => {
    entity({ 7: made });
    entity([made]);

    const [one, other] = [await venue.listSubaccounts(), await venue.listSubaccounts()];

    expect(one).to.deep.equal(other);
    expect(one).to.nested.include({ kind: 'found', 'data[0].subaccountId': 7 });
  });

  it('reads an entity without subaccounts as an empty list', async () => {
    entity({});

    expect(await venue.listSubaccounts()).to.deep.equal({ kind: 'found', data: [] });
  });

  it('reads what can be read of each, whatever is missing in another', async () => {
    const odd = { synthetic_hotkey: '5Entity_8', status: 'eliminated' };
    entity({ 7: made, 8: odd, 9: { subaccount_id: '9', asset_class: 7 }, ten: null });

    const listed = await venue.listSubaccounts();

    expect(listed).to.nested.include({ kind: 'found', 'data[0].syntheticHotkey': made.synthetic_hotkey });
    expect(listed).to.nested.include({ 'data[1].subaccountId': 8, 'data[1].syntheticHotkey': '5Entity_8' });
    expect(listed).to.nested.include({ 'data[1].status': 'eliminated', 'data[1].assetClass': null });
    expect(listed).to.nested.include({ 'data[2].subaccountId': 9, 'data[2].assetClass': null });
    expect(listed).to.nested.include({ 'data[3].subaccountId': null, 'data[3].status': 'unknown' });
  });

  it('is unreadable as that of another entity', async () => {
    entity({ 7: made }, '5Other');

    expect(await venue.listSubaccounts()).to.include({ kind: 'unreadable' });
  });

  it('is unreadable without a list', async () => {
    entity(undefined);

    expect(await venue.listSubaccounts()).to.include({ kind: 'unreadable' });
  });
});
