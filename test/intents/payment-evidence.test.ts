import { expect } from 'chai';
import type { PaymentOnChain, Registrar } from '../../src/adapters/registrar/types.ts';
import { type EvidenceDeps, findPayment, provenBy } from '../../src/capabilities/registration/evidence.ts';
import { type PaymentDeps, preparePayment } from '../../src/capabilities/registration/payment.ts';
import type { PurchasePayload } from '../../src/capabilities/registration/schema.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { absent, accepted, found, rejected, unreachable, unreadable } from '../../src/kernel/upstream-result.ts';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { acceptPurchase, purchaseOf } from '../support/purchases.ts';

const HASH = `0x${'1'.repeat(64)}`;
const WALLET = `0x${'a'.repeat(40)}`;
const MARGIN_S = 60;
const VALID_BEFORE_S = 1_000_000;
const UNUSED: PaymentOnChain = { atS: VALID_BEFORE_S - 1, used: false, canceled: false, txHash: null };
const proofs = Array.from({ length: 6 }, (_, n) => ({ wallet: WALLET, signature: '0x', nonce: `${n}` }));

describe('a payment in doubt', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  const { id } = item();
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 1, () => {});
    await acceptPurchase(intentDb, purchaseOf(WALLET, { id }));
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });

  type Says = { chain?: unknown; pay?: unknown; status?: unknown; attempts?: number; isPresumed?: boolean };
  /** What is found, by what the chain and the registrar say, and the nonces of the proofs with which it was posted again. */
  async function look(
    { chain = found(UNUSED), pay, status = absent, attempts = 1, isPresumed = false }: Says,
    own = proofs,
  ) {
    const posted: (string | null)[] = [];
    const deps = {
      db,
      registrar: {
        payment: async () => (typeof chain === 'function' ? chain() : chain),
        status: async () => (status instanceof Error ? Promise.reject(status) : status),
        pay: async (_body: string, _payment: object, how: { firstSend: boolean; proof: { nonce: string } | null }) => {
          expect(how.firstSend).to.equal(false);
          posted.push(how.proof?.nonce ?? null);
          return pay ?? unreachable('ECONNREFUSED');
        },
      },
      config: { REGISTRATION_MARGIN_S: MARGIN_S },
      stopping: new AbortController().signal,
    } as unknown as EvidenceDeps; // as: nothing else of the registrar is called
    const intent = {
      ...{ id, reconcile_attempts: attempts, request: { ex_address: WALLET } },
      presumed_sent_at: isPresumed ? '2026-01-01T00:00:00Z' : null,
    } as unknown as Parameters<typeof findPayment>[0]; // as: nothing else of the intent is read
    const authorization = {
      from: '',
      to: '',
      value: '1',
      validAfter: '0',
      validBefore: `${VALID_BEFORE_S}`,
      nonce: '',
    };
    const finding = await findPayment(
      intent,
      { authorization, header: '', body: '', proofs: own, since_block: 7 },
      deps,
    );
    return { finding, posted };
  }
  const NO_RESPONSE = { kind: 'unknown', why: 'no_response' };

  const nothingPosted: [what: string, says: Says, finding: object][] = [
    ['the chain cannot be read', { chain: unreadable('x') }, { kind: 'unknown', why: 'chain_unreadable' }],
    ['its transaction is not visible yet', { chain: found({ ...UNUSED, atS: 2e6, used: true }) }, NO_RESPONSE],
    ['it may have been made before a restore', { isPresumed: true }, NO_RESPONSE],
    ['every proof was used', { attempts: 6 }, NO_RESPONSE],
    ['it is over', { chain: found({ ...UNUSED, atS: VALID_BEFORE_S + MARGIN_S + 1 }) }, { kind: 'absent' }],
  ];
  for (const [what, says, finding] of nothingPosted)
    it(`is not posted again where ${what}`, async () => {
      expect(await look(says)).to.deep.equal({ finding, posted: [] });
    });

  it('is not over within the margin after its end: a block may still be replaced', async () => {
    const { finding } = await look({ chain: found({ ...UNUSED, atS: VALID_BEFORE_S + MARGIN_S }) });

    expect(finding).to.deep.equal(NO_RESPONSE);
  });

  it('is rejected where its payer has cancelled the authorization', async () => {
    const { finding, posted } = await look({ chain: found({ ...UNUSED, used: true, canceled: true }) });

    expect(finding).to.include({ kind: 'rejected', slug: 'authorization_canceled' });
    expect(posted).to.deep.equal([]);
  });

  it('is posted again with a proof of its own each time, at most five times', async () => {
    const nonces = [];
    for (let attempts = 1; attempts < 9; attempts++) nonces.push(...(await look({ attempts })).posted);
    expect(nonces).to.deep.equal(['1', '2', '3', '4', '5']);

    const without = [];
    for (let attempts = 1; attempts < 9; attempts++) without.push(...(await look({ attempts }, [])).posted);
    expect(without).to.deep.equal([null, null, null, null, null]);
  });

  it('is settled by an acceptance of the repeat that the chain shows, and by nothing that rejects it', async () => {
    const pay = accepted({ status: 'registered', txHash: `0x${'2'.repeat(64)}`, message: null });
    const shown = [found(UNUSED), found({ ...UNUSED, used: true, txHash: HASH })];
    const rejection = await look({ pay: rejected('insufficient_funds', 'x') });
    const acceptance = await look({ pay });
    const proven = await look({ pay, chain: () => shown.shift() });

    expect(rejection.finding).to.deep.equal(NO_RESPONSE);
    expect(acceptance.finding).to.deep.include({ kind: 'unknown', why: 'not_shown' });
    expect(proven.finding).to.deep.include({
      kind: 'accepted',
      data: { status: 'registered', tx_hash: HASH, message: null },
    });
  });

  for (const [what, chain, kind] of [
    ['that cannot be read', unreadable('x'), 'unknown'],
    ['that shows it as made, and not yet its transaction', found({ ...UNUSED, used: true }), 'unknown'],
    ['that shows it as cancelled', found({ ...UNUSED, used: true, canceled: true }), 'rejected'],
    ['that shows it as not made', found(UNUSED), 'rejected'],
  ] as const)
    it(`and rejected is ${kind} by a chain ${what}`, async () => {
      const registrar = { payment: async () => chain } as unknown as Registrar; // as: nothing else is called
      const payload = { authorization: {}, since_block: 7 } as unknown as PurchasePayload; // as: nothing else is read

      expect(await provenBy(rejected('payment_reused', 'x'), payload, registrar)).to.include({ kind });
    });

  it('that the chain shows has its hash kept before the registrar is asked', async () => {
    const error = await look({ chain: found({ ...UNUSED, used: true, txHash: HASH }), status: new Error('x') }).catch(
      (thrown: Error) => thrown.message,
    );

    expect(error).to.equal('x');
    expect(await intentDb.query('select tx_hash from registrations where id = $1', [id])).to.deep.equal([
      { tx_hash: HASH },
    ]);
  });

  it('that the chain shows takes no account of the address that has ended for its own', async () => {
    const view = (status: string) => found({ status, message: null, estimatedTime: null });
    const chain = found({ ...UNUSED, used: true, txHash: HASH });

    const statuses = [];
    for (const status of [view('eliminated'), view('active'), unreadable('x')])
      statuses.push((await look({ chain, status })).finding);

    expect(statuses.map((finding) => 'data' in finding && finding.data.status)).to.deep.equal([
      'processing',
      'active',
      'processing',
    ]);
  });

  it('that was signed and provably never sent is sent unchanged: its key is gone', async () => {
    const authorization = { from: '', to: '', value: '1', validAfter: '0', validBefore: '1', nonce: '' };
    const sent_payload = { authorization, header: 'signed', body: '{}', proofs, since_block: 7 };
    const intent = { id, sent_payload, request: { ex_address: WALLET } } as unknown as Parameters<
      typeof preparePayment
    >[0];

    expect(await preparePayment(intent, {} as PaymentDeps)).to.deep.equal({ send: sent_payload }); // as: nobody is asked
  });
});
