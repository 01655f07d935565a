import type { ErrorCode } from '../../src/kernel/error-codes.ts';
import { type Data, type Identity, startIdentity, type TestApp } from './identity.ts';
import { expectProblem as expectProblemIn } from './problem.ts';
import { until } from './processes.ts';
import { type Receiver, startReceiver } from './receivers.ts';

export const ENDPOINTS = '/v2/webhook-endpoints';

/** `expectProblem` for a response of `ask`, whose headers are a `Headers` object. */
export const expectProblem = ({ headers, ...reply }: Data, code: ErrorCode, members?: object) =>
  expectProblemIn({ ...reply, headers: Object.fromEntries(headers) }, code, members);

/**
 * For a suite: a service, and for each test a new app and its own receiver. Returns the actions of an app on its
 * endpoints: create them (by default at this receiver), fan events out to them, and read the results.
 */
export function endpointsSuite() {
  const fixture = {} as { service: Identity; app: TestApp; receiver: Receiver }; // as: created before they are used
  before(async () => {
    fixture.service = await startIdentity();
  });
  after(() => fixture.service.stop());
  beforeEach(async () => {
    fixture.app = await fixture.service.app();
    fixture.receiver = await startReceiver();
  });
  afterEach(() => fixture.receiver.close());

  const create = (more: object = {}) =>
    fixture.app.ask('POST', ENDPOINTS, { json: { url: fixture.receiver.url, events: ['*'], ...more } });
  const deliveriesOf = async (id: string, query = '') =>
    (await fixture.app.ask('GET', `${ENDPOINTS}/${id}/deliveries${query}`)).body as Record<string, unknown>[];
  return {
    fixture,
    create,
    deliveriesOf,
    settled: (id: string) =>
      until('every delivery ended', async () => (await deliveriesOf(id)).every(({ status }) => status !== 'pending')),
    created: async (more: object = {}) => (await create(more)).body as { id: string; secret: string },
    notify: (fanout_event: string, payload: object = {}) =>
      fixture.app.ask('POST', '/v2/notifications/send', { json: { subject: 's', html: 'h', fanout_event, payload } }),
  };
}
