"""Run by "python3 -m unittest discover -s load/distributed/locust"; Locust is not needed."""

import unittest

from schedule import due_count, due_times
from thresholds import check, describe, exit_code, metrics_of


class Entry:
    """A statistics entry of Locust: a hundred requests of 1 to 100 ms."""

    num_requests = 100
    num_failures = 2
    avg_response_time = 50.5
    max_response_time = 100

    def get_response_time_percentile(self, share):
        return round(100 * share)


class Nothing(Entry):
    num_requests = 0


ENDPOINTS = {
    "all": metrics_of(Entry(), 90, due=120),
    "swap": metrics_of(Entry(), 99),
    "tokens": metrics_of(Nothing(), 0),
}


def held(**threshold):
    return check(threshold, ENDPOINTS, 3)


class Thresholds(unittest.TestCase):
    def test_each_metric_is_read_from_its_entry(self):
        for metric, actual in (("p50", 50), ("p99", 99), ("mean", 50.5), ("max", 100), ("errors", 0.02)):
            self.assertEqual(held(metric=metric, max=1000)["actual"], actual)
        self.assertEqual(held(metric="wrong", max=0)["actual"], 3)

    def test_rate_is_the_share_of_all_due_requests(self):
        self.assertEqual(held(metric="rate", min=0.99), {"metric": "rate", "min": 0.99, "actual": 0.75, "held": False})
        self.assertTrue(held(metric="rate", endpoint="swap", min=0.99)["held"])

    def test_a_value_on_the_bound_holds(self):
        self.assertTrue(held(metric="p99", max=99)["held"])
        self.assertFalse(held(metric="p99", max=98.9)["held"])
        self.assertFalse(held(metric="p99", min=99.1, max=200)["held"])

    def test_an_unmeasured_threshold_does_not_hold(self):
        for threshold in ({"metric": "p99", "endpoint": "tokens"}, {"metric": "p99", "endpoint": "chains"}):
            self.assertEqual(held(**threshold, max=9)["actual"], None)
            self.assertFalse(held(**threshold, max=9)["held"])
        self.assertIsNone(check({"metric": "wrong", "max": 0}, ENDPOINTS, None)["actual"])

    def test_a_line_shows_metric_value_and_bound(self):
        self.assertEqual(describe(held(metric="p99", max=100)), "held    p99 of all: 99 (at most 100)")
        self.assertEqual(describe(held(metric="p99", endpoint="swap", max=9)), "CROSSED p99 of swap: 99 (at most 9)")
        self.assertIn("UNKNOWN p99 of tokens: not measured", describe(held(metric="p99", endpoint="tokens", max=9)))

    def test_exit_codes(self):
        good, crossed = held(metric="p99", max=100), held(metric="p99", max=9)
        unknown = held(metric="p99", endpoint="tokens", max=9)
        self.assertEqual(exit_code([good], 0), 0)
        self.assertEqual(exit_code([good, unknown], 0), 3)
        self.assertEqual(exit_code([unknown, crossed], 0), 1)
        self.assertEqual(exit_code([good], 1), 3)


class Schedule(unittest.TestCase):
    STAGES = [{"durationS": 2, "fromRate": 0, "toRate": 10}, {"durationS": 2, "fromRate": 50, "toRate": 50}]

    def test_due_count_is_the_number_of_later_due_times(self):
        times = [due_s for _number, due_s in due_times(self.STAGES)]
        self.assertEqual(len(times), 110)
        for from_s in (0, 0.5, 1.99, 2, 2.015, 3.5, 4, 9):
            self.assertEqual(due_count(self.STAGES, from_s), sum(due_s >= from_s for due_s in times))

    def test_shares_add_up_to_the_whole_schedule(self):
        parts = [slot for index in range(3) for slot in due_times(self.STAGES, index, 3)]
        self.assertEqual(sorted(parts), list(due_times(self.STAGES)))


if __name__ == "__main__":
    unittest.main()
