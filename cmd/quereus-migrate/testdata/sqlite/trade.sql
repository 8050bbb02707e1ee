-- Wholesale: names with spaces, text dates, views over views.
pragma default_column_nullability = 'nullable';

CREATE TABLE "Categories"
(      "CategoryID" INTEGER PRIMARY KEY AUTOINCREMENT,
       "CategoryName" TEXT,
       "Description" TEXT,
       "Picture" BLOB
);

CREATE TABLE "Customers"
(      "CustomerID" TEXT,
       "CompanyName" TEXT,
       "Region" TEXT,
       PRIMARY KEY (`CustomerID`)
);

CREATE TABLE "Employees"
(      "EmployeeID" INTEGER PRIMARY KEY AUTOINCREMENT,
       "LastName" TEXT,
       "BirthDate" DATE,
       "ReportsTo" INTEGER REFERENCES "Employees"("EmployeeID"),
       "Photo" BLOB SUB_TYPE BINARY,
       "Notes" BLOB SUB_TYPE TEXT
);

CREATE TABLE "Orders"(
   "OrderID" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
   "CustomerID" TEXT,
   "EmployeeID" INTEGER,
   "OrderDate" DATETIME,
   "Freight" NUMERIC DEFAULT 0,
   "ShipName" CHARACTER VARYING (40),
   "Weight" DOUBLE PRECISION,
   FOREIGN KEY ("EmployeeID") REFERENCES "Employees" ("EmployeeID") ON DELETE NO ACTION ON UPDATE NO ACTION,
   FOREIGN KEY ("CustomerID") REFERENCES "Customers" ("CustomerID") ON DELETE SET NULL ON UPDATE CASCADE
);

CREATE TABLE "Order Details"(
   "OrderID" INTEGER NOT NULL,
   "UnitPrice" NUMERIC NOT NULL DEFAULT 0,
   "Quantity" UNSIGNED BIG INT NOT NULL DEFAULT 1,
   "Discount" REAL NOT NULL DEFAULT 0,
    PRIMARY KEY ("OrderID","UnitPrice"),
    CHECK ("Discount">=(0) AND "Discount"<=(1)),
    CHECK ("Quantity">(0)),
    FOREIGN KEY ("OrderID") REFERENCES "Orders" ("OrderID")
);

CREATE INDEX "OrderDate" ON "Orders" ("OrderDate");

CREATE VIEW [Order Subtotals] AS
    SELECT "Order Details".OrderID, Sum("Order Details".UnitPrice * Quantity * (1 - Discount)) AS Subtotal
    FROM "Order Details"
    GROUP BY "Order Details".OrderID;

CREATE VIEW [Sales by Customer] AS
SELECT c.CompanyName, count(*) AS Orders, total(s.Subtotal) AS Sales
FROM Customers AS c
     JOIN Orders AS o ON o.CustomerID = c.CustomerID
     JOIN [Order Subtotals] AS s ON s.OrderID = o.OrderID
WHERE o.OrderDate NOT NULL
GROUP BY c.CompanyName
ORDER BY Sales DESC LIMIT 10, 20;
