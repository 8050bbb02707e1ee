-- Version 3: orders become purchases, reviews are keyed by customer first, postcodes are compared without case and
-- required, and payments take one method out of a list.
declare schema main version '3' {

  table country {
    code text collate nocase primary key,
    name text,
    constraint country_code_length check (length(code) = 2)
  }

  table customer {
    id integer primary key,
    email text collate nocase,
    name text,
    country text collate nocase references country(code),
    joined date,
    level text default 'basic',
    constraint customer_level check (level in ('basic', 'silver', 'gold')),
    constraint customer_email_once unique (email)
  }

  table address {
    id integer primary key,
    customer integer,
    line text,
    city text,
    postcode text collate nocase not null default 'unknown',
    country text collate nocase,
    constraint address_customer foreign key (customer) references customer(id),
    constraint address_country foreign key (country) references country(code)
  }

  table supplier {
    id integer primary key,
    name text,
    site text null,
    constraint supplier_name_once unique (name)
  }

  table category {
    id integer primary key,
    name text,
    parent integer null,
    constraint category_parent foreign key (parent) references category(id)
  }

  table product {
    id integer primary key,
    sku text,
    title text,
    price numeric,
    category integer,
    supplier integer null,
    constraint product_sku_once unique (sku),
    constraint product_price check (price >= 0),
    constraint product_category foreign key (category) references category(id),
    constraint product_supplier foreign key (supplier) references supplier(id)
  }

  table warehouse {
    id integer primary key,
    name text,
    city text
  }

  table stock {
    warehouse integer,
    product integer,
    quantity integer default 0,
    reorder_at integer default 5,
    primary key (warehouse, product),
    constraint stock_not_negative check (quantity >= 0),
    constraint stock_warehouse foreign key (warehouse) references warehouse(id),
    constraint stock_product foreign key (product) references product(id)
  }

  table purchase {
    id integer primary key,
    customer integer,
    ship_to integer null,
    placed_at datetime,
    state text default 'new',
    constraint orders_state check (state in ('new', 'paid', 'sent', 'done', 'returned')),
    constraint orders_customer foreign key (customer) references customer(id),
    constraint orders_ship_to foreign key (ship_to) references address(id)
  } with tags ("quereus.previous_name" = 'orders')

  table order_line {
    order_id integer,
    line_no integer,
    product integer,
    quantity integer default 1,
    unit_price integer,
    primary key (order_id, line_no),
    constraint line_quantity check (quantity > 0),
    constraint line_order foreign key (order_id) references purchase(id),
    constraint line_product foreign key (product) references product(id)
  }

  table payment {
    id integer primary key,
    order_id integer,
    amount integer,
    paid_at datetime,
    method text default 'card',
    constraint payment_positive check (amount > 0),
    constraint payment_method check (method in ('card', 'transfer', 'cash')),
    constraint payment_order foreign key (order_id) references purchase(id)
  }

  table review {
    product integer,
    customer integer,
    stars integer,
    body text null,
    primary key (customer, product),
    constraint review_stars check (stars between 1 and 5),
    constraint review_product foreign key (product) references product(id),
    constraint review_customer foreign key (customer) references customer(id)
  }

  table label {
    id integer primary key,
    word text collate nocase,
    constraint label_word_once unique (word)
  }

  table product_label {
    product integer,
    label integer,
    primary key (product, label),
    constraint product_label_product foreign key (product) references product(id),
    constraint product_label_label foreign key (label) references label(id)
  }

  index orders_by_customer on purchase(customer, placed_at desc)
  index product_by_title on product(title collate nocase)
  index stock_by_product on stock(product, quantity desc)
  index customer_by_level on customer(level) where level != 'basic'
  unique index payment_once on payment(order_id, paid_at)
}
