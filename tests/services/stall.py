"""Five services in four languages that run with nothing but their runtimes: files with known connections.

Every request names its sender in a header, and every service prints what it was asked, so that a run shows who talks
to whom.
"""

FILES = {
    "compose.yaml": """\
services:
  web:
    build: ./web
    environment:
      ORDERS_URL: http://orders:8000
  orders:
    build: ./orders
    environment:
      STOCK_URL: http://stock:8000
      PAYMENTS_URL: http://payments:8000
      NATS_URL: nats://nats:4222
  payments:
    build: ./payments
  stock:
    build: ./stock
  mailer:
    build: ./mailer
    environment:
      NATS_URL: nats://nats:4222
  nats:
    image: nats:2
""",
    "web/Dockerfile": "FROM node:22\n",
    "web/package.json": '{"name": "web"}\n',
    "web/express.js": """\
const http = require("http");

// As much of the framework as this shop needs.
module.exports = () => {
  const routes = [];
  const server = http.createServer(async (request, response) => {
    const found = routes.find((one) => one.method === request.method && one.pattern.test(request.url));
    if (!found) return response.writeHead(404).end();
    const [, ...values] = found.pattern.exec(request.url);
    try {
      const body = await found.handler({ params: values });
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  const add = (method) => (path, handler) =>
    routes.push({ method, handler, pattern: new RegExp(`^${path.replace(/:\\w+/g, "([^/]+)")}$`) });
  return { get: add("GET"), post: add("POST"), listen: (port) => server.listen(port, "127.0.0.1") };
};
""",
    "web/server.js": """\
const express = require("./express");
const { place } = require("./orders");

const app = express();

app.get("/checkout/:sku", async (request) => place(request.params[0]));

app.get("/health", async () => ({ ok: true }));

app.listen(Number(process.env.PORT));
""",
    "web/orders.js": """\
const base = process.env.ORDERS_URL || "http://localhost:8000";

exports.place = async (sku) => {
  const response = await fetch(`${base}/orders`, {
    method: "POST",
    headers: { "x-sender": "web", "content-type": "application/json" },
    body: JSON.stringify({ sku }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
};
""",
    "orders/Dockerfile": "FROM python:3.13\n",
    "orders/requirements.txt": "starlette\nhttpx\n",
    "orders/nats.py": """\
import socket


class Connection:
    def __init__(self, url):
        host, port = url.removeprefix("nats://").split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=20)

    def publish(self, subject, body):
        self.socket.sendall(b"PUB %s %d\\r\\n%s\\r\\n" % (subject.encode(), len(body), body))
""",
    "orders/topics.py": 'PLACED = "orders.placed"\n',
    "orders/main.py": """\
import json
import os

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

import nats
from topics import PLACED

STOCK = os.environ["STOCK_URL"]
PAYMENTS = os.environ["PAYMENTS_URL"]
SENDER = {"x-sender": "orders"}


def place(request_body):
    stock = httpx.get(f"{STOCK}/stock/{request_body['sku']}", headers=SENDER).json()
    paid = httpx.post(f"{PAYMENTS}/payments", headers=SENDER, content=str(stock["price"])).json()
    order = {"sku": stock["sku"], "paid": paid["paid"]}
    nats.Connection(os.environ["NATS_URL"]).publish(PLACED, json.dumps(order).encode())
    return order


async def create(request):
    print(f"{request.headers.get('x-sender')} POST /orders", flush=True)
    return JSONResponse(place(await request.json()))


async def health(request):
    return JSONResponse({"ok": True})


app = Starlette(routes=[
    Route("/orders", create, methods=["POST"]),
    Route("/health", health),
])

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
""",
    "payments/Dockerfile": "FROM eclipse-temurin:21\n",
    "payments/pom.xml": "<project><artifactId>payments</artifactId></project>\n",
    "payments/src/main/java/Payments.java": """\
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;

public class Payments {
    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/payments", Payments::pay);
        server.createContext("/health", Payments::health);
        server.start();
    }

    static void pay(HttpExchange exchange) throws IOException {
        String sender = exchange.getRequestHeaders().getFirst("x-sender");
        System.out.println(sender + " " + exchange.getRequestMethod() + " /payments");
        String amount = new String(exchange.getRequestBody().readAllBytes());
        answer(exchange, "{\\"paid\\": " + amount + "}");
    }

    static void health(HttpExchange exchange) throws IOException {
        answer(exchange, "{\\"ok\\": true}");
    }

    static void answer(HttpExchange exchange, String text) throws IOException {
        exchange.sendResponseHeaders(200, text.length());
        exchange.getResponseBody().write(text.getBytes());
        exchange.close();
    }
}
""",
    "stock/Dockerfile": "FROM rust:1\n",
    "stock/Cargo.toml": '[package]\nname = "stock"\nversion = "0.1.0"\nedition = "2021"\n',
    "stock/src/main.rs": """\
mod axum;

use axum::{get, Router};

fn show(sku: &str, sender: &str) -> String {
    println!("{sender} GET /stock");
    format!("{{\\"sku\\": \\"{sku}\\", \\"price\\": 3}}")
}

fn health(_: &str, _: &str) -> String {
    String::from("{\\"ok\\": true}")
}

fn main() {
    let port = std::env::var("PORT").unwrap();
    let app = Router::new()
        .route("/stock/{sku}", get(show))
        .route("/health", get(health));
    app.serve(&format!("127.0.0.1:{port}"));
}
""",
    "stock/src/axum.rs": """\
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

pub type Handler = fn(&str, &str) -> String;

pub fn get(handler: Handler) -> Handler {
    handler
}

pub struct Router {
    routes: Vec<(String, Handler)>,
}

impl Router {
    pub fn new() -> Router {
        Router { routes: Vec::new() }
    }

    pub fn route(mut self, path: &str, handler: Handler) -> Router {
        self.routes.push((path.split('{').next().unwrap().to_string(), handler));
        self
    }

    pub fn serve(&self, address: &str) {
        for stream in TcpListener::bind(address).unwrap().incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut first, mut sender) = (String::new(), String::new());
            reader.read_line(&mut first).unwrap();
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line.trim().is_empty() {
                    break;
                }
                if line.to_lowercase().starts_with("x-sender:") {
                    sender = line[9..].trim().to_string();
                }
            }
            let path = first.split(' ').nth(1).unwrap_or("/");
            let found = self.routes.iter().find(|(prefix, _)| path.starts_with(prefix.as_str()));
            let body = found.map(|(prefix, handler)| handler(&path[prefix.len()..], &sender)).unwrap_or_default();
            let status = if found.is_some() { "200 OK" } else { "404 Not Found" };
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\\r\\ncontent-length: {length}\\r\\nconnection: close\\r\\n\\r\\n");
            stream.write_all((head + &body).as_bytes()).unwrap();
        }
    }
}
""",
    "mailer/Dockerfile": "FROM node:22\n",
    "mailer/package.json": '{"name": "mailer"}\n',
    "mailer/nats.js": """\
const net = require("net");

exports.connect = (url) => {
  const [host, port] = url.replace("nats://", "").split(":");
  const socket = net.connect(Number(port), host);
  return {
    subscribe: (subject, hear) => {
      socket.write(`SUB ${subject} 1\\r\\n`);
      socket.on("data", (data) => {
        const [head, body] = String(data).split("\\r\\n");
        if (head.startsWith("MSG")) hear(JSON.parse(body));
      });
    },
  };
};
""",
    "mailer/server.js": """\
const http = require("http");
const nats = require("./nats");

const nc = nats.connect(process.env.NATS_URL);

nc.subscribe("orders.placed", (order) => {
  console.log(`sent ${order.sku}`);
});

http.createServer((request, response) => response.end("{}")).listen(Number(process.env.PORT), "127.0.0.1");
""",
}

# Which calls a run must show, as the services print them, and as the service graph names them.
CALLS = {
    ("web", "orders", "POST /orders"): "POST /orders",
    ("orders", "payments", "POST /payments"): "POST /payments",
    ("orders", "stock", "GET /stock"): "GET /stock/{sku}",
}
EVENTS = {("orders", "mailer"): "orders.placed"}
