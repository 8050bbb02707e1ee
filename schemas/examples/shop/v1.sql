-- A small shop, version 1: what it sells, to whom, and what they ordered.
declare schema main version '1' {

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
    constraint customer_email_once unique (email)
  }

  table address {
    id integer primary key,
    customer integer,
    line text,
    city text,
    postcode text null,
    country text collate nocase,
    constraint address_customer foreign key (customer) references customer(id),
    constraint address_country foreign key (country) references country(code)
  }

  table supplier {
    id integer primary key,
    name text,
    phone text null,
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
    price text,
    category integer,
    supplier integer null,
    constraint product_sku_once unique (sku),
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
    primary key (warehouse, product),
    constraint stock_not_negative check (quantity >= 0),
    constraint stock_warehouse foreign key (warehouse) references warehouse(id),
    constraint stock_product foreign key (product) references product(id)
  }

  table orders {
    id integer primary key,
    customer integer,
    ship_to integer null,
    placed datetime,
    state text default 'new',
    constraint orders_state check (state in ('new', 'paid', 'sent', 'done')),
    constraint orders_customer foreign key (customer) references customer(id),
    constraint orders_ship_to foreign key (ship_to) references address(id)
  }

  table order_line {
    order_id integer,
    line_no integer,
    product integer,
    quantity integer default 1,
    unit_price integer,
    primary key (order_id, line_no),
    constraint line_quantity check (quantity > 0),
    constraint line_order foreign key (order_id) references orders(id),
    constraint line_product foreign key (product) references product(id)
  }

  table payment {
    id integer primary key,
    order_id integer,
    amount integer,
    paid_at datetime,
    method text,
    constraint payment_positive check (amount > 0),
    constraint payment_order foreign key (order_id) references orders(id)
  }

  table review {
    product integer,
    customer integer,
    stars integer,
    body text null,
    primary key (product, customer),
    constraint review_stars check (stars between 1 and 5),
    constraint review_product foreign key (product) references product(id),
    constraint review_customer foreign key (customer) references customer(id)
  }

  index orders_by_customer on orders(customer, placed desc)
  index product_by_title on product(title collate nocase)
  index stock_by_product on stock(product)
  unique index payment_once on payment(order_id, paid_at)
}
