import { carryOut } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordPaid, registrarCarrier, sendPurchase } from '../../src/registration/carrying.ts';
import { preparePurchase } from '../../src/registration/paying.ts';

/** Pays for one registration and records what the registrar said. The signed payment is committed before it is sent. */
const purchase: Task = ({ intent_id }, runtime) =>
  carryOut(registrarCarrier(runtime), intent_id, {
    prepare: (intent) => preparePurchase(intent, runtime),
    send: (sent, limits) => sendPurchase(runtime, sent, limits),
    record: (intent, sent, answer) => recordPaid(runtime, intent, sent, answer),
  });

export default purchase;
