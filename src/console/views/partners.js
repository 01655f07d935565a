import { ask, askPage } from '../api.js';
import { copyButton } from '../copy.js';
import { act, showOnce } from '../dialog.js';
import { h } from '../dom.js';
import { changesOf, stolen } from '../fields.js';
import { activity, badge, code, idLink, moment } from '../format.js';
import { routeTo } from '../route.js';
import { facts, makeButton, pager, rowButton, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['PartnerSummary']} PartnerSummary */
/** @typedef {import('../api.js').Schemas['PartnerKey']} PartnerKey */
/** @typedef {import('../fields.js').Field} Field */
/** @typedef {import('../views.js').Again} Again */

/** Partners of v1 and their keys. @type {import('../views.js').View} */
export const partners = {
  name: 'partners',
  group: 'Access',
  title: 'Partners',
  titleOfOne: 'Partner',
  render: (route, again) => (route.id === '' ? renderAll(route, again) : renderOne(route, again)),
};

/** @param {import('../route.js').Route} route @param {Again} again */
async function renderAll(route, again) {
  const { items, next } = await askPage('/v2/admin/partners', { query: { cursor: route.query.cursor } });
  const make = makeButton('make-partner', 'Make a partner', 'registerPartner', () => register(again));
  return { content: [make, table('Partners', columns(again), items, 'No partner yet.'), pager(route, next)] };
}

/** @param {Again} again @returns {import('../table.js').Column<PartnerSummary>[]} */
const columns = (again) => [
  ['Partner', ({ partner_id, name }) => h('a', { href: routeTo(`partners/${partner_id}`), id: partner_id }, name)],
  ['Id', ({ partner_id }) => idLink(partner_id)],
  ['State', ({ active }) => activity(active)],
  ['Live keys', ({ live_keys }) => live_keys],
  ['Quota', (partner) => quotaOf(partner)],
  ['Created', ({ created_at }) => moment(created_at)],
  [
    'Actions',
    (partner) =>
      partner.active
        ? rowButton('Disable', partner.name, 'disablePartner', () => toggle(partner, again))
        : rowButton('Enable', partner.name, 'enablePartner', () => toggle(partner, again)),
  ],
];

/** What a partner uses of its quota. @param {PartnerSummary} partner */
const quotaOf = ({ requests_per_minute, quota_used, quota_rejections }) => [
  `${quota_used.toLocaleString('en')} of ${requests_per_minute.toLocaleString('en')} a minute`,
  quota_rejections > 0 && h('small', {}, badge('exceeded'), ` ${quota_rejections.toLocaleString('en')} rejected`),
];

/** @type {Field} */
const label = { name: 'label', label: 'Label of the key', optional: true, more: { maxlength: 100 } };

/** @param {Again} again */
async function register(again) {
  const made = await act({
    title: 'Make a partner',
    fields: [{ name: 'name', label: 'Name', more: { maxlength: 255 } }, label],
    button: 'Make',
    run: (body, key) => ask('post', '/v2/admin/partners', { body, key }),
  });
  if (made) await showKey(made, again);
}

/** @param {import('../api.js').Schemas['MintedKey']} minted @param {Again} again */
async function showKey({ key }, again) {
  await showOnce('A new partner key', [['Partner key', key]]);
  await again('The key is minted.');
}

/** @param {PartnerSummary} partner @param {Again} again */
async function toggle({ partner_id, name, active }, again) {
  const verb = active ? 'Disable' : 'Enable';
  const path = active ? '/v2/admin/partners/{partner_id}/disable' : '/v2/admin/partners/{partner_id}/enable';
  const done = await act({
    title: `${verb} ${name}`,
    says: [active ? 'Its keys are invalid until it is enabled again.' : 'Its keys become valid again.'],
    button: verb,
    isDanger: active,
    run: (_, key) => ask('post', path, { path: { partner_id }, key }),
  });
  if (done) await again(`${verb}: ${name}. Done.`);
}

