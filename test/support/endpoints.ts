import type { RefusalCode } from '../../src/kernel/refusals.ts';
import type { Said, TestApp } from './identity.ts';
import { expectProblem as expectProblemIn } from './problem.ts';
import { until } from './processes.ts';
import type { Receiver } from './receivers.ts';

export const ENDPOINTS = '/v2/webhook-endpoints';

export const expectProblem = ({ headers, ...reply }: Said, code: RefusalCode, members?: object) =>
  expectProblemIn({ ...reply, headers: Object.fromEntries(headers) }, code, members);

/** What an app does with its endpoints: makes them, at this receiver unless told otherwise, has events fanned out to them, and reads what became of them. */
export function endpointsOf(app: () => TestApp, receiver: () => Receiver) {
  const create = (more: object = {}) =>
    app().ask('POST', ENDPOINTS, { json: { url: receiver().url, events: ['*'], ...more } });
  const deliveriesOf = async (id: string, query = '') =>
    (await app().ask('GET', `${ENDPOINTS}/${id}/deliveries${query}`)).body as Record<string, unknown>[];
  return {
    create,
    deliveriesOf,
    settled: (id: string) =>
      until('every delivery ended', async () => (await deliveriesOf(id)).every(({ status }) => status !== 'pending')),
    created: async (more: object = {}) => (await create(more)).body as { id: string; secret: string },
    notify: (fanout_event: string, payload: object = {}) =>
      app().ask('POST', '/v2/notifications/send', { json: { subject: 's', html: 'h', fanout_event, payload } }),
  };
}
