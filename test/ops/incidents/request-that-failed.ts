import { finds, incident } from '../incident.ts';

export default incident({
  starts: { customer: 'Request 8f3c-night was answered with an error. Was the order placed?' },
  async happens({ session }) {
    await session.query(`
      insert into api_requests (owner, at, operation, method, status, code, request_id, intent_id, caller, ms)
      values ('ptn_x', now(), 'submitNetvenueOrder', 'POST', 422, 'V1_RULE_VIOLATED', '8f3c-night', null, 'partner', 3)`);
    return { answer: '' };
  },
  steps: [
    [
      'Console, Find: the request; it was rejected before anything was accepted',
      async ({ read }, known) => {
        const [request] = (await read('/v2/admin/search?q=8f3c-night')).records;
        finds(request.kind === 'request' && request.relatives.intent === undefined, 'a request without an intent');
        known.answer = `nothing was placed: ${request.state}`;
      },
    ],
  ],
  isOver: async (_, { answer }) => answer === 'nothing was placed: 422 V1_RULE_VIOLATED',
});
