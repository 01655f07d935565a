create table figures (
  width_s integer not null constraint figures_width_known check (width_s in (60, 300)),
  at timestamptz not null,
  figure text not null,
  label text not null,
  value double precision not null,
  primary key (width_s, at, figure, label)
);

comment on table figures is 'What the service did, minute by minute and in steps of five minutes, for the charts of the console.';
comment on column figures.at is 'The start of the step.';
comment on column figures.label is 'What the figure is about: a venue, another upstream, a state or the code of an error.';
