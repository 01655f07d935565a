import type { RefusalCode } from '../../src/kernel/refusals.ts';
import { type Identity, type Said, startIdentity, type TestApp } from './identity.ts';
import { expectProblem as expectProblemIn } from './problem.ts';
import { until } from './processes.ts';
import { type Receiver, startReceiver } from './receivers.ts';

export const ENDPOINTS = '/v2/webhook-endpoints';

export const expectProblem = ({ headers, ...reply }: Said, code: RefusalCode, members?: object) =>
  expectProblemIn({ ...reply, headers: Object.fromEntries(headers) }, code, members);

/**
 * For a suite: a service, and for each test a new app and a receiver of its own. What an app does with its endpoints: makes them, at
 * this receiver unless told otherwise, has events fanned out to them, and reads what became of them.
 */
export function endpointsSuite() {
  const own = {} as { service: Identity; app: TestApp; receiver: Receiver }; // as: made before they are used
  before(async () => {
    own.service = await startIdentity();
  });
  after(() => own.service.stop());
  beforeEach(async () => {
    own.app = await own.service.app();
    own.receiver = await startReceiver();
  });
  afterEach(() => own.receiver.close());

  const create = (more: object = {}) =>
    own.app.ask('POST', ENDPOINTS, { json: { url: own.receiver.url, events: ['*'], ...more } });
  const deliveriesOf = async (id: string, query = '') =>
    (await own.app.ask('GET', `${ENDPOINTS}/${id}/deliveries${query}`)).body as Record<string, unknown>[];
  return {
    own,
    create,
    deliveriesOf,
    settled: (id: string) =>
      until('every delivery ended', async () => (await deliveriesOf(id)).every(({ status }) => status !== 'pending')),
    created: async (more: object = {}) => (await create(more)).body as { id: string; secret: string },
    notify: (fanout_event: string, payload: object = {}) =>
      own.app.ask('POST', '/v2/notifications/send', { json: { subject: 's', html: 'h', fanout_event, payload } }),
  };
}
