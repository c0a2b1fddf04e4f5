"""A shop of five services in five languages with a broker and a database, as files with known connections."""

FILES = {
    "compose.yaml": """\
services:
  web:
    build: ./web
    environment:
      ORDERS_URL: http://orders:8000
    ports: ["3000:3000"]
  orders:
    build: ./orders
    environment:
      INVENTORY_ADDR: inventory:9000
      DATABASE_URL: postgresql://shop@db:5432/shop
      KAFKA_BROKERS: kafka:9092
  payments:
    build: ./payments
  inventory:
    build: ./inventory
  mailer:
    build: ./mailer
  db:
    image: postgres:16
  kafka:
    image: bitnami/kafka:3
""",
    "web/package.json": '{"name": "web", "dependencies": {"express": "4", "axios": "1"}}\n',
    "web/Dockerfile": "FROM node:22\nEXPOSE 3000\n",
    "web/src/client.ts": """\
import axios from "axios";

const ORDERS = process.env.ORDERS_URL || "http://localhost:8000";

export async function placeOrder(items: string[]) {
  return axios.post(`${ORDERS}/api/orders`, { items });
}

export async function findOrder(id: string) {
  const response = await fetch(`${ORDERS}/api/orders/${id}`);
  return response.json();
}
""",
    "web/src/server.ts": """\
import express from "express";
import { placeOrder } from "./client";

const app = express();
app.post("/checkout", async (request, response) => {
  response.json(await placeOrder(request.body.items));
});
app.listen(3000);
""",
    "orders/pyproject.toml": '[project]\nname = "orders"\nversion = "1"\ndependencies = ["fastapi", "httpx"]\n',
    "orders/Dockerfile": "FROM python:3.13\nEXPOSE 8000\n",
    "orders/topics.py": 'PREFIX = "orders"\nPLACED = f"{PREFIX}.placed"\n',
    "orders/main.py": """\
import os

import grpc
import httpx
from fastapi import APIRouter, FastAPI

import inventory_pb2_grpc
from events import announce
from models import Order

app = FastAPI()
router = APIRouter(prefix="/orders")
DATABASE = os.environ["DATABASE_URL"]


@router.post("")
async def place(order: Order):
    channel = grpc.insecure_channel(os.environ["INVENTORY_ADDR"])
    stub = inventory_pb2_grpc.InventoryStub(channel)
    stub.Reserve(order)
    async with httpx.AsyncClient(base_url="http://payments:8080") as client:
        await client.post("/payments", json={})
    announce(order)
    return order


@router.get("/{order_id}")
async def show(order_id: str):
    return order_id


app.include_router(router, prefix="/api")
""",
    "orders/events.py": """\
import os

from kafka import KafkaProducer

from topics import PLACED

producer = KafkaProducer(bootstrap_servers=os.environ["KAFKA_BROKERS"])


def announce(order):
    producer.send(PLACED, order)


def forget(order):
    producer.send("orders.forgotten", order)
""",
    "orders/models.py": """\
from sqlalchemy.orm import DeclarativeBase


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    id: int
    total: int
""",
    "payments/pom.xml": "<project><artifactId>payments</artifactId><dependencies><dependency>"
    "<artifactId>spring-boot-starter-web</artifactId></dependency></dependencies></project>\n",
    "payments/Dockerfile": "FROM eclipse-temurin:21\nEXPOSE 8080\n",
    "payments/src/main/resources/application.yml": (
        "spring:\n  application:\n    name: payments\nserver:\n  port: 8080\n"
    ),
    "payments/src/main/java/shop/PaymentController.java": """\
package shop;

@RestController
@RequestMapping("/payments")
public class PaymentController {

    private final OrderClient orders;

    @PostMapping
    public Payment pay(@RequestBody Payment payment) {
        orders.find(payment.orderId());
        return payment;
    }

    @GetMapping("/{id}")
    public Payment find(@PathVariable String id) {
        return null;
    }
}
""",
    "payments/src/main/java/shop/OrderClient.java": """\
package shop;

@FeignClient(name = "orders", url = "http://orders:8000")
public interface OrderClient {

    @GetMapping("/api/orders/{id}")
    Order find(@PathVariable("id") String id);
}
""",
    "payments/src/main/java/shop/Order.java": """\
package shop;

@Entity
public class Order {
    private String id;
}
""",
    "proto/inventory.proto": """\
syntax = "proto3";
package shop;

service Inventory {
  rpc Reserve(Item) returns (Item);
  rpc Release(Item) returns (Item);
}

message Item {
  string sku = 1;
  int32 count = 2;
}
""",
    "inventory/go.mod": "module example.org/shop/inventory\n\nrequire google.golang.org/grpc v1.70.0\n",
    "inventory/Dockerfile": "FROM golang:1.24\nEXPOSE 9000\n",
    "inventory/main.go": """\
package main

import (
	"net/http"

	"google.golang.org/grpc"
	pb "example.org/shop/proto"
)

type server struct{}

func (s *server) Reserve(item *pb.Item) (*pb.Item, error) {
	return item, nil
}

func main() {
	s := grpc.NewServer()
	pb.RegisterInventoryServer(s, &server{})
	http.HandleFunc("GET /healthz", health)
}

func health(w http.ResponseWriter, r *http.Request) {}
""",
    "mailer/Gemfile": 'gem "sinatra"\ngem "ruby-kafka"\n',
    "mailer/Dockerfile": "FROM ruby:3.4\n",
    "mailer/app.rb": """\
require "kafka"

consumer = Kafka.new(["kafka:9092"]).consumer(group_id: "mailer")
consumer.subscribe("orders.placed")
consumer.subscribe("orders.cancelled")
""",
    "mailer/test/test_app.rb": 'Net::HTTP.get("http://payments:8080/payments")\n',
}
