-- Outside a transaction
-- What others have bought for a wallet: asked with every order of one whose account its owner has bought.
drop index concurrently if exists registrations_by_wallet;

create index concurrently registrations_by_wallet on registrations (ex_address);
