-- Each sign-in takes some sessions out that have ended: without looking at those that go on, nor at what else has ended here.
create index oauth_record_session on oauth_record (model, expires_at) where model = 'CitizenSession';
