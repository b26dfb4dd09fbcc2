-- What a list says of a template: the languages of its texts, and the placeholders that these share, each as JSON. 200 templates have
-- texts of 12 MB. Null in templates from before, of which the list reads the texts.
alter table template add column languages text;
alter table template add column placeholders text;
