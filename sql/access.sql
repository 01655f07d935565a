-- Rights to the operator's kit. Applied after every change of a definition, because a recreated view or function has no rights.
revoke all on all functions in schema ops from public;

select ops.grant_access(r.rolname)
from pg_namespace n
cross join lateral aclexplode(n.nspacl) a
join pg_roles r on r.oid = a.grantee
where n.nspname = 'ops' and a.privilege_type = 'USAGE' and r.oid <> n.nspowner;

revoke execute on function grant_process_access() from public;

select grant_process_access();
