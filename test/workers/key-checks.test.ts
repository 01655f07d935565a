import { expect } from 'chai';
import { checkSigner } from '../../src/capabilities/enrollments/signer.ts';
import { verifyKeys } from '../../src/capabilities/enrollments/verify.ts';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { absent, found, unreadable } from '../../src/kernel/upstream-result.ts';
import { newWork, presentWork, workingOn } from '../../src/kernel/work.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

const [WALLET, AGENT, MASTER] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const LATER = Date.now() + 1e9;
const AWAY = unreadable('ECONNREFUSED');
const USER = found({ kind: 'user' });

type Says = { agents?: unknown; unnamedAgent?: unknown; role?: unknown };
const agent = (validUntilMs: number | null, address = AGENT) => ({ address, validUntilMs });

/** An exchange that says this of every wallet. */
const saying = ({ agents = found([]), unnamedAgent = absent, role = USER }: Says, asked: unknown[] = []) => {
  const answer = (says: unknown) => async (_: string, limits: unknown) => {
    asked.push({ limits, tenant: presentWork().tenant });
    return says;
  };
  return { agents: answer(agents), unnamedAgent: answer(unnamedAgent), role: answer(role) } as unknown as Exvenue; // as: nothing else is called
};

describe('whether a key may sign for a wallet', () => {
  const REJECTED = { kind: 'rejected' };
  const UNKNOWN = { kind: 'unknown' };
  const AGENT_OF = { kind: 'agent_of', master: MASTER };
  const confirmed = (validUntilMs: number | null) => ({ kind: 'confirmed', validUntilMs });
  const isAgent = found({ kind: 'agent', master: MASTER });

  const cases: [what: string, signer: string, says: Says, check: object][] = [
    ['its own', WALLET, {}, confirmed(null)],
    ['its own, which an agent has', WALLET, { role: isAgent }, AGENT_OF],
    ['its own, unread', WALLET, { role: AWAY }, UNKNOWN],
    ['a listed agent', AGENT, { agents: found([agent(LATER, MASTER), agent(LATER)]) }, confirmed(LATER)],
    ['a listed agent without an end', AGENT, { agents: found([agent(null)]) }, confirmed(null)],
    ['a listed agent that has ended', AGENT, { agents: found([agent(1)]) }, REJECTED],
    ['one that no list has', AGENT, { agents: found([agent(LATER, MASTER)]) }, REJECTED],
    ['one that no list has, of an agent', AGENT, { role: isAgent }, AGENT_OF],
    ['one that no list has, role unread', AGENT, { role: AWAY }, UNKNOWN],
    ['one whose list is unread', AGENT, { agents: AWAY }, UNKNOWN],
    ['the agent without a name', AGENT, { unnamedAgent: found(agent(LATER)) }, confirmed(LATER)],
    ['the agent without a name that has ended', AGENT, { unnamedAgent: found(agent(1)) }, REJECTED],
    ['another than the one without a name', AGENT, { unnamedAgent: found(agent(LATER, MASTER)) }, REJECTED],
    ['the agent without a name, unread', AGENT, { unnamedAgent: AWAY }, UNKNOWN],
  ];
  for (const [what, signer, says, check] of cases)
    it(`is known of ${what}: ${(check as { kind: string }).kind}`, async () => {
      expect(await checkSigner(saying(says), WALLET, signer)).to.deep.equal(check);
    });
});

