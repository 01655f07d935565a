-- What each file held when it was applied: an edit to one of them would reach no database that has it already, and is refused.
alter table migrations add column sha256 text;
