-- A receipt may name a text message by the gateway's own id only.
create index delivery_of_sms_reference on delivery (provider_ref) where channel = 'sms' and provider_ref is not null;