/** @param {import('../route.js').Route} route @param {Again} again */
async function renderOne(route, again) {
  const { id: partner_id, query } = route;
  const [partner, { items: keys, next }] = await Promise.all([
    ask('get', '/v2/admin/partners/{partner_id}', { path: { partner_id } }),
    askPage('/v2/admin/partners/{partner_id}/keys', { path: { partner_id }, query: { cursor: query.cursor } }),
  ]);
  return {
    content: [
      h('p', {}, h('a', { href: routeTo('partners') }, 'All partners')),
      stateOf(partner),
      makeButton('change-partner', 'Change the partner', 'updatePartner', () => change(partner, again)),
      makeButton('mint-key', 'Mint a key', 'mintKeyOfPartner', () => mint(partner_id, partner.name, again)),
      table(`Keys of ${partner.name}`, keyColumns(again), keys, 'No key yet.'),
      pager(route, next),
    ],
  };
}

/** @param {PartnerSummary} partner */
const stateOf = (partner) =>
  h(
    'section',
    { 'aria-labelledby': 'partner' },
    h('h2', { id: 'partner' }, partner.name),
    facts([
      ['Partner', [idLink(partner.partner_id), ' ', copyButton(partner.partner_id)]],
      ['State', activity(partner.active)],
      ['Contact address', partner.contact_email ?? '–'],
      ['Quota used', quotaOf(partner)],
      ['Created', moment(partner.created_at)],
      [
        'Its intents',
        h('a', { href: routeTo('intents', { owner: partner.partner_id }) }, 'Troubled intents of this partner'),
      ],
      [
        'Done by operators',
        h('a', { href: routeTo('audit', { subject: partner.partner_id }) }, 'Audit of this partner'),
      ],
    ]),
    h('p', { class: 'note' }, 'The use is counted by each web process; shown is that of the one that responded.'),
  );

/** @param {PartnerSummary} partner @param {Again} again */
async function change({ partner_id, name, contact_email, requests_per_minute }, again) {
  const done = await act({
    title: `Change ${name}`,
    fields: [
      { name: 'name', label: 'Name', value: name, more: { maxlength: 255 } },
      {
        name: 'contact_email',
        label: 'Contact address',
        kind: 'email',
        value: contact_email,
        optional: !contact_email,
      },
      {
        name: 'requests_per_minute',
        label: 'Quota: requests a minute',
        hint: 'Of each web process; as many may come at once. Holds from the next request.',
        kind: 'number',
        value: requests_per_minute,
        more: { min: 1, max: 10_000_000, step: 1 },
      },
    ],
    button: 'Change',
    run: ({ requests_per_minute: quota, ...body }, key) =>
      ask('patch', '/v2/admin/partners/{partner_id}', {
        path: { partner_id },
        body: changesOf({ ...body, requests_per_minute: Number(quota) }, { name, contact_email, requests_per_minute }),
        key,
      }),
  });
  if (done) await again(`${name} is changed.`);
}

/** @param {Again} again @returns {import('../table.js').Column<PartnerKey>[]} */
const keyColumns = (again) => [
  ['Key', ({ hint }) => code(`${hint}…`)],
  ['Label', ({ label }) => label ?? '–'],
  ['State', ({ revoked_at }) => [badge(revoked_at ? 'revoked' : 'active'), revoked_at && moment(revoked_at)]],
  ['Minted', ({ created_at }) => moment(created_at)],
  [
    'Actions',
    (key) =>
      key.revoked_at ? '–' : rowButton('Revoke', key.label ?? key.hint, 'revokeKeyOfPartner', () => revoke(key, again)),
  ],
];

/** @param {string} partner_id @param {string} name @param {Again} again */
async function mint(partner_id, name, again) {
  const made = await act({
    title: `Mint a key for ${name}`,
    fields: [label],
    button: 'Mint',
    run: (body, key) => ask('post', '/v2/admin/partners/{partner_id}/keys', { path: { partner_id }, body, key }),
  });
  if (made) await showKey(made, again);
}

/** @param {PartnerKey} key @param {Again} again */
async function revoke({ key_id, hint, label }, again) {
  const done = await act({
    title: `Revoke ${label ?? hint}`,
    says: [`Requests with the key ${hint}… are rejected at once. This cannot be undone.`],
    fields: [stolen],
    button: 'Revoke',
    isDanger: true,
    run: (chosen, key) =>
      ask('delete', '/v2/admin/partner-keys/{key_id}', {
        path: { key_id },
        query: { stolen: `${chosen.stolen}` },
        key,
      }),
  });
  if (done) await again(`The key ${hint}… is revoked.`);
}
