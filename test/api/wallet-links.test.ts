import { expect } from 'chai';
import { type OperatorConsole, openOperatorConsole } from '../support/operator.ts';
import { twice } from '../support/twice.ts';

describe('moveWalletLink', () => {
  let desk: OperatorConsole;
  before(async () => {
    desk = await openOperatorConsole();
  });
  after(() => desk.stop());

  it('gives an unproven link to the partner that proved the wallet, with an audit row, and never a proven one', async () => {
    const [thief, victim] = [await linkOf(false), await linkOf(true)];
    const moveTo = (wallet: string, partner_id: string) =>
      desk.post(`/v2/admin/wallet-links/${wallet}/move`, { json: { partner_id, reason: 'signed' } });

    expect((await moveTo(thief.wallet, victim.partner)).body.error.code).to.equal('V2_WALLET_UNPROVEN');
    expect((await moveTo(victim.wallet, thief.partner)).body.error.code).to.equal('V2_WALLET_PROVEN');
    expect((await moveTo(`0x${'00'.repeat(20)}`, victim.partner)).body.error.code).to.equal('V2_TRADER_UNKNOWN');
    await desk.session.query('insert into wallet_proofs (owner, ex_wallet) values ($1, $2)', [
      victim.partner,
      thief.wallet,
    ]);
    const json = { partner_id: victim.partner, reason: 'signed' };
    const moved = await twice(desk.admin.ask, 'POST', `/v2/admin/wallet-links/${thief.wallet}/move`, { json });

    expect(moved.body).to.deep.equal({
      ex_wallet: thief.wallet,
      partner_id: victim.partner,
      subaccount_id: thief.subaccount,
    });
    expect(
      await desk.session.query('select owner from subaccounts where ex_address = $1', [thief.wallet]),
    ).to.deep.equal([{ owner: victim.partner }]);
    const [row] = await desk.session.query<{ who: string; why: string }>(
      `select who, why from ops.actions where action = 'move_link'`,
    );
    expect(row).to.deep.equal({ who: `admin:${desk.admin.adminId}`, why: 'signed' });
    const last = `select event_body(events)::json #>> '{data,status}' as status from events where owner = $1 order by position desc limit 1`;
    for (const [owner, status] of Object.entries({ [thief.partner]: 'moved', [victim.partner]: 'active' }))
      expect(await desk.session.query(last, [owner])).to.deep.equal([{ status }]);
  });

  it('never moves one that the network would pay out to somebody else', async () => {
    const [squatter, victim] = [await linkOf(false), await linkOf(false)];
    await desk.session.query('insert into wallet_proofs (owner, ex_wallet) values ($1, $2)', [
      victim.partner,
      squatter.wallet,
    ]);
    const json = { partner_id: victim.partner, reason: 'signed' };
    const moving = () => desk.post(`/v2/admin/wallet-links/${squatter.wallet}/move`, { json });
    const paysTo = (address: string) =>
      desk.session.query('update subaccounts set payout_address = $2 where ex_address = $1', [
        squatter.wallet,
        address,
      ]);

    await paysTo(`0x${'ab'.repeat(20)}`);
    const refused = await moving();
    await paysTo(squatter.wallet.toUpperCase().replace('0X', '0x'));
    const moved = await moving();

    expect(refused.body.error.code).to.equal('V2_LINK_PAYS_OTHERS');
    expect(moved.body.partner_id).to.equal(victim.partner);
  });

  it('takes a session for a proof until the exchange ends its agent', async () => {
    const [squatter, victim] = [await linkOf(false), await linkOf(false)];
    const json = { partner_id: victim.partner, reason: 'asked' };
    const moving = () => desk.post(`/v2/admin/wallet-links/${squatter.wallet}/move`, { json });
    const enroll = [
      'insert into enrollments (owner, ex_wallet) values ($1, $2)',
      `insert into signing_keys (id, owner, ex_wallet, signer, key_version, sealed, verified_at, valid_until)
       values (gen_random_uuid(), $1, $2, '0x${'cd'.repeat(20)}', 1, '\\x00', now(), now() - interval '1 second')`,
    ];
    for (const statement of enroll) await desk.session.query(statement, [victim.partner, squatter.wallet]);

    const refused = await moving();
    await desk.session.query(`update signing_keys set valid_until = now() + interval '1 hour' where owner = $1`, [
      victim.partner,
    ]);
    const moved = await moving();

    expect(refused.body.error.code).to.equal('V2_WALLET_UNPROVEN');
    expect(moved.body.partner_id).to.equal(victim.partner);
  });

  let links = 0;
  async function linkOf(isProven: boolean) {
    links += 1;
    const [partner, wallet] = [`ptn_${links}`, `0x${String(links).padStart(40, '7')}`];
    await desk.session.query(`insert into partners (id, name) values ($1, 'Partner')`, [partner]);
    await desk.session.query(
      `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, ex_address,
         link_proof, status)
       values ('linked_' || $1::integer, 'linked', $1::integer, $2, gen_random_uuid(), 'hl_all', 10000, $3, $4, 'active')`,
      [links, partner, wallet, isProven ? 'signature' : null],
    );
    return { partner, wallet, subaccount: links };
  }
});
