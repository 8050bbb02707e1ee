declare schema side version '2' {
  table notes { id integer primary key, body text, unique (body) };
}
