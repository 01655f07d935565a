import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { listChains, readChain } from '../../src/capabilities/agreements/chains/queries.ts';
import { findEnrollment, listEnrollments } from '../../src/capabilities/enrollments/queries.ts';
import { findRegistration } from '../../src/capabilities/registration/queries.ts';
import type { DbPool } from '../../src/db/pool.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { hasInDoubtUnderOtherKeys, listUnverifiedKeys } from '../../src/venues/exchange/signing/queries.ts';
import { findSubaccount, findWalletLink } from '../../src/venues/network/subaccounts/queries.ts';
import { MY_SECOND, MY_WALLET, OTHER, OTHER_WALLET, openRows, PARTNER, type Rows, wallet } from '../support/rows.ts';

const START = { place: 0, id: '' };

/** Rows of two owners and wallets that are alike in everything else: only a condition on the owner distinguishes them. */
describe('what is read for one owner', () => {
  let rows: Rows;
  let db: DbPool;
  before(async () => {
    rows = await openRows();
    db = rows.db;
  });
  after(() => rows.close());
  const run: Rows['run'] = (...args) => rows.run(...args);

  describe('of enrollments', () => {
    const keys: Record<string, string> = {};
    const key = async (name: string, [owner, of]: readonly [string, string], version: number, more = '') => {
      keys[name] = newIntentId();
      await run(
        `insert into signing_keys (id, owner, ex_wallet, signer, key_version, verified_at, waits, retired_at)
         select $1, $2, $3, $4, ${version}, ${more.includes('verified') ? 'now()' : 'null'}, ${more.includes('waits')},
           ${more.includes('retired') ? 'now()' : 'null'}`,
        ...[keys[name] ?? '', owner, of, name],
      );
    };
    before(async () => {
      const enrolled = [
        [PARTNER, MY_WALLET],
        [PARTNER, MY_SECOND],
        [OTHER, MY_WALLET],
      ] as const;
      for (const [owner, of] of enrolled)
        await run('insert into enrollments (owner, ex_wallet) values ($1, $2)', owner, of);
      const [first, second, other] = enrolled;
      await key('live', first, 2, 'verified');
      await key('retired', first, 1, 'verified retired');
      await key('retired-waiting', first, 3, 'waits retired');
      await key('second', second, 1);
      await key('second-waiting', second, 2, 'waits');
      await key('other', other, 1);
      await key('other-waiting', other, 2, 'waits');
    });
    const shown = (rows: readonly { signer: string; pending_agent_address: string | null }[]) =>
      rows.map(({ signer, pending_agent_address }) => [signer, pending_agent_address]);

    it('with the live key of their wallet and owner, and none that is retired', async () => {
      const one = await findEnrollment(db, PARTNER, MY_WALLET);
      const all = await listEnrollments(db, PARTNER, null, 10);

      expect(shown(one ? [one] : [])).to.deep.equal([['live', null]]);
      expect(shown(all)).to.deep.equal([
        ['live', null],
        ['second', 'second-waiting'],
      ]);
    });

    it('from a position on, also if another owner enrolled the same wallet later', async () => {
      await run(`update enrollments set created_at = now() + interval '1 hour' where owner = $1`, OTHER);

      const at = String((await findEnrollment(db, PARTNER, MY_WALLET))?.created_at);
      const after = await listEnrollments(db, PARTNER, { at, id: MY_WALLET }, 10);

      expect(shown(after)).to.deep.equal([['second', 'second-waiting']]);
    });

    it('and keys to be looked at: neither confirmed nor retired', async () => {
      const unverified = await listUnverifiedKeys(db, 10);

      expect(unverified.map(({ signer }) => signer)).to.have.members([
        'second',
        'second-waiting',
        'other',
        'other-waiting',
      ]);
    });

    it('and of many keys to be looked at one of each owner first', async () => {
      const owners = async () => (await listUnverifiedKeys(db, 2)).map(({ owner }) => owner);

      for (let n = 0; n < 5; n += 1) expect(await owners()).to.have.members([PARTNER, OTHER]);
    });

    it('and what is in doubt of this owner and wallet under other keys, and can still take effect', async () => {
      await run(
        `insert into intents (id, kind, owner, lane, state, request, sent_payload, digest, deadline_at, sending_at)
         values ($1, 'exchange/place', '${OTHER}', 'exvenue:${OTHER_WALLET}', 'in_doubt', '{}', '{"key_id": "x"}', '', now(), now())`,
        newIntentId(),
      );
      const earlier = { owner: OTHER, exWallet: OTHER_WALLET, keyId: 'y', recentMs: 60_000 };
      const isInDoubt = (more: Partial<typeof earlier>) => hasInDoubtUnderOtherKeys(db, { ...earlier, ...more });

      expect(await isInDoubt({})).to.equal(true);
      expect(await isInDoubt({ exWallet: MY_WALLET })).to.equal(false);
      expect(await isInDoubt({ owner: PARTNER })).to.equal(false);
      expect(await isInDoubt({ keyId: 'x' })).to.equal(false);
      expect(await isInDoubt({ recentMs: 0 })).to.equal(false);
    });

    it('and the proof of a wallet: a signature, or a live key that the exchange confirmed', async () => {
      const isProven = (owner: string, of: string) =>
        db.oneFirst(sql.type(z.object({ ok: z.boolean() }))`select has_proven_wallet(${owner}, ${of}) ok`);

      expect(await isProven(PARTNER, MY_WALLET)).to.equal(true);
      expect(await isProven(PARTNER, MY_SECOND), 'a key that nobody confirmed').to.equal(false);
      expect(await isProven(OTHER, MY_WALLET), 'the key of another').to.equal(false);
      await run('update signing_keys set retired_at = now() where id = $1', keys.live ?? '');
      expect(await isProven(PARTNER, MY_WALLET), 'a retired key').to.equal(false);
      await run('insert into wallet_proofs (owner, ex_wallet) values ($1, $2)', OTHER, MY_WALLET);
      expect(await isProven(PARTNER, MY_WALLET), 'the signature of another').to.equal(false);
      expect(await isProven(OTHER, OTHER_WALLET), 'a signature for another wallet').to.equal(false);
      expect(await isProven(OTHER, MY_WALLET)).to.equal(true);
    });

    it('revokes them for their owner and wallet only', async () => {
      await run('select revoke_enrollment($1, $2)', PARTNER, MY_WALLET);

      const left = await db.anyFirst(sql.type(z.object({ signer: z.string() }))`
        select signer from signing_keys where retired_at is null`);
      expect(await findEnrollment(db, PARTNER, MY_SECOND)).to.not.equal(null);
      expect(await findEnrollment(db, OTHER, MY_WALLET)).to.not.equal(null);
      expect(left).to.have.members(['second', 'second-waiting', 'other', 'other-waiting']);
    });
  });

  describe('of the network', () => {
    before(async () => {
      const owners = [
        [PARTNER, MY_WALLET, 1],
        [OTHER, OTHER_WALLET, 2],
        [PARTNER, MY_SECOND, 3],
      ] as const;
      for (const [owner, of, n] of owners) {
        await run(
          `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, ex_address, status)
           values ('hk_${n}', 'hk', ${n}, $1, gen_random_uuid(), 'crypto', 1, $2, 'active')`,
          ...[owner, of],
        );
        await run(
          `insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, status)
           values (gen_random_uuid(), $1, $2, '', ${n}, '0x', 'active')`,
          ...[owner, wallet(`${n}`)],
        );
      }
    });

    it('subaccounts, links and registrations', async () => {
      expect((await findSubaccount(db, PARTNER, 'hk_1' as never))?.synthetic_hotkey).to.equal('hk_1');
      expect(await findSubaccount(db, PARTNER, 'hk_2' as never)).to.equal(null);
      expect(await findWalletLink(db, PARTNER, MY_WALLET)).to.deep.include({ hotkey: 'hk_1', others: [] });
      expect(await findWalletLink(db, PARTNER, OTHER_WALLET)).to.equal(null);
      expect(await findWalletLink(db, PARTNER, wallet('3'))).to.deep.include({ hotkey: null, others: [] });
      expect(await findWalletLink(db, PARTNER, wallet('2'))).to.equal(null);
      expect((await findRegistration(db, PARTNER, wallet('1')))?.account_size).to.equal(1);
      expect(await findRegistration(db, PARTNER, wallet('2'))).to.equal(null);
    });

    it('moves the unproven link of this wallet, from another, and no other', async () => {
      await run('insert into wallet_proofs (owner, ex_wallet) values ($1, $2)', PARTNER, OTHER_WALLET);
      await run('insert into wallet_proofs (owner, ex_wallet) values ($1, $2)', OTHER, MY_SECOND);
      const move = (of: string, to: string) =>
        db.oneFirst(sql.type(z.object({ verdict: z.string() }))`
          select verdict from move_wallet_link(${of}, ${to}, 'op', 'asked')`);

      expect(await move(MY_WALLET, PARTNER), 'already theirs').to.equal('unknown');
      expect(await move(wallet('9'), PARTNER), 'no link').to.equal('unknown');
      expect(await move(OTHER_WALLET, PARTNER)).to.equal('done');
      const owners = await db.any(sql.type(z.object({ synthetic_hotkey: z.string(), owner: z.string() }))`
        select synthetic_hotkey, owner from subaccounts order by 1`);
      expect(owners.map(({ owner }) => owner)).to.deep.equal([PARTNER, PARTNER, PARTNER]);
    });
  });

  it('reads the chain of one app, and the recorded head of each', async () => {
    for (const [n, app] of ['app_a', 'app_b'].entries()) {
      await run(`insert into apps (id, slug, name, allowed_scopes) values ($1, $1, $1, '{read}')`, app);
      await run(
        `insert into agreement_signatures (id, app, user_id, position, agreement_version, signature_name, signed_at, previous_hash, row_hash)
         values ($1, $2, 'u', 1, '1', 'n', now(), '', $1)`,
        ...[`sig_${app}`, app],
      );
      await run(`insert into agreement_chains (app, length, last_hash) values ($1, ${n + 1}, $1)`, app);
    }

    expect((await readChain(db, 'app_a', START, 10)).map(({ id }) => id)).to.deep.equal(['sig_app_a']);
    expect(await listChains(db)).to.deep.equal([
      { app: 'app_a', length: 1, last_hash: 'app_a' },
      { app: 'app_b', length: 2, last_hash: 'app_b' },
    ]);
  });

  it('reads rows of one position one by one, where a manipulated chain has them', async () => {
    await run('alter table agreement_signatures drop constraint agreement_signatures_one_chain');
    await run(`insert into agreement_signatures
      select 'put in', s.app, s.user_id, s.position, s.agreement_version, s.signature_name, s.document_url, s.document_sha256,
        s.address, s.user_agent, s.signed_at, s.previous_hash, s.row_hash
      from agreement_signatures s where s.app = 'app_b'`);

    const [first, ...more] = await readChain(db, 'app_b', START, 1);
    const next = await readChain(db, 'app_b', first ?? START, 1);

    expect(more).to.be.empty;
    expect([first?.id, next[0]?.id]).to.have.members(['put in', 'sig_app_b']);
  });

  it('opens no session for an operator who was disabled, or has enrolled an authenticator, meanwhile', async () => {
    const operator = (id: string, columns: string, values: string) =>
      run(`insert into admins (id, email, password_hash ${columns}) values ($1, $1, 'h' ${values})`, id);
    await operator('op', '', '');
    await operator('disabled', ', disabled_at', ', now()');
    await operator('enrolled', ', totp_seed, totp_step, totp_enrolled_at', `, '', 5, now()`);
    const opened = async (id: string, step: string) => {
      const count = await run(
        `select from open_admin_session($1, 'h', null, ${step}, $2, $2::text::bytea, 60)`,
        ...[id, `${id} ${step}`],
      );
      return count === 1;
    };

    expect(await opened('op', 'null')).to.equal(true);
    expect(await opened('disabled', 'null')).to.equal(false);
    expect(await opened('enrolled', 'null'), 'without a code').to.equal(false);
    expect(await opened('enrolled', '5'), 'the code before').to.equal(false);
    expect(await opened('enrolled', '6')).to.equal(true);
    expect(await opened('op', '6'), 'a code without an authenticator').to.equal(false);
  });
});
