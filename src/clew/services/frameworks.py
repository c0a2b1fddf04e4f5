"""Names that frameworks and libraries give to routes, requests, events, remote calls and entities: data only.

Names are matched without their receiver. `topic` is the position of the argument that names the event, and the names it
may have as a keyword.
"""

from typing import NamedTuple

VERBS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")
ANY = "ANY"

# Annotations that declare a route: name → method ("" tells it by an argument or another annotation).
ROUTE_ANNOTATIONS = {
    **{f"{verb.title()}Mapping": verb for verb in VERBS},
    **{f"Http{verb.title()}": verb for verb in VERBS},
    **{verb: verb for verb in VERBS},
    **{verb.title(): verb for verb in VERBS},
    **{verb.lower(): verb for verb in VERBS},
    "RequestMapping": "", "Path": "", "route": "", "Route": "", "api_route": "", "websocket": "GET", "All": ANY,
    "HttpExchange": "", **{f"{verb.title()}Exchange": verb for verb in VERBS},
}  # fmt: skip
# Those that give a class a prefix.
PREFIX_ANNOTATIONS = frozenset(
    {"RequestMapping", "Path", "Controller", "Route", "RoutePrefix", "JsonController", "HttpExchange", "route"}
)
# Classes whose routes are not answered but called.
CLIENT_ANNOTATIONS = frozenset(
    {"FeignClient", "HttpExchange", "RegisterRestClient", "Client", "ReactiveFeignClient", "LoadBalancedClient"}
)

# Calls that declare a route: name → method.
ROUTE_CALLS = {
    **{verb: verb for verb in VERBS},
    **{verb.lower(): verb for verb in VERBS},
    **{verb.title(): verb for verb in VERBS},
    **{f"Map{verb.title()}": verb for verb in VERBS},
    "HandleFunc": ANY, "Handle": ANY, "handle": ANY, "handle_func": ANY, "route": ANY, "any": ANY, "Any": ANY, "all": ANY,
    "del": "DELETE", "match": ANY, "add_route": ANY, "add_url_rule": ANY, "add_api_route": ANY, "path": ANY, "re_path": ANY,
    "url": ANY, "MapControllerRoute": ANY, "resource": ANY, "MapMethods": ANY, "HandlerFunc": ANY, "MethodFunc": ANY,
    "Route": ANY, "WebSocketRoute": "GET", "register": ANY, "apiResource": ANY, "createContext": ANY,
}  # fmt: skip
# Only in files that use such a framework, since the names are ordinary words.
ROUTE_WORDS = {
    "path": "django",
    "re_path": "django",
    "url": "django",
    "match": "rails|Route::|axum",
    "resource": "web::|actix|Route::",
    "del": "express|koa|fastify",
    "all": "express|koa|hono|fastify|router",
    "handle": "axum|mux|warp|http",
    "Route": "starlette|fastapi",
    "WebSocketRoute": "starlette|fastapi",
    "register": "rest_framework",
    "createContext": "HttpServer",
}
SERVER_NAMES = (
    r"app|application|router|routes?|r|e|g|mux|server|srv|engine|group|grp|api|v\d|blueprint|bp|fastify|web|echo|chi|gin|route|"
    r"endpoints|\w*router|\w*routes|\w*app|\w*api|\w*group|\w*mux|\w*blueprint|\w*_bp|scope|builder|hono|koa|svc"
)
CLIENT_NAMES = (
    r"requests|httpx|aiohttp|session|\w*client|axios|\w*axios|http|\$http|https|httpservice|resttemplate|\w*resttemplate|webclient|"
    r"fetch|\$|jquery|ky|got|superagent|request|agent|reqwest|faraday|conn|connection|httparty|restclient|net|curl|guzzle|"
    r"urllib|unirest|needle|\w*http|\w*rest|\w*webclient|resty|r\(\)|newrequest\(\)|builder\(\)|create\(\)|build\(\)|req|api|\w*api|\w*service"
)

