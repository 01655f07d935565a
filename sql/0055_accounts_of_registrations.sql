alter table registrations add column synthetic_hotkey text;

comment on column registrations.synthetic_hotkey is
  'The account that the network last showed for its address. Once that is eliminated, the network finds it by this name alone.';
