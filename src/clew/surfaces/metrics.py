"""Counts of the requests that a server answered, for Prometheus."""

import threading
from collections import defaultdict

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


class RequestCounts:
    """Any thread may count."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: dict[tuple[str, int], int] = defaultdict(int)
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = defaultdict(float)

    def count(self, route: str, status: int, seconds: float) -> None:
        with self._lock:
            self._requests[route, status] += 1
            self._seconds[route] += seconds
            held = self._buckets.setdefault(route, [0] * (len(BUCKETS) + 1))
            for place, most in enumerate((*BUCKETS, float("inf"))):
                held[place] += seconds <= most

    def lines(self) -> list[str]:
        """In Prometheus' text format."""
        with self._lock:
            told = ["# TYPE clew_http_requests_total counter"]
            told += [
                f'clew_http_requests_total{{route="{route}",status="{status}"}} {count}'
                for (route, status), count in sorted(self._requests.items())
            ]
            told.append("# TYPE clew_http_request_seconds histogram")
            for route, held in sorted(self._buckets.items()):
                for most, count in zip((*map(str, BUCKETS), "+Inf"), held, strict=True):
                    told.append(f'clew_http_request_seconds_bucket{{route="{route}",le="{most}"}} {count}')
                told.append(f'clew_http_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
                told.append(f'clew_http_request_seconds_count{{route="{route}"}} {held[-1]}')
            return told