# Calls that send a request: name → method ("" if an argument tells it).
REQUEST_CALLS = {
    **{verb.lower(): verb for verb in VERBS},
    **{verb.title(): verb for verb in VERBS},
    **{f"{verb.title()}Async": verb for verb in VERBS},
    **{f"{verb.lower()}ForObject": verb for verb in VERBS},
    **{f"{verb.lower()}ForEntity": verb for verb in VERBS},
    **{f"{verb.title()}AsJsonAsync": verb for verb in VERBS},
    **{f"{verb.title()}FromJsonAsync": verb for verb in VERBS},
    "postForLocation": "POST", "GetStringAsync": "GET", "GetStreamAsync": "GET", "GetByteArrayAsync": "GET", "getJSON": "GET",
    "fetch": "", "axios": "", "request": "", "exchange": "", "NewRequest": "", "NewRequestWithContext": "", "urlopen": "GET",
    "PostForm": "POST", "uri": "", "ajax": "", "got": "GET", "ky": "GET", "file_get_contents": "GET", "curl_init": "", "needle": "",
    "HttpGet": "GET", "HttpPost": "POST", "HttpPut": "PUT", "HttpDelete": "DELETE", "HttpRequestMessage": "", "Request": "",
    "get_json": "GET", "del": "DELETE", "$fetch": "", "useFetch": "", "request_async": "", "SendRequest": "", "openConnection": "GET",
    "query": "", "mutate": "", "subscribe": "", "useQuery": "", "useMutation": "", "useSuspenseQuery": "", "useSubscription": "",
    "newBuilder": "", "useSWR": "GET", "WebSocket": "GET", "io": "GET", "EventSource": "GET", "withUrl": "GET",
}  # fmt: skip
ALWAYS_REQUESTS = frozenset(
    "fetch axios urlopen getForObject getForEntity postForObject postForEntity NewRequest NewRequestWithContext $fetch useFetch "
    "HttpGet HttpPost HttpPut HttpDelete HttpRequestMessage file_get_contents curl_init GetAsync PostAsync PutAsync DeleteAsync "
    "PatchAsync GetStringAsync GetFromJsonAsync PostAsJsonAsync PutAsJsonAsync postForLocation PostForm putForObject deleteForObject "
    "patchForObject useSWR WebSocket EventSource".split()
)
BASE_ARGUMENTS = frozenset(
    {
        "baseURL",
        "base_url",
        "baseUrl",
        "BaseAddress",
        "prefixUrl",
        "rootUri",
        "base_uri",
        "url",
        "BaseURL",
        "prefix_url",
    }
)
BASE_CALLS = frozenset(
    {
        "create",
        "extend",
        "Client",
        "AsyncClient",
        "builder",
        "baseUrl",
        "rootUri",
        "new",
        "SetBaseURL",
        "SetHostURL",
        "HttpClient",
        "ClientSession",
        "WebClient",
        "base_uri",
        "baseURL",
    }
)


class Messaging(NamedTuple):
    """How a call names its event: by the position of an argument, else by a keyword or a field of an object."""

    position: int
    keywords: tuple[str, ...]
    receiver: str = ""  # which names the receiver or the imports of the file have
    evidence: str = "message broker"


