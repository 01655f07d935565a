import { askPage } from '../api.js';
import { h } from '../dom.js';
import { badge, idLink, moment } from '../format.js';
import { pager, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['FailedMail']} FailedMail */

/** E-mails that were given up. @type {import('../views.js').View} */
export const mails = {
  name: 'mails',
  group: 'Running',
  title: 'Failed e-mails',
  reads: 'listFailedMails',
  async render(route) {
    const { items, next } = await askPage('/v2/admin/mails/failed', { query: route.query });
    const shown = table('E-mails that were given up, newest first', columns, items, 'No e-mail was given up.');
    return { content: [shown, pager(route, next)] };
  },
};

/** @type {import('../table.js').Column<FailedMail>[]} */
const columns = [
  ['E-mail', ({ template, mail_id }) => [template, h('small', {}, idLink(mail_id))]],
  ['To', ({ recipient, user_id, app_id }) => [recipient, h('small', {}, idLink(user_id), ' of ', idLink(app_id))]],
  ['State', ({ state, attempts }) => [badge(state), ` after ${attempts} attempts`]],
  ['Why', ({ reason }) => reason ?? '–'],
  ['Given up', ({ ended_at }) => moment(ended_at)],
];
