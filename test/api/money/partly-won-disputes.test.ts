import { expect } from 'chai';
import { processor as openProcessor } from '../../../src/adapters/processor/index.ts';
import { proveLedger } from '../../../src/capabilities/ledger/prove.ts';
import type { TestAdmin } from '../../support/identity.ts';
import { accountIn, checkOut, eventually, type Money, PROCESSOR, startMoney, tier25k } from '../../support/money.ts';

const PRICE = tier25k.amount_cents;
const REFUNDED = 5_000;

describe('a lost dispute of a payment of which a part was refunded before', () => {
  let service: Money;
  let operator: TestAdmin;
  before(async () => {
    service = await startMoney();
    operator = await service.admin();
    await prove(); // the first one: what is bought later is judged
  });
  after(() => service.stop());
  afterEach(() => service.control('settings', { settles: null }));

  const prove = () =>
    proveLedger(
      {},
      {
        db: service.db,
        processor: openProcessor({ url: service.processor.url, ...PROCESSOR }),
        log: { error: () => {} },
        stopping: new AbortController().signal,
      },
      { minutes: -1 }, // also what moved just now
    );

  /** The bank gives back what the card holder had received before: the dispute is lost, and partly won. */
  async function lose() {
    const user = await service.user(service.tenant);
    const { payment_id, processor_payment_intent_id: id } = await checkOut(user.ask, tier25k);
    await service.control('payment', { id, to: 'succeeded' });
    await accountIn(user.ask, 'evaluation');
    await service.control('payment', { id, to: 'refunded', amount: REFUNDED });
    await service.control('payment', { id, to: 'disputed', amount: PRICE });
    const made = service.processor.events.findLast(({ type }) => type === 'charge.dispute.created');
    await service.control('dispute', { id: Object(made?.data.object).id, to: 'lost' });
    return eventually(async () => {
      const { body } = await user.ask('GET', `/v2/payments/${payment_id}`);
      return body.disputed_cents === PRICE - REFUNDED && body;
    });
  }

  it('has taken the rest: both together are what was received, as the processor has it', async () => {
    const payment = await lose();
    await prove();

    expect(payment).to.include({ received_cents: PRICE, refunded_cents: REFUNDED, status: 'disputed' });
    expect((await operator.ask('GET', '/v2/admin/ledger/differences')).body).to.deep.equal([]);
  });

  it('has taken the rest also where the processor converts to another currency', async () => {
    await service.control('settings', { settles: 'eur' });

    await lose();
    await prove();

    expect((await operator.ask('GET', '/v2/admin/ledger/differences')).body).to.deep.equal([]);
  });
});
