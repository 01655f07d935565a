import { expect } from 'chai';
import { sql } from 'slonik';
import { type ErrorCode, errors } from '../../src/kernel/error-codes.ts';
import { laws } from '../../src/kernel/error-laws.ts';
import { asking } from '../support/identity.ts';
import { callerScenes, oddRequestScenes } from '../support/law/callers.ts';
import { orderScenes } from '../support/law/orders.ts';
import { obey, obeyByClient, type Scenes, SENDERS, type Stage } from '../support/law/scene.ts';
import { userScenes } from '../support/law/users.ts';
import { venueScenes } from '../support/law/venues.ts';
import { startTrading, type Trading } from '../support/trading.ts';
import { NOT_BROUGHT_ABOUT } from '../support/unrepeated.ts';

/**
 * Each code, in a service that is in its state, obeyed as the table says: after a pause or a remedy the same request under the
 * same key succeeds; a final one is returned again, and another request under a new key succeeds.
 */
describe('the advice of an error, obeyed,', function () {
  this.timeout(60_000);
  let service: Trading;
  before(async () => {
    service = await startTrading({
      settings: {
        ...{ ORDER_DEADLINE_MS: '2500', CHECKOUT_DEADLINE_MS: '1500', PROVISION_DEADLINE_MS: '2500' },
        ...{ NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' },
      },
      upstream: { cooldownMs: 2_500 },
    });
  });
  afterEach(() => {
    for (const { faults } of [service.miner, service.exchange, service.processor]) faults.clear();
  });
  after(() => service.stop());

  const stageOf = (sender: (typeof SENDERS)[keyof typeof SENDERS]): Stage => ({
    service: () => service,
    asking: (headers) => sender(service.url, headers),
  });
  const scenesOf = (stage: Stage): Scenes => ({
    ...venueScenes(stage),
    ...callerScenes(stage),
    ...orderScenes(stage),
    ...userScenes(stage),
  });
  const byHand = { ...scenesOf(stageOf(asking)), ...oddRequestScenes(stageOf(asking)) };
  const byClient = scenesOf(stageOf(SENDERS['by the client']));

  for (const [code, scene] of Object.entries(byHand) as [ErrorCode, () => Promise<never>][]) // as: the tables' own keys
    it(`leads to success: ${code}`, async () => obey(code, await scene()));

  for (const [code, scene] of Object.entries(byClient) as [ErrorCode, () => Promise<never>][]) // as: the same
    it(`leads the client to success: ${code}`, async () => obeyByClient(code, await scene()));

  it('covers every code, or says why it cannot', () => {
    const given = Object.values(NOT_BROUGHT_ABOUT).flat();

    expect(new Set(given).size).to.equal(given.length);
    expect([...given, ...Object.keys(byHand)].sort()).to.deep.equal(Object.keys(errors).sort());
  });

  it('is the same in the database, which decides whether a key is spent', async () => {
    for (const [code, { spends }] of Object.entries(laws)) {
      const outcome = JSON.stringify({ problem: { code } });
      const spent = await service.db.oneFirst(sql.unsafe`
        select spends_key(jsonb_populate_record(null::intents, jsonb_build_object(
          'state', 'failed', 'settled_at', now(), 'outcome', ${outcome}::jsonb)))`);
      expect(spent, code).to.equal(spends);
    }
  });
});