_TOPIC = (
    "topic",
    "Topic",
    "topics",
    "destination",
    "subject",
    "channel",
    "queue",
    "queueName",
    "routing_key",
    "routingKey",
    "stream",
)
_KAFKA = r"kafka|producer|rdkafka|sarama|brod"
_RABBIT = r"rabbit|amqp|channel|pika|ch\b|lapin|bunny|bus"
PUBLISH_CALLS: dict[str, tuple[Messaging, ...]] = {
    "send": (
        Messaging(0, _TOPIC, r"kafka|producer|jms|rabbit|streamBridge|bridge|emitter|sqs|sns|template", "message"),
    ),
    "sendDefault": (),
    "produce": (Messaging(0, _TOPIC, _KAFKA, "kafka"),),
    "Produce": (Messaging(0, _TOPIC, _KAFKA, "kafka"),),
    "ProduceAsync": (Messaging(0, _TOPIC, _KAFKA, "kafka"),),
    "ProducerRecord": (Messaging(0, _TOPIC, "", "kafka"),),
    "ProducerMessage": (Messaging(-1, _TOPIC, "", "kafka"),),
    "FutureRecord": (Messaging(0, _TOPIC, "", "kafka"),),
    "send_and_wait": (Messaging(0, _TOPIC, _KAFKA, "kafka"),),
    "convertAndSend": (Messaging(-2, _TOPIC, "", "rabbitmq"),),
    "convertSendAndReceive": (Messaging(-2, _TOPIC, "", "rabbitmq"),),
    "basic_publish": (Messaging(-1, ("routing_key", "exchange"), "", "rabbitmq"),),
    "BasicPublish": (Messaging(-2, ("routingKey", "exchange"), "", "rabbitmq"),),
    "BasicPublishAsync": (Messaging(-2, ("routingKey", "exchange"), "", "rabbitmq"),),
    "basicPublish": (Messaging(-2, (), "", "rabbitmq"),),
    "PublishWithContext": (Messaging(-3, (), _RABBIT, "rabbitmq"),),
    "sendToQueue": (Messaging(0, (), "", "rabbitmq"),),
    "publish": (
        Messaging(
            -4,
            (*_TOPIC, "TopicArn", "channel"),
            r"redis|nats|nc\b|\bjs\b|client|channel|mqtt|sns|pubsub|pub|broker|exchange|bus|producer|amqp",
            "message",
        ),
    ),
    "Publish": (
        Messaging(-4, _TOPIC, r"redis|nats|nc\b|\bjs\b|rdb|client|mqtt|ch\b|channel|pub|bus|broker|amqp", "message"),
    ),
    "PublishAsync": (Messaging(0, _TOPIC, r"redis|nats|client|mqtt|bus", "message"),),
    "xadd": (Messaging(0, ("name",), "", "redis"),),
    "XAdd": (Messaging(-1, ("Stream",), "", "redis"),),
    "send_message": (Messaging(-1, ("QueueUrl",), "", "sqs"),),
    "SendMessage": (Messaging(-1, ("QueueUrl",), r"sqs", "sqs"),),
    "PublishCommand": (Messaging(-1, ("TopicArn",), "", "sns"),),
    "SendMessageCommand": (Messaging(-1, ("QueueUrl",), "", "sqs"),),
    "PublishInput": (Messaging(-1, ("TopicArn",), "", "sns"),),
    "send_task": (Messaging(0, ("name",), "", "celery"),),
    "add": (Messaging(0, (), r"queue", "queue"),),
    "enqueue": (Messaging(0, (), r"queue|\bq\b", "queue"),),
}
CONSUME_CALLS: dict[str, tuple[Messaging, ...]] = {
    "subscribe": (
        Messaging(
            0, _TOPIC, r"consumer|kafka|redis|nats|nc\b|\bjs\b|client|mqtt|sub|pubsub|broker|bus|channel", "message"
        ),
    ),
    "Subscribe": (
        Messaging(-4, _TOPIC, r"consumer|kafka|redis|nats|nc\b|\bjs\b|rdb|client|mqtt|sub|broker|bus", "message"),
    ),
    "SubscribeAsync": (Messaging(0, _TOPIC, r"redis|nats|client|mqtt|bus|connection", "message"),),
    "SubscribeTopics": (Messaging(0, (), "", "kafka"),),
    "QueueSubscribe": (Messaging(0, (), "", "nats"),),
    "psubscribe": (Messaging(0, (), "", "redis"),),
    "KafkaConsumer": (Messaging(0, (), "", "kafka"),),
    "AIOKafkaConsumer": (Messaging(0, (), "", "kafka"),),
    "ConsumePartition": (Messaging(0, (), "", "kafka"),),
    "Consume": (Messaging(-5, (), r"consumer|group|ch\b|channel|client|amqp|kafka|rabbit", "message"),),
    "consume": (Messaging(-6, _TOPIC, r"channel|ch\b|rabbit|amqp|queue|consumer", "rabbitmq"),),
    "ReaderConfig": (Messaging(-1, ("Topic", "GroupTopics"), "", "kafka"),),
    "basic_consume": (Messaging(0, ("queue",), "", "rabbitmq"),),
    "BasicConsume": (Messaging(0, ("queue",), "", "rabbitmq"),),
    "BasicConsumeAsync": (Messaging(0, ("queue",), "", "rabbitmq"),),
    "basicConsume": (Messaging(0, (), "", "rabbitmq"),),
    "xreadgroup": (Messaging(-1, (), "", "redis"),),
    "receive_message": (Messaging(-1, ("QueueUrl",), "", "sqs"),),
    "ReceiveMessageCommand": (Messaging(-1, ("QueueUrl",), "", "sqs"),),
    "Worker": (Messaging(0, (), r"bull|new", "queue"),),
    "process": (Messaging(-7, (), r"queue", "queue"),),
}
STRUCT_PUBLISH = {"ProducerMessage": ("Topic",), "Writer": ("Topic",), "WriterConfig": ("Topic",), "kafka.Message": ("Topic",), "Message": ("Topic",), "TopicPartition": ("Topic",), "PublishInput": ("TopicArn",), "SendMessageInput": ("QueueUrl",)}  # fmt: skip
STRUCT_CONSUME = {"ReaderConfig": ("Topic", "GroupTopics"), "ReceiveMessageInput": ("QueueUrl",)}
CONSUME_ANNOTATIONS: dict[str, tuple[str, ...]] = {
    "KafkaListener": ("topics", "topicPattern", "value", "topicPartitions"), "RabbitListener": ("queues", "value", "queuesToDeclare", "bindings"),
    "JmsListener": ("destination",), "StreamListener": ("value", "target"), "SqsListener": ("value", "queueNames"), "Incoming": ("value",),
    "KafkaHandler": (), "EventPattern": ("value",), "MessagePattern": ("value",), "Topic": ("value",), "RedisListener": ("value",),
    "subscriber": ("value",), "Queue": ("value",), "Processor": ("value",), "RabbitSubscribe": ("routingKey", "queue"),
}  # fmt: skip
PUBLISH_ANNOTATIONS = {"Outgoing": ("value",), "SendTo": ("value",), "KafkaClient": (), "publisher": ("value",)}
# Events that are named by a type: the call that publishes one, and the interface or annotation that consumes one.
TYPED_PUBLISH = frozenset(
    "publishEvent Publish PublishAsync publish dispatch event Send SendAsync raise emit_event".split()
)
TYPED_CONSUMERS = (
    "IConsumer",
    "IIntegrationEventHandler",
    "INotificationHandler",
    "IHandleMessages",
    "IEventHandler",
    "ApplicationListener",
    "EventHandler",
    "IEventHandler",
    "IConsumeAsync",
    "ICapSubscribe",
)
TYPED_ANNOTATIONS = frozenset(
    {"EventListener", "TransactionalEventListener", "EventsHandler", "EventHandler", "ApplicationModuleListener"}
)
TASK_ANNOTATIONS = frozenset({"shared_task", "task", "app.task", "celery.task", "celery_app.task"})

