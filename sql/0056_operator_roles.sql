-- Present operators, and those that the previous version creates during the release, could do everything.
alter table admins
  add column role text not null default 'admin' constraint admins_role_known check (role in ('viewer', 'support', 'finance', 'admin'));
comment on column admins.role is 'What the operator may do: a viewer reads, support and finance each do more, an admin does everything.';
comment on column admins.is_superadmin is 'Not used any more: see role.';
