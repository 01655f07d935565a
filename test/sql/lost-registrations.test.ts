import { expect } from 'chai';
import nock from 'nock';
import { sql } from 'slonik';
import { z } from 'zod';
import { registrar } from '../../src/adapters/registrar/index.ts';
import { recoverRegistrations } from '../../src/commands/recover/registrations.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { openLedger } from '../../src/sandbox/ledger.ts';
import { openBookChain, type Transfers } from '../../src/sandbox/registrar/book-chain.ts';
import { alone } from '../support/alone.ts';
import { freshDatabase } from '../support/postgres.ts';

const NODE = 'http://chain.test';
const HASH = `0x${'1'.repeat(64)}`;
const [ANN, BEN, PAYEE, SHOP] = ['a', 'b', 'e', 'f'].map((digit) => `0x${digit.repeat(40)}`) as [Hex, Hex, Hex, Hex];
const START_S = 1_700_000_000;

type Hex = `0x${string}`;

const token = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: `0x${'c'.repeat(40)}` } as const;

describe('payments of registrations that one transaction makes together', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: DbPool;
  alone();
  before(async () => {
    database = await freshDatabase();
    db = await openPool(database.url, 2, () => {});
  });
  after(async () => {
    await db.end();
    await database.drop();
  });

  const chain = registrar({
    url: NODE,
    chainUrl: `${NODE}/chain`,
    network: 'eip155:8453',
    asset: token.verifyingContract,
  });

  /** A chain whose newest transaction makes these payments, in this order. */
  function playChain(payments: readonly (readonly [from: Hex, to: Hex, value: bigint])[]): void {
    const block = Math.floor(Date.now() / 1000) - START_S;
    const transfers: Transfers = new Map(
      payments.map(([from, to, value], n) => {
        const nonce = `0x${String(n + 1).padStart(64, '0')}` as const;
        const rest = { validAfter: 0n, validBefore: 0n, signature: '0x', txHash: HASH, block } as const;
        return [`${from}:${nonce}`, { from, to, value, nonce, ...rest }];
      }),
    );
    const { route } = openBookChain(openLedger('test'), { token, startUnits: 0n }, transfers);
    nock(NODE)
      .persist()
      .post('/chain')
      .reply((_, json) => {
        const { status, body } = route.response({ json } as never) as { status: number; body: object }; // as: it reads the body alone
        return [status, body];
      });
  }

  it('are kept for each payer, with what each paid, however often the chain is read', async () => {
    playChain([
      [ANN, SHOP, 7n],
      [ANN, PAYEE, 100n],
      [BEN, PAYEE, 30n],
      [ANN, PAYEE, 1n],
    ]);
    const printed: string[] = [];
    const print = (line: string) => printed.push(line);
    const since = Date.now() - 5_000;

    for (const _ of ['once', 'again'])
      await recoverRegistrations({ db, registrar: chain, print, printUnread: print }, [PAYEE], since);

    const rows = await db.any(sql.type(z.object({ payer: z.string(), payee: z.string(), units: z.string() }))`
      select l.payer, l.payee, l.units::text as units
      from lost_registrations l
      order by l.payer`);
    expect(rows).to.deep.equal([
      { payer: ANN, payee: PAYEE, units: '101' },
      { payer: BEN, payee: PAYEE, units: '30' },
    ]);
    expect(printed).to.deep.equal(
      Array(2).fill(`registration payments  2 of payers who are not known here, see ops.lost_registrations`),
    );
  });

  it('are released payer by payer: who is not named may not buy again', async () => {
    const release = (payer: string | null) =>
      db.oneFirst(sql.type(z.object({ verdict: z.string() }))`
        select ops.release_registration(${HASH}, 'ada', 'the registrar has it', ${payer}) as verdict`);
    const waiting = () =>
      db.anyFirst(sql.type(z.object({ payer: z.string() }))`
        select l.payer
        from lost_registrations l
        where l.released_at is null
        order by l.payer`);

    expect([await release(null), await waiting()]).to.deep.equal(['ambiguous', [ANN, BEN]]);
    expect([await release(ANN.toUpperCase().replace('X', 'x')), await waiting()]).to.deep.equal(['done', [BEN]]);
    expect([await release(ANN), await waiting()]).to.deep.equal(['unknown', [BEN]]);
    expect([await release(null), await waiting()]).to.deep.equal(['done', []]);
  });
});