# Spring Cloud and its like: annotations and dependencies that say which other parts a service needs, or is.
SERVER_ROLES = {
    "EnableEurekaServer": "discovery", "EnableConfigServer": "configuration", "EnableZuulProxy": "gateway", "EnableZuulServer": "gateway",
    "EnableAdminServer": "monitoring", "EnableZipkinServer": "monitoring", "EnableZipkinStreamServer": "monitoring", "EnableTurbine": "monitoring",
    "EnableTurbineStream": "monitoring", "EnableHystrixDashboard": "monitoring", "EnableAuthorizationServer": "identity",
}  # fmt: skip
DEPENDENCY_ROLES = {
    "spring-cloud-starter-netflix-eureka-server": "discovery", "spring-cloud-starter-eureka-server": "discovery",
    "spring-cloud-netflix-eureka-server": "discovery", "spring-cloud-config-server": "configuration",
    "spring-cloud-starter-gateway": "gateway", "spring-cloud-starter-gateway-server-webflux": "gateway",
    "spring-cloud-starter-gateway-server-webmvc": "gateway", "spring-cloud-starter-netflix-zuul": "gateway", "spring-cloud-starter-zuul": "gateway",
    "spring-boot-admin-starter-server": "monitoring", "zipkin-server": "monitoring", "zipkin-autoconfigure-ui": "monitoring",
    "spring-cloud-starter-netflix-turbine": "monitoring", "spring-cloud-starter-netflix-hystrix-dashboard": "monitoring",
    "spring-security-oauth2-authorization-server": "identity",
}  # fmt: skip
CLIENT_ANNOTATION_ROLES = {
    "EnableEurekaClient": "discovery",
    "EnableDiscoveryClient": "discovery",
    "EnableResourceServer": "identity",
    "EnableOAuth2Client": "identity",
    "EnableOAuth2Sso": "identity",
}
CLIENT_DEPENDENCY_ROLES = {
    "spring-cloud-starter-netflix-eureka-client": "discovery", "spring-cloud-starter-eureka": "discovery", "spring-cloud-starter-consul-discovery": "discovery",
    "spring-cloud-starter-config": "configuration", "spring-cloud-config-client": "configuration", "spring-boot-admin-starter-client": "monitoring",
    "spring-cloud-starter-alibaba-nacos-discovery": "discovery", "spring-cloud-starter-alibaba-nacos-config": "configuration",
}  # fmt: skip

