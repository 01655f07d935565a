import { ask, askPage } from '../api.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { filter } from '../filter.js';
import { badge, code, moment } from '../format.js';
import { facts, pager, rowButton, table } from '../table.js';
import { networkFields, scopesField } from './app-fields.js';

/** @typedef {import('../api.js').Schemas['AccessRequest']} AccessRequest */
/** @typedef {import('../permissions.js').OperationId} OperationId */
/** @typedef {import('../views.js').Again} Again */

/** Access requests: approve, decline, mail the link again. @type {import('../views.js').View} */
export const requests = {
  name: 'requests',
  group: 'Access',
  title: 'Access requests',
  reads: 'listAccessRequests',
  async render(route, again) {
    const status = route.query.status ?? 'pending';
    const query = { status: status === 'every' ? '' : status, cursor: route.query.cursor, limit: 50 };
    const { items, next } = await askPage('/v2/admin/app-requests', { query });
    const states = {
      name: 'status',
      label: 'State',
      kind: /** @type {const} */ ('select'),
      value: 'pending',
      options: ['pending', 'approved', 'declined', 'every'],
    };
    const shown = table('Access requests, newest first', columns(again), items, 'No request in this state.');
    return { content: [filter(route, [states]), shown, pager(route, next)] };
  },
};

/** @param {Again} again @returns {import('../table.js').Column<AccessRequest>[]} */
const columns = (again) => [
  ['Company', ({ company_name, slug }) => [company_name, ' ', code(slug)]],
  ['Contact', ({ contact_name, contact_email }) => [contact_name && `${contact_name}, `, contact_email]],
  ['Requested', ({ created_at }) => moment(created_at)],
  ['State', ({ status, decline_reason }) => [badge(status), decline_reason && h('small', {}, decline_reason)]],
  ['Link', ({ link_opened_at, link_expires_at }) => linkState(link_opened_at, link_expires_at)],
  ['Actions', (request) => buttons(request, again)],
];

/** @param {string | null} opened @param {string | null} expires */
function linkState(opened, expires) {
  if (opened) return ['opened ', moment(opened)];
  if (!expires) return '–';
  return [Date.parse(expires) > Date.now() ? 'open until ' : 'expired ', moment(expires)];
}

/** @param {AccessRequest} request @param {Again} again */
function buttons(request, again) {
  const button = (
    /** @type {string} */ label,
    /** @type {OperationId} */ operation,
    /** @type {(request: AccessRequest) => Promise<unknown>} */ action,
  ) =>
    rowButton(label, request.slug, operation, async () => {
      if (await action(request)) await again(`${label}: ${request.company_name}. Done.`);
    });
  if (request.status === 'pending') {
    return [button('Approve', 'approveAccessRequest', approve), button('Decline', 'declineAccessRequest', decline)];
  }
  return request.status === 'approved' ? button('Mail a new link', 'reissueAccessLink', reissue) : '–';
}

/** @param {AccessRequest} request */
const approve = ({ request_id, company_name, slug, website, use_case }) =>
  act({
    title: `Approve ${company_name}`,
    says: [
      facts([
        ['Website', website ?? '–'],
        ['Use', use_case],
      ]),
      'Creates the app and mails a link that shows its credentials once.',
    ],
    fields: [
      ...networkFields(false),
      { name: 'name', label: 'Name of the app', value: company_name, more: { maxlength: 255 } },
      { name: 'slug', label: 'Slug', value: slug, more: { maxlength: 64 } },
      scopesField('allowed_scopes', ['api']),
    ],
    button: 'Approve',
    run: (body, key) => ask('post', '/v2/admin/app-requests/{request_id}/approve', { path: { request_id }, body, key }),
  });

/** @param {AccessRequest} request */
const decline = ({ request_id, company_name }) =>
  act({
    title: `Decline ${company_name}`,
    fields: [
      {
        name: 'reason',
        label: 'Reason',
        hint: 'Stored with the request; not mailed.',
        kind: 'area',
        more: { maxlength: 1000 },
      },
    ],
    button: 'Decline',
    isDanger: true,
    run: (body, key) => ask('post', '/v2/admin/app-requests/{request_id}/decline', { path: { request_id }, body, key }),
  });

/** @param {AccessRequest} request */
const reissue = ({ request_id, company_name, contact_email }) =>
  act({
    title: `Mail a new link to ${company_name}`,
    says: [`Mails a link to ${contact_email}. The earlier link and any secret it has shown become invalid at once.`],
    button: 'Mail a new link',
    isDanger: true,
    run: (_, key) => ask('post', '/v2/admin/app-requests/{request_id}/reissue', { path: { request_id }, key }),
  });