describe('keys that were enrolled unread', () => {
  let intentDb: IntentDatabase;
  let db: DbPool;
  before(async () => {
    intentDb = await openIntentDatabase();
    db = await openPool(intentDb.url, 1, () => {});
  });
  after(async () => {
    await db.end();
    await intentDb.close();
  });
  beforeEach(() => intentDb.query('truncate enrollments, signing_keys cascade; delete from queue_jobs'));

  const enroll = async (signer: string, isVerified = false, wallet = WALLET, owner = 'ptn_a') => {
    const values = [wallet, newIntentId(), signer, isVerified, owner];
    await intentDb.query(`select enroll_key($5, $1, $2, $3, 'sealed', $4, null, null)`, values);
    await intentDb.query('delete from queue_jobs');
  };
  const verify = async (exvenue: Exvenue) => {
    const warned: object[] = [];
    const log = { warn: (fields: object) => void warned.push(fields) };
    const work = newWork({ task: 'enrollments/verify' });
    await workingOn(work, () => verifyKeys({ db, exvenue, log }));
    const [again] = (await intentDb.jobs()).filter(({ task }) => task === 'enrollments/verify');
    return { warned, againInMs: again && Math.max(0, again.in_ms) };
  };
  const signers = async () =>
    (
      await intentDb.query<{ signer: string }>(
        'select signer from signing_keys where verified_at is not null and retired_at is null',
      )
    ).map(({ signer }) => signer);

  it('are read for their owner, before what callers read, and confirmed', async () => {
    await enroll(AGENT);
    const asked: unknown[] = [];

    const { againInMs } = await verify(saying({ agents: found([agent(LATER)]) }, asked));

    expect(asked).to.deep.equal([{ limits: { priority: 'entry', timeoutMs: 10_000 }, tenant: 'ptn_a' }]);
    expect([await signers(), againInMs]).to.deep.equal([[AGENT], undefined]);
  });

  for (const [what, says] of [
    ['does not list', {}],
    ['knows to be for an agent', { role: found({ kind: 'agent', master: MASTER }) }],
  ] as const)
    it(`are removed, and said to be, where they are what the exchange ${what}`, async () => {
      await enroll(AGENT);

      const { warned, againInMs } = await verify(saying(says));

      expect(warned).to.deep.equal([{ owner: 'ptn_a', ex_wallet: WALLET, signer: AGENT }]);
      expect(await intentDb.query('select from enrollments')).to.deep.equal([]);
      expect(againInMs).to.equal(undefined);
    });

  it('are left as they are while the exchange cannot be read, and are read again in 5 s, whatever it says of others', async () => {
    const other = `0x${'0'.repeat(40)}`;
    await enroll(MASTER, false, MASTER);
    await enroll(AGENT);
    await enroll(other, false, other);

    const { warned, againInMs } = await verify(saying({ agents: AWAY }));

    expect(await intentDb.query('select from enrollments')).to.have.length(3);
    expect(await signers()).to.have.members([MASTER, other]);
    expect(warned).to.deep.equal([]);
    expect(againInMs).to.be.within(3_000, 5_000);
  });

  it('are confirmed although those of other owners, who have spent their share, wait for the exchange', async () => {
    for (const owner of ['ptn_b', 'ptn_c', 'ptn_d']) await enroll(MASTER, false, MASTER, owner);
    await enroll(WALLET);
    const { promise: isServed, resolve: serve } = Promise.withResolvers<object>();
    const role = () => (presentWork().tenant === 'ptn_a' ? USER : isServed);

    const verified = verify({ ...saying({}), role } as unknown as Exvenue); // as: nothing else is called
    await until('it is confirmed', async () => (await signers()).includes(WALLET) || null, 2_000).finally(() =>
      serve(USER),
    );

    await verified;
    expect(await signers()).to.have.length(4);
  });

  it('are read twenty at a time, the others at once thereafter', async () => {
    for (let n = 0; n < 21; n++) {
      const wallet = `0x${String(n).padStart(40, '0')}`;
      await enroll(wallet, false, wallet);
    }

    const first = await verify(saying({}));
    expect([(await signers()).length, first.againInMs]).to.deep.equal([20, 0]);
    await intentDb.query('delete from queue_jobs');
    const second = await verify(saying({}));

    expect([(await signers()).length, second.againInMs]).to.deep.equal([21, undefined]);
  });

  it('are checked after those that were replaced are wiped', async () => {
    await enroll(WALLET, true);
    await enroll(AGENT, true);

    await verify(saying({}));

    expect(await intentDb.query('select signer from signing_keys where sealed is null')).to.deep.equal([
      { signer: WALLET },
    ]);
  });
});