# What images run: a part of the name → role.
IMAGE_ROLES = (
    (r"postgres|mysql|mariadb|mongo|couchdb|cassandra|cockroach|mssql|sqlserver|oracle|neo4j|elasticsearch|opensearch|dynamodb|influx|clickhouse|timescale|scylla|valkey|redis|memcached|h2|solr|minio", "database"),
    (r"rabbit|kafka|redpanda|nats|activemq|artemis|mosquitto|emqx|pulsar|localstack|zookeeper|amqp|eventstore|elasticmq", "broker"),
    (r"nginx|traefik|envoy|haproxy|kong|gateway|caddy|apisix|krakend|ingress|zuul|httpd|frontend-?proxy", "gateway"),
    (r"eureka|consul|nacos|etcd|discovery|registry", "discovery"),
    (r"config-?server|configserver|vault|apollo-?(?:config|portal|admin)", "configuration"),
    (r"prometheus|grafana|jaeger|zipkin|otel|opentelemetry|collector|loki|tempo|kibana|logstash|fluent|statsd|graphite|seq|turbine|hystrix|pyroscope|alertmanager|elastic-apm|cadvisor|node-?exporter|admin-?server", "monitoring"),
    (r"keycloak|dex\b|hydra|oauth|identity|uaa|ory|authelia", "identity"),
)  # fmt: skip
SCHEMES = {
    "http": "http", "https": "http", "lb": "http", "ws": "http", "wss": "http", "grpc": "grpc", "dns": "grpc", "amqp": "messaging", "amqps": "messaging", "kafka": "messaging",
    "nats": "messaging", "mqtt": "messaging", "stomp": "messaging", "redis": "database", "rediss": "database", "postgres": "database", "postgresql": "database", "mysql": "database", "mongodb": "database",
    "mongodb+srv": "database", "mariadb": "database", "sqlserver": "database", "jdbc": "database", "r2dbc": "database", "bolt": "database", "neo4j": "database", "memcached": "database", "tcp": "network",
}  # fmt: skip
ROLE_EDGES = {
    "database": "database",
    "broker": "messaging",
    "discovery": "discovery",
    "configuration": "configuration",
    "monitoring": "monitoring",
    "identity": "identity",
}

ENTITY_ANNOTATIONS = frozenset(
    {
        "Entity",
        "Document",
        "Table",
        "MappedSuperclass",
        "RedisHash",
        "Node",
        "ObjectType",
        "Schema",
        "Aggregate",
        "MappedEntity",
        "Collection",
    }
)
ENTITY_BASES = (
    r"\b(models\.Model|db\.Model|SQLModel|DeclarativeBase|Base|Model|Document|EmbeddedDocument|ApplicationRecord|ActiveRecord::Base|Eloquent|BaseModel|TimeStampedModel|PanacheEntity\w*|"
    r"AbstractPersistable\S*|AggregateRoot\S*|BaseEntity|Entity|AbstractEntity|TypedDict|NamedTuple|AbstractUser)\b"
)
ENTITY_FOLDERS = r"(^|/)(models?|entit(y|ies)|domain|schemas?|documents?)(/|\.\w+$)"
NAME_SUFFIXES = ("Service", "Model", "Schema", "Entity", "Repository", "Controller", "Handler")
