import { lookUp } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordPaid, registrarCarrier } from '../../src/registration/carrying.ts';
import { findPayment } from '../../src/registration/lookups.ts';
import type { Paid } from '../../src/registration/outcomes.ts';
import type { SentPurchase } from '../../src/registration/paying.ts';

/** Asks the chain what became of a payment in doubt. */
const reconcile: Task = ({ intent_id }, runtime) =>
  lookUp<SentPurchase, Paid>(
    registrarCarrier(runtime),
    intent_id,
    (intent, sent) => findPayment(runtime, intent, sent),
    (intent, sent, answer) => recordPaid(runtime, intent, sent, answer),
  );

export default reconcile;
