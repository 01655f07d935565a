import type { Answer, Chapter, Guide } from './guide.ts';
import { isSigned, type Receiver, startReceiver } from './receiver.ts';

const ENDPOINTS = '/v2/webhook-endpoints';
const ACCOUNTS = '/v2/payments/prop-accounts';
const PAID = 'payment.succeeded';
const FUNDED = 'account.funded';

/** A checkout is paid, its app told by a signed webhook, the account made, traded to its end and funded; its owner is told. */
export const boughtAccount: Chapter = {
  title: 'A bought account',
  async walk(guide, told) {
    const receiver = await startReceiver();
    try {
      await buy(guide, receiver, told);
    } finally {
      receiver.close();
    }
  },
};

async function buy(guide: Guide, receiver: Receiver, told: Map<string, string>): Promise<void> {
  const asApp = { Authorization: told.get('token') ?? '' };
  const asUser = { ...asApp, 'X-Session-Token': told.get('session') ?? '' };
  const endpoint = await register(guide, asApp, receiver);
  const inbox = { receiver, secret: endpoint.secret };
  const checkout = await checkOut(guide, asUser);
  await pay(guide, asUser, checkout);
  const account = await findAccount(guide, asUser, checkout);
  await hearOfPayment(guide, inbox, checkout);
  await fund(guide, asUser, account);
  await notify(guide, asApp, inbox, told.get('email') ?? '');
  const path = `${ENDPOINTS}/${endpoint.id}`;
  await guide.ask({ method: 'DELETE', path, headers: asApp, expect: 200 });
}

type As = Record<string, string>;
type Body = Answer['body'];
type Inbox = { receiver: Receiver; secret: string };

async function register({ say, ask, check }: Guide, headers: As, { url }: Receiver): Promise<Body> {
  say(
    'The app registers a webhook endpoint for all events: a server that this tour runs. Its secret is shown this once.',
  );
  const body = { url, events: ['*'] };
  const endpoint = await ask({ method: 'POST', path: ENDPOINTS, body, headers, expect: 200 });
  check('it is active', endpoint.body.active);
  return endpoint.body;
}

/** Answers the payment as it stands at the processor. */
async function checkOut({ say, ask, check, gained }: Guide, headers: As): Promise<Body> {
  say('What is on sale, and a checkout that names another price: refused, and the processor hears of nothing.');
  const { body: tiers } = await ask({ method: 'GET', path: '/v2/tiers', headers, expect: 200 });
  const tier = tiers.find(({ tier_id }: Body) => tier_id === 'tier_25k');
  check('a tier of 25,000 USD is among it', tier?.account_size === 25_000);
  const { active: _, ...asked } = tier;
  const request = { method: 'POST', path: '/v2/payments/checkout', headers } as const;
  await ask({ ...request, body: { ...asked, amount_cents: 100 }, expect: 422 });
  await gained();

  say('The checkout as it is on sale. The same Idempotency-Key gets the same payment.');
  const keyed = { ...request, headers: { ...headers, 'Idempotency-Key': `tour-${Date.now()}` }, body: asked };
  const checkout = await ask({ ...keyed, expect: 200 });
  const again = await ask({ ...keyed, expect: 200 });
  check('it is the same payment', again.body.payment_id === checkout.body.payment_id);
  await gained({ kind: 'payment_intent', key: String(checkout.headers['intent-id']) });
  return checkout.body;
}

async function pay({ say, until, check, sandbox }: Guide, headers: As, checkout: Body): Promise<void> {
  say('Pay on the processor’s page. The processor tells it three times over; it counts once.');
  const path = `/v2/payments/${checkout.payment_id}`;
  await sandbox.repeatNotifications(3);
  try {
    const page = await sandbox.pay(checkout.client_secret);
    check('the page says so', page.includes('succeeded'));
    const isOver = ({ status }: Body) => status === 'succeeded';
    const paid = await until({ method: 'GET', path, headers, expect: 200 }, isOver);
    check('the client secret is gone with it', paid.body.client_secret === null);
  } finally {
    await sandbox.repeatNotifications(1);
  }
}

/** Answers the account, once it is made and open at the network. */
async function findAccount({ say, until, check, gained }: Guide, headers: As, checkout: Body): Promise<Body> {
  say('The account is made on the network, and listed when it can be traded.');
  const { processor_payment_intent_id } = checkout;
  const bought = (body: Body) =>
    body.find((one: Body) => one.processor_payment_intent_id === processor_payment_intent_id);
  const request = { method: 'GET', path: ACCOUNTS, headers, expect: 200 } as const;
  const account = bought((await until(request, (body) => bought(body)?.status === 'evaluation')).body);
  check('it has the tier’s size', account.account_size === 25_000 && account.failure_reason === null);
  const { subaccount_id } = account;
  const effects = [
    { kind: 'paid', key: processor_payment_intent_id },
    { kind: 'subaccount', subaccount_id },
  ];
  const entries = await gained(...effects);
  const made = entries.find(({ kind }) => kind === 'subaccount');
  check('the ledger has the size that was bought', made?.detail.account_size === account.account_size);
  return account;
}

async function hearOfPayment({ say, check }: Guide, { receiver, secret }: Inbox, checkout: Body): Promise<void> {
  say('The app’s endpoint is told, signed with its secret.');
  const [delivery, ...more] = await receiver.deliveries(PAID);
  if (!delivery) return check(`${PAID} was delivered`, false);
  check('the signature is good', isSigned(delivery, secret));
  check('one changed byte would not be', !isSigned({ ...delivery, body: `${delivery.body} ` }, secret));
  check(`it names the payment: ${delivery.body}`, JSON.parse(delivery.body).data.payment_id === checkout.payment_id);
  check('it came once', more.length === 0);
}

async function fund({ say, ask, check, gained, sandbox }: Guide, headers: As, account: Body): Promise<void> {
  say('The network moves the account to funded; a sync brings it here.');
  await sandbox.moveSubaccount({ subaccount_id: account.subaccount_id, bucket: 'SUBACCOUNT_FUNDED' });
  const path = `/v2/lifecycle/sync/${account.id}`;
  const { body } = await ask({ method: 'POST', path, headers, expect: 200 });
  check('it is funded', body.status === 'funded' && body.synced);
  const one = await ask({ method: 'GET', path: `${ACCOUNTS}/${account.id}`, headers, expect: 200 });
  check('and stays so', one.body.status === 'funded');
  await gained();
}

async function notify(guide: Guide, headers: As, { receiver, secret }: Inbox, email: string): Promise<void> {
  const { say, ask, check, sandbox } = guide;
  say('The app tells its user by mail, and its own endpoint by an event of its own name.');
  const body = { email, subject: 'Your account is funded', html: '<p>Well done.</p>', fanout_event: FUNDED };
  const sent = await ask({ method: 'POST', path: '/v2/notifications/send', body, headers, expect: 200 });
  check('one mail and one delivery', sent.body.email_sent && sent.body.webhook_deliveries_queued === 1);
  const mail = await sandbox.mailTo(email, /funded/);
  check('the mail came', mail.html.includes('Well done.'));
  const [delivery] = await receiver.deliveries(FUNDED);
  check('the event came, signed', delivery !== undefined && isSigned(delivery, secret));
}
